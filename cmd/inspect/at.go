package inspect

import (
	"fmt"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/spf13/cobra"

	"github.com/eaapl/handoff/internal/cli"
	"github.com/eaapl/handoff/internal/input"
	"github.com/eaapl/handoff/internal/report"
	"github.com/eaapl/handoff/internal/term"
	"github.com/eaapl/handoff/pkg/jsonstream"
)

// A placed is the value at a JSON Pointer of a document.
type placed struct {
	Source  string         `json:"source"`
	Index   int            `json:"index"`
	Pointer string         `json:"pointer"`
	Value   jsontext.Value `json:"value,omitzero"` // absent if there is none
}

// showAt shows the value at a pointer of each document: indented, or as a record in JSON. It returns
// [cli.ErrNo] if a document has none.
func showAt(g *cli.Globals, c *cobra.Command, args []string, pointer string, out *cli.Facts) error {
	if _, ok := jsonstream.SplitPointer(pointer); !ok {
		return fmt.Errorf("--at %q is not a JSON Pointer: it begins with / and has ~ as ~0", pointer)
	}
	missing := false
	progress := g.NewProgress(c.ErrOrStderr())
	show := func(v placed) error {
		missing = missing || v.Value == nil
		switch {
		case out.JSON:
			return report.WriteJSON(out, v)
		case v.Value == nil:
			progress.Fail(fmt.Errorf("%s: message %d: has no value at %s", term.Visible(v.Source), v.Index+1, term.Visible(pointer)))
			return nil
		}
		text, err := jsonstream.AppendIndent(nil, v.Value)
		if err == nil {
			_, err = report.VisibleJSON{W: out}.Write(append(report.WithoutSecrets(text), '\n'))
		}
		return err
	}
	unread, err := cli.Each(g, c, args, progress, func(d input.Document) (placed, error) {
		v := placed{Source: d.Source.Name, Index: d.Index, Pointer: pointer}
		doc, err := d.Parse(g.Limits)
		if err == nil {
			if at := doc.Root().At(pointer); at.Exists() {
				v.Value = jsontext.Value(jsonstream.AppendCompact(nil, at.Raw()))
			}
		}
		return v, err
	}, show, out.Unreadable, out.Flush)
	return cli.Answer(err, unread, missing)
}
