package report

import (
	"cmp"
	"runtime"
	"runtime/debug"
	"strings"
)

// A Version is the version and build information of the binary.
type Version struct {
	Version  string   `json:"version"`         // the module's version, "devel" for a local build
	Commit   string   `json:"commit,omitzero"` // of the source, where the build knew it
	Date     string   `json:"date,omitzero"`   // of the commit, RFC 3339
	Modified bool     `json:"modified"`        // whether the source had uncommitted changes
	Go       string   `json:"go"`
	Platform string   `json:"platform"`
	Tags     []string `json:"tags"`             // the build tags
	Modules  []Module `json:"modules,omitzero"` // the modules in the binary, by path
}

// A Module is a module in the binary.
type Module struct {
	Path    string `json:"path"`
	Version string `json:"version"`
	Sum     string `json:"sum,omitzero"` // as in go.sum
	// Replaces is the module that this one replaces; "" for none.
	Replaces string `json:"replaces,omitzero"`
}

// ReadVersion returns the version of this program.
func ReadVersion() Version {
	v := Version{Version: "devel", Go: runtime.Version(), Platform: runtime.GOOS + "/" + runtime.GOARCH, Tags: []string{}, Modules: []Module{}}
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return v
	}
	v.Version = cmp.Or(strings.Trim(info.Main.Version, "()"), v.Version)
	for _, s := range info.Settings {
		switch s.Key {
		case "vcs.revision":
			v.Commit = s.Value
		case "vcs.time":
			v.Date = s.Value
		case "vcs.modified":
			v.Modified = s.Value == "true"
		case "-tags":
			v.Tags = strings.Split(s.Value, ",")
		}
	}
	for _, m := range info.Deps {
		built := Module{Path: m.Path, Version: m.Version, Sum: m.Sum}
		if m.Replace != nil {
			built = Module{Path: m.Replace.Path, Version: m.Replace.Version, Sum: m.Replace.Sum, Replaces: m.Path}
		}
		v.Modules = append(v.Modules, built)
	}
	return v
}

// BuildVersion returns the version for reports.
func BuildVersion() string { return ReadVersion().Version }
