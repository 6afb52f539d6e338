package sw4rm

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	"github.com/eaapl/handoff/internal/claim"
	"github.com/eaapl/handoff/internal/cli"
	"github.com/eaapl/handoff/internal/input"
	"github.com/eaapl/handoff/internal/regular"
	"github.com/eaapl/handoff/internal/term"
	"github.com/eaapl/handoff/pkg/format"
	"github.com/eaapl/handoff/pkg/formats"
	"github.com/eaapl/handoff/pkg/formats/sw4rm"
	"github.com/eaapl/handoff/pkg/jsonstream"
)

// external is the common part of externalize and internalize.
type external struct {
	cli.Rewriting
	dir string
}

func newExternalize(g *cli.Globals) *cobra.Command {
	f := &external{Rewriting: cli.Rewriting{Globals: g, KeepsEnds: true}}
	c := &cobra.Command{
		Use:   "externalize --data-dir DIR [FILE|DIR|-]...",
		Short: "Replace binary data in contexts by references",
		Long: `Externalize writes the binary data embedded in contexts and in the snapshots of requests
(sw4rm/embedded-binary) to files in a folder, and leaves a reference in its place, as
the document advises: the SHA-256 of the content, which is also the file name, and the
form of the original string. All other bytes stay the same. "handoff sw4rm internalize"
restores the data.`,
		Example: `  handoff sw4rm externalize --data-dir blobs/ context.json > small.json`,
		RunE:    func(c *cobra.Command, args []string) error { return f.externalize(c, args) },
	}
	c.Flags().StringVar(&f.dir, "data-dir", "", "output `DIR` for the data")
	return f.complete(c)
}

func newInternalize(g *cli.Globals) *cobra.Command {
	f := &external{Rewriting: cli.Rewriting{Globals: g, KeepsEnds: true}}
	c := &cobra.Command{
		Use:   "internalize --data-dir DIR [FILE|DIR|-]...",
		Short: "Restore binary data in contexts",
		Long: `Internalize replaces references by the data that "handoff sw4rm externalize" has stored.
A file whose content does not match the reference is an error.`,
		Example: `  handoff sw4rm internalize --data-dir blobs/ small.json > context.json`,
		RunE:    func(c *cobra.Command, args []string) error { return f.internalize(c, args) },
	}
	c.Flags().StringVar(&f.dir, "data-dir", "", "input `DIR` with the data")
	return f.complete(c)
}

func (f *external) complete(c *cobra.Command) *cobra.Command {
	f.RegisterOutput(c)
	f.RegisterInPlace(c)
	cli.OnlyForCall(c, "data-dir")
	_ = c.MarkFlagDirname("data-dir")
	return c
}

// each rewrites the contexts and requests that the arguments name. publish receives the second result of
// change.
func (f *external) each(c *cobra.Command, args []string, change func(*jsonstream.Document, format.Format) ([]byte, any, error), publish func(any) error) error {
	f.Rewrite = func(dst []byte, d input.Document, news func(any)) ([]byte, error) {
		doc, err := d.Parse(f.Limits)
		if err != nil {
			return nil, err
		}
		kind, _ := formats.Detect(doc.Root())
		if kind != format.SW4RMContext && kind != format.SW4RMRequest {
			return nil, fmt.Errorf("%s: neither a HandoffContext nor a HandoffRequest", d.Origin())
		}
		text, one, err := change(doc, kind)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", d.Origin(), err)
		}
		if one != nil {
			news(one)
		}
		return append(dst, text...), nil
	}
	f.Publish = func(all []any) error {
		for _, one := range all {
			if err := publish(one); err != nil {
				return err
			}
		}
		return nil
	}
	return f.Run(c, args)
}

func (f *external) externalize(c *cobra.Command, args []string) error {
	if f.dir == "" {
		return errors.New("--data-dir: name the folder that gets the data")
	}
	if err := os.MkdirAll(f.dir, 0o777); err != nil {
		return err
	}
	return f.each(c, args, func(doc *jsonstream.Document, kind format.Format) ([]byte, any, error) {
		text, blobs, err := sw4rm.Externalize(doc, kind, f.Limits)
		return text, blobs, err
	}, func(blobs any) error {
		for _, b := range blobs.([]sw4rm.Blob) {
			if err := f.keep(b); err != nil {
				return err
			}
		}
		return nil
	})
}

// keep writes data to its file, unless the file has it already. It runs before the message that refers to the
// file is written.
func (f *external) keep(b sw4rm.Blob) error {
	path := filepath.Join(f.dir, b.Name)
	if has, err := regular.ReadFile(path); err == nil && bytes.Equal(has, b.Content) {
		return nil
	}
	out, err := f.Create(path, nil)
	if err != nil {
		return err
	}
	_, err = out.Write(b.Content)
	return out.Close(err)
}

func (f *external) internalize(c *cobra.Command, args []string) error {
	if f.dir == "" {
		return errors.New("--data-dir: name the folder that has the data")
	}
	return f.each(c, args, func(doc *jsonstream.Document, kind format.Format) ([]byte, any, error) {
		text, _, err := sw4rm.Internalize(doc, kind, f.Limits, f.fetch)
		return text, nil, err
	}, func(any) error { return nil })
}

func (f *external) fetch(name string) ([]byte, error) {
	path := filepath.Join(f.dir, name)
	if err := f.Reader.Claims.File(path, path, claim.AsInput); err != nil {
		return nil, err
	}
	file, err := regular.Open(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("%w in %s", sw4rm.ErrNoBlob, term.Visible(f.dir))
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w", term.Visible(path), term.PlainError(err))
	}
	defer file.Close() // read only: nothing can be lost
	content, err := input.MessageBound(f.Limits).ReadAll(file)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", term.Visible(path), err)
	}
	return content, nil
}
