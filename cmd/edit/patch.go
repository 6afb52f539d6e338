package edit

import (
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/eaapl/handoff/internal/cli"
	"github.com/eaapl/handoff/internal/input"
	"github.com/eaapl/handoff/internal/term"
	"github.com/eaapl/handoff/pkg/patch"
)

// patchTypes are the values of --type.
var patchTypes = []string{string(patch.Auto), string(patch.JSON), string(patch.Merge)}

// patchFlags are the flags of patch.
type patchFlags struct {
	cli.Rewriting
	cli.Layout
	kind    string
	reverse bool
}

func NewPatch(g *cli.Globals) *cobra.Command {
	f := &patchFlags{Rewriting: cli.Rewriting{Globals: g}}
	c := &cobra.Command{
		Use:   "patch FILE PATCH",
		Short: "Apply a JSON Patch or merge patch to messages",
		Long: `Patch applies PATCH to each message of FILE. PATCH is a JSON Patch (RFC 6902) if it is
an array, otherwise a merge patch (RFC 7386). One of the two files may be "-". All
values outside the patch stay the same, including the text of numbers.

A patch is applied as a whole or not at all. A message is left out, with exit code 1, if
a test fails or a location in the patch does not exist. If the patch itself is
malformed, the exit code is 2.

With --reverse, a JSON Patch is undone: FILE is the patched message. This requires a
test before each remove and replace; diff --invertible writes these tests.

The signature is not renewed: sign the message again.`,
		Example: `  handoff diff -f jsonpatch --invertible a.json b.json > change.json
  handoff patch a.json change.json
  handoff patch --reverse b.json change.json
  echo '{"status":null}' | handoff patch -i message.json -`,
		Args: cobra.ExactArgs(2),
		RunE: func(c *cobra.Command, args []string) error {
			if err := input.OneStdin(args[:1], args[1]); err != nil {
				return err
			}
			name, p, err := f.load(args[1], c.InOrStdin())
			if err != nil {
				return err
			}
			f.Rewrite = func(dst []byte, d input.Document, _ func(any)) ([]byte, error) {
				return f.apply(dst, d, p, name)
			}
			return f.Run(c, args[:1])
		},
	}
	f.RegisterOutput(c)
	f.RegisterInPlace(c)
	f.Layout.Register(c)
	c.Flags().BoolVarP(&f.reverse, "reverse", "R", false, "undo the patch")
	c.Flags().StringVar(&f.kind, "type", patchTypes[0], "patch type: auto, json or merge")
	cli.Complete(c, "type", patchTypes...)
	return c
}

// load reads the patch and returns its display name.
func (f *patchFlags) load(path string, stdin io.Reader) (string, *patch.Patch, error) {
	if !slices.Contains(patchTypes, f.kind) {
		return "", nil, fmt.Errorf("--type %q: use %s", f.kind, strings.Join(patchTypes, ", "))
	}
	doc, name, err := f.LoadDocument(path, stdin, f.Limits)
	if err != nil {
		return name, nil, err
	}
	p, err := patch.Parse(doc, patch.Type(f.kind))
	if malformed := (*patch.FormatError)(nil); errors.As(err, &malformed) {
		err = fmt.Errorf("%s:%d:%d: %s", name, malformed.Line, malformed.Column, term.Visible(malformed.Problem))
	}
	return name, p, err
}

// apply appends the patched message.
func (f *patchFlags) apply(dst []byte, d input.Document, p *patch.Patch, name string) ([]byte, error) {
	doc, err := d.Parse(f.Limits)
	if err != nil {
		return nil, err
	}
	change := p.Apply
	if f.reverse {
		change = p.Reverse
	}
	result, err := change(doc, f.Limits)
	if err == nil {
		return f.Append(dst, result.Root().Raw())
	}
	place := name
	failed := (*patch.OpError)(nil)
	if errors.As(err, &failed) {
		place = fmt.Sprintf("%s:%d:%d", name, failed.Line, failed.Column)
	}
	placed := fmt.Errorf("%s: %s: %w", d.Origin(), place, err)
	if errors.Is(err, patch.ErrIrreversible) || errors.As(err, new(*patch.LimitError)) {
		return nil, placed // not a rejection of the message
	}
	return nil, cli.Reject(placed)
}
