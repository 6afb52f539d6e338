package cmd

import (
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"github.com/eaapl/handoff/internal/cli"
	"github.com/eaapl/handoff/internal/report"
)

func newVersion(*cli.Globals) *cobra.Command {
	var format string
	c := &cobra.Command{
		Use:   "version",
		Short: "Print the version",
		Long: `Version prints the version, the version of Go, the platform, and the commit of the source
with its date, where the build knew them. JSON has the build tags, too, and every module in
the program with its version and the sum by which go.sum knows it.`,
		Example: `  handoff version
  handoff version -f json`,
		Args: cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			v := report.ReadVersion()
			if format == "json" {
				return report.WriteIndex(c.OutOrStdout(), v) // sums look like keys
			}
			return writeVersion(c.OutOrStdout(), v)
		},
	}
	cli.RegisterFormat(c, &format, "text or json", report.PlainFormats)
	return c
}

// writeVersion writes a version as a line.
func writeVersion(w io.Writer, v report.Version) error {
	line := fmt.Sprintf("handoff %s %s %s", v.Version, v.Go, v.Platform)
	if v.Commit != "" {
		line += fmt.Sprintf(" (%.12s, %s)", v.Commit, v.Date)
	}
	_, err := fmt.Fprintln(w, line)
	return err
}
