package cli

import (
	"io"

	"github.com/spf13/cobra"

	"github.com/eaapl/handoff/internal/output"
	"github.com/eaapl/handoff/internal/report"
	"github.com/eaapl/handoff/internal/term"
)

// RegisterFormat registers -f of a command with the given formats, the first of which is the default. Other
// values are an error before the command runs.
func RegisterFormat(c *cobra.Command, p *string, usage string, formats []string) {
	c.Flags().StringVarP(p, "format", "f", formats[0], usage)
	Complete(c, "format", formats...)
	c.PreRunE = func(*cobra.Command, []string) error { return report.CheckFormat(*p, formats) }
}

// FactsFlags are the format and the output of a command that shows facts.
type FactsFlags struct {
	Format string
	Output string
}

// Register registers -f and -o.
func (f *FactsFlags) Register(c *cobra.Command, formatUsage, outputUsage string) {
	RegisterFormat(c, &f.Format, formatUsage, report.PlainFormats)
	c.Flags().StringVarP(&f.Output, "output", "o", "", outputUsage)
}

// Open opens the output for the facts.
func (f *FactsFlags) Open(g *Globals, c *cobra.Command) (*Facts, error) {
	out, err := g.Open(f.Output, c.OutOrStdout())
	if err != nil {
		return nil, err
	}
	colors := term.NewPalette(out.Stdout && term.UseColor(g.Color, c.OutOrStdout()))
	return &Facts{out, f.Format == "json", term.WidthOf(c.OutOrStdout()), colors}, nil
}

// Facts writes records as text or JSON.
type Facts struct {
	*output.File
	JSON  bool
	Width int
	term.Palette
}

// A Shown draws itself within a width in columns.
type Shown interface {
	WriteText(w io.Writer, columns int, colors term.Palette) error
}

// Unreadable writes the record of an unreadable document in JSON; as text, the error is on stderr.
func (f *Facts) Unreadable(u report.Unread) error {
	if !f.JSON {
		return nil
	}
	return report.WriteJSON(f.File, u)
}

// Print writes a record.
func (f *Facts) Print(r Shown) error {
	if f.JSON {
		return report.WriteJSON(f.File, r)
	}
	return r.WriteText(f.File, f.Width, f.Palette)
}
