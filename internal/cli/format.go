package cli

import (
	"strings"

	"github.com/spf13/cobra"

	"github.com/eaapl/handoff/internal/report"
	"github.com/eaapl/handoff/pkg/format"
	"github.com/eaapl/handoff/pkg/formats"
)

// FormatFlag is the flag --format-in: the format of the input messages.
type FormatFlag struct {
	From format.Format // "" to detect the format of each message
}

func (f *FormatFlag) Register(c *cobra.Command) {
	c.Flags().Var((*formatValue)(&f.From), "format-in", "`FORMAT` of the messages, instead of detection: "+strings.Join(formatNames(), ", "))
	Complete(c, "format-in", formatNames()...)
}

// TakesLines returns the function that detects JSON Lines for a command: see [formats.TakesLines].
func TakesLines(c *cobra.Command) func(first []byte) bool {
	from := format.Format("")
	if f := c.Flags().Lookup("format-in"); f != nil {
		if v, ok := f.Value.(*formatValue); ok {
			from = format.Format(*v)
		}
	}
	return formats.TakesLines(from)
}

// Formats returns the formats that messages may be in; each message's format is detected among them.
func (f *FormatFlag) Formats() []format.Format {
	if f.From == "" {
		return formats.Names()
	}
	return []format.Format{f.From}
}

func formatNames() []string { return Names(formats.Names()) }

// formatValue is a flag value for the name of a format.
type formatValue format.Format

func (v *formatValue) Set(text string) error {
	if text != "" && !formats.Known(format.Format(text)) {
		return report.UnknownFormat(text, formatNames())
	}
	*v = formatValue(text)
	return nil
}

func (v *formatValue) String() string { return string(*v) }

func (*formatValue) Type() string { return "format" }
