package trim

import (
	"errors"

	"github.com/spf13/cobra"

	"github.com/eaapl/handoff/internal/cli"
	"github.com/eaapl/handoff/internal/input"
	"github.com/eaapl/handoff/pkg/history"
)

func (f *trimFlags) runRestore(c *cobra.Command, args []string) error {
	if f.archive != "" {
		return errors.New("--archive and --restore: use one of them")
	}
	archive, closeArchive, err := openArchive(f.Globals, f.restore)
	if err != nil {
		return err
	}
	defer closeArchive() // read only: nothing can be lost
	f.Rewrite = func(dst []byte, d input.Document, _ func(any)) ([]byte, error) {
		doc, err := d.Parse(f.Limits)
		if err != nil {
			return nil, err
		}
		text, err := archive.Restore(doc, f.From, f.Limits)
		if err != nil {
			err = cli.InDocument(d, err)
			mismatch, unread := (*history.MismatchError)(nil), (*history.CarrierError)(nil)
			if !errors.Is(err, history.ErrFormat) && !errors.As(err, &mismatch) && !errors.As(err, &unread) {
				err = cli.Reject(err)
			}
			return nil, err
		}
		return f.appendText(dst, d, text)
	}
	return f.Rewriting.Run(c, args)
}
