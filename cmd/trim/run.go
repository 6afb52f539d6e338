package trim

import (
	"context"
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/eaapl/handoff/internal/cli"
	"github.com/eaapl/handoff/internal/input"
	"github.com/eaapl/handoff/pkg/format"
	"github.com/eaapl/handoff/pkg/jsonstream"
	"github.com/eaapl/handoff/pkg/sign"
	"github.com/eaapl/handoff/pkg/trim"
)

func (f *trimFlags) runTrim(c *cobra.Command, args []string) error {
	f.Format = f.From
	if err := f.Complete(f.Globals, c); err != nil {
		return err
	}
	key, err := f.signingKey(c)
	if err != nil {
		return err
	}
	if f.check != "" {
		if f.quiet {
			return errors.New("--check and --quiet: use one of them")
		}
		if f.labels, err = loadLabels(f.Globals, f.check); err != nil {
			return err
		}
	}
	err = f.rewrite(c, args, func(d input.Document) ([]byte, Record, error) { return f.trim(c.Context(), d, key) })
	if f.check != "" {
		if failure := f.writeFacts(c.ErrOrStderr()); failure != nil {
			return failure
		}
	}
	return err
}

// signingKey returns the key for signing trimmed messages, nil if none is configured.
func (f *trimFlags) signingKey(c *cobra.Command) (*sign.Key, error) {
	keys, err := f.keys.Load(f.Globals, c)
	if err != nil || len(keys) == 0 {
		return nil, err
	}
	if len(keys) > 1 {
		return nil, errors.New("there are several keys: name the key for signing trimmed messages")
	}
	return &keys[0], keys[0].MaySign()
}

// rewrite trims the messages in order, archives the removed turns and reports them.
func (f *trimFlags) rewrite(c *cobra.Command, args []string, trim func(input.Document) ([]byte, Record, error)) error {
	if f.archive != "" {
		if err := f.ClaimArchive(f.archive); err != nil {
			return err
		}
	}
	f.Rewrite = func(dst []byte, d input.Document, publish func(any)) ([]byte, error) {
		text, report, err := trim(d)
		if err != nil {
			return nil, err
		}
		publish(report)
		return f.appendText(dst, d, text)
	}
	f.listing = newListing(c.ErrOrStderr(), f.verbose)
	f.Publish = func(news []any) error { return f.report(c.ErrOrStderr(), news) }
	err := f.Rewriting.Run(c, args)
	if failure := f.listing.Close(); failure != nil {
		return failure
	}
	return err
}

// appendText appends the trimmed document, in the requested layout or as JSON Lines.
func (f *trimFlags) appendText(dst []byte, d input.Document, text []byte) ([]byte, error) {
	if d.Raw.Lines {
		return append(dst, text...), nil
	}
	return f.Layout.Append(dst, text)
}

// Trim trims a message that was read from, or converted from, a document, and returns the record of it.
func (f *Flags) Trim(ctx context.Context, d input.Document, doc *jsonstream.Document, limits jsonstream.Limits) (trim.Result, Record, error) {
	r, more, err := trim.Fit(ctx, doc, limits, f.Options) // more is the number of turns kept in addition to --last
	switch over := (*trim.OverError)(nil); {
	case errors.Is(err, trim.ErrNoLimit):
		return r, Record{}, fmt.Errorf("%s: no limit is set: use --context-window, --max-tokens, --max-bytes or --last", d.Origin())
	case errors.As(err, &over):
		return r, Record{}, cli.Reject(fmt.Errorf("%s: %w; raise the limit, lower --keep-turns, or remove more with --also", d.Origin(), err))
	case err != nil:
		return r, Record{}, cli.InDocument(d, err)
	}
	report := Record{
		Source: d.Source.Name, Index: d.Index, Changed: r.Changed, Record: r.Record, CostUSD: r.Cost,
		place: d.Origin(), archive: r.Archive, costShare: r.Share, turnsGone: r.Gone, summarised: r.Summarised, turnsMore: more,
	}
	if r.FellBack != nil {
		report.FellBack = r.FellBack.Error()
	}
	return r, report, nil
}

// trim trims one message.
func (f *trimFlags) trim(ctx context.Context, d input.Document, key *sign.Key) ([]byte, Record, error) {
	doc, err := d.Parse(f.Limits)
	if err != nil {
		return nil, Record{}, err
	}
	r, report, err := f.Flags.Trim(ctx, d, doc, f.Limits)
	if err != nil {
		return nil, Record{}, err
	}
	if f.labels != nil {
		after, err := jsonstream.Parse(doc.Raw().With(r.Text), jsonstream.Unlimited())
		if err == nil {
			report.Facts, err = f.labels.check(doc, after, f.From, f.Limits)
		}
		if err != nil {
			return nil, Record{}, cli.InDocument(d, err)
		}
	}
	if r.Signed {
		report.Signature = "removed"
		if key != nil && r.Format == format.EAAPL {
			if r.Text, err = cli.SignAgain(r.Text, *key); err != nil {
				return nil, Record{}, fmt.Errorf("%s: signing again: %w", d.Origin(), err)
			}
			report.Signature = "renewed"
		}
	}
	return r.Text, report, nil
}
