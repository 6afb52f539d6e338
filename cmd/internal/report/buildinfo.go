package report

import (
	"runtime"
	"runtime/debug"
	"strings"
)

// Version is what the binary knows of itself.
type Version struct {
	Version  string `json:"version"`           // the module's version, "devel" for a local build
	Revision string `json:"revision,omitzero"` // of the source, where the build knew it
	Time     string `json:"time,omitzero"`     // of that revision, RFC 3339
	Modified bool   `json:"modified,omitzero"` // whether the source had changes beyond it
	Go       string `json:"go"`
	Platform string `json:"platform"`
}

// ReadVersion returns the version of this program.
func ReadVersion() Version {
	v := Version{Version: "devel", Go: runtime.Version(), Platform: runtime.GOOS + "/" + runtime.GOARCH}
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return v
	}
	if info.Main.Version != "" {
		v.Version = strings.Trim(info.Main.Version, "()")
	}
	for _, s := range info.Settings {
		switch s.Key {
		case "vcs.revision":
			v.Revision = s.Value
		case "vcs.time":
			v.Time = s.Value
		case "vcs.modified":
			v.Modified = s.Value == "true"
		}
	}
	return v
}

// BuildVersion returns the version for reports.
func BuildVersion() string { return ReadVersion().Version }
