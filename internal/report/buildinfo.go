package report

import (
	"cmp"
	"runtime"
	"runtime/debug"
	"strings"
)

// Version is what the binary knows of itself.
type Version struct {
	Version  string   `json:"version"`         // the module's version, "devel" for a local build
	Commit   string   `json:"commit,omitzero"` // of the source, where the build knew it
	Date     string   `json:"date,omitzero"`   // of that commit, RFC 3339
	Modified bool     `json:"modified"`        // whether the source had changes beyond the commit
	Go       string   `json:"go"`
	Platform string   `json:"platform"`
	Tags     []string `json:"tags"`             // with which it was built
	Modules  []Module `json:"modules,omitzero"` // that are in it, by path
}

// A Module is one that is part of the binary.
type Module struct {
	Path    string `json:"path"`
	Version string `json:"version"`
	Sum     string `json:"sum,omitzero"` // as go.sum has it
	// Replaces is the module in whose place it was built; "" for none.
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
