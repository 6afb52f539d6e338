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
		Long: `Version prints the version, the version of Go, the platform, and the commit of the source
with its date, where the build knew them. JSON has the build tags, too, and every module in
the program with its version and the sum by which go.sum knows it.`,
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
	cli.RegisterFormat(c, &format, "text or json", report.PlainFormats)
	return c
}
