package about

import (
	"github.com/spf13/cobra"

	"github.com/eaapl/handoff/internal/cli"
	"github.com/eaapl/handoff/internal/program"
	"github.com/eaapl/handoff/internal/report"
)

func NewVersion(*cli.Globals) *cobra.Command {
	var format string
	c := &cobra.Command{
		Use:   "version",
		Short: "Print the version",
		Long: `Version prints the version of handoff, the Go version, the platform, and the source
commit and its date, if the build recorded them. JSON output adds the build tags and
every module of the program with its version and go.sum hash.`,
		Example: `  handoff version
  handoff version -f json`,
		Args: cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			v := report.ReadVersion()
			if format == "json" {
				return report.WriteIndex(c.OutOrStdout(), v) // checksums would be masked as keys
			}
			return program.WriteVersion(c.OutOrStdout(), v)
		},
	}
	cli.RegisterFormat(c, &format, "output format: text, json", report.PlainFormats)
	return c
}
