package cli

import (
	"strings"

	"github.com/spf13/cobra"

	"github.com/eaapl/handoff/cmd/internal/report"
)

// ReportFlags say which reports a run writes, and where.
type ReportFlags struct{ report.Choice }

func (f *ReportFlags) Register(c *cobra.Command, formats []string) {
	f.Formats = formats
	flags := c.Flags()
	flags.StringVarP(&f.Format, "format", "f", "text", "format of the report: "+strings.Join(formats, ", "))
	flags.StringVarP(&f.Output, "output", "o", "", "write the report to `FILE`")
	flags.StringArrayVar(&f.Also, "report", nil, "also write a report, as `FORMAT=FILE`; may be repeated")
	flags.BoolVarP(&f.Quiet, "quiet", "q", false, "no report and no summary: the exit code is the answer")
	Complete(c, "format", formats...)
	var prefixes []string
	for _, format := range formats {
		prefixes = append(prefixes, format+"=")
	}
	Complete(c, "report", prefixes...)
}
