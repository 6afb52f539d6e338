package cmd

import (
	"fmt"
	"runtime"
	"runtime/debug"
	"strings"

	"github.com/spf13/cobra"
)

// versionInfo is what the binary knows of itself.
type versionInfo struct {
	Version  string `json:"version"`           // the module's version, "devel" for a local build
	Revision string `json:"revision,omitzero"` // of the source, where the build knew it
	Time     string `json:"time,omitzero"`     // of that revision, RFC 3339
	Modified bool   `json:"modified,omitzero"` // whether the source had changes beyond it
	Go       string `json:"go"`
	Platform string `json:"platform"`
}

func readVersion() versionInfo {
	v := versionInfo{Version: "devel", Go: runtime.Version(), Platform: runtime.GOOS + "/" + runtime.GOARCH}
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

// buildVersion returns the version for reports.
func buildVersion() string { return readVersion().Version }

func newVersion(*globals) *cobra.Command {
	var format string
	c := &cobra.Command{
		Use:   "version",
		Short: "Print the version",
		Args:  cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			v := readVersion()
			switch format {
			case "json":
				return writeJSON(c.OutOrStdout(), v)
			case "text":
				line := fmt.Sprintf("handoff %s %s %s", v.Version, v.Go, v.Platform)
				if v.Revision != "" {
					line += fmt.Sprintf(" (%.12s, %s)", v.Revision, v.Time)
				}
				_, err := fmt.Fprintln(c.OutOrStdout(), line)
				return err
			default:
				return unknownFormat(format, plainFormats)
			}
		},
	}
	c.Flags().StringVarP(&format, "format", "f", "text", "text or json")
	complete(c, "format", plainFormats...)
	return c
}
