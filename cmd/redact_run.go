package cmd

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/eaapl/handoff/cmd/internal/claim"
	"github.com/eaapl/handoff/cmd/internal/cli"
	"github.com/eaapl/handoff/cmd/internal/input"
	"github.com/eaapl/handoff/cmd/internal/report"
	"github.com/eaapl/handoff/cmd/internal/term"
	"github.com/eaapl/handoff/pkg/jsonstream"
	"github.com/eaapl/handoff/pkg/privacy"
	"github.com/eaapl/handoff/pkg/redact"
)

// A redactRecord is what redact reports of one message.
type redactRecord struct {
	Source    string                `json:"source"`
	Index     int                   `json:"index"`
	Replaced  map[privacy.Class]int `json:"replaced,omitzero"` // places, by class
	Values    int                   `json:"values,omitzero"`   // how many different ones
	Kept      []redact.Kept         `json:"kept,omitzero"`     // in what identifies something
	Typed     bool                  `json:"typed,omitzero"`    // numbers have become strings
	Signature string                `json:"signature,omitzero"`
	Restored  int                   `json:"restored,omitzero"`
	Exact     bool                  `json:"exact,omitzero"` // what was restored is the original, byte for byte
	place     input.Origin
	entry     []byte
}

func (f *redactFlags) runRedact(c *cobra.Command, args []string, key *redact.Key) error {
	scanner, err := cli.LoadPolicy(f.Globals, c, f.policy)
	if err != nil {
		return err
	}
	o := redact.Options{Scanner: scanner, Key: key, KeepFormat: f.keepFormat, Vault: f.vault != "", Format: f.From, Limits: f.Limits}
	keys, err := f.keys.Load(f.Globals, c)
	if err != nil {
		return err
	}
	if len(keys) > 0 {
		if err := keys[0].MaySign(); err != nil {
			return err
		}
		o.Sign = func(text []byte) ([]byte, error) { return signText(text, keys[0]) }
	}
	if f.vault != "" {
		if err := f.checkVault(key); err != nil {
			return err
		}
	}
	return f.rewrite(c, args, func(doc *jsonstream.Document) ([]byte, redactRecord, error) {
		r, err := redact.Message(doc, o)
		record := redactRecord{Replaced: r.Replaced, Values: r.Values, Kept: r.Kept, Typed: r.Typed, entry: r.Entry}
		if r.Signed {
			record.Signature = "removed"
			if o.Sign != nil {
				record.Signature = "renewed"
			}
		}
		return r.Text, record, err
	})
}

// rewrite writes what change makes of each document, and reports it. A document is read as
// compact JSON, as it is written: a vault finds it by its bytes.
func (f *redactFlags) rewrite(c *cobra.Command, args []string, change func(*jsonstream.Document) ([]byte, redactRecord, error)) error {
	f.Rewrite = func(dst []byte, d input.Document, publish func(any)) ([]byte, error) {
		doc, err := d.Parse(f.Limits)
		if err != nil {
			return nil, err
		}
		doc, err = jsonstream.Parse(doc.Raw().With(jsonstream.AppendCompact(nil, doc.Root().Raw())), jsonstream.Unlimited())
		if err != nil {
			return nil, err
		}
		text, record, err := change(doc)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", d.Origin(), err)
		}
		record.Source, record.Index, record.place = d.Source.Name, d.Index, d.Origin()
		publish(record)
		return f.Layout.Append(dst, text)
	}
	f.Publish = func(news []any) error { return f.report(c.ErrOrStderr(), news) }
	return f.Rewriting.Run(c, args)
}

// checkVault returns why entries cannot be appended to the vault.
func (f *redactFlags) checkVault(key *redact.Key) error {
	if err := f.ClaimAppended("--vault", f.vault); err != nil {
		return err
	}
	text, err := os.ReadFile(f.vault)
	if errors.Is(err, fs.ErrNotExist) {
		return nil // it is made
	}
	if err == nil {
		_, err = redact.OpenVault(text, key)
	}
	if err != nil {
		return fmt.Errorf("--vault %s: %w", f.vault, term.PlainError(err))
	}
	return nil
}

func (f *redactFlags) runRestore(c *cobra.Command, args []string, key *redact.Key) error {
	if err := f.Reader.Claims.File(f.vault, f.vault, claim.AsInput); err != nil {
		return err
	}
	text, err := os.ReadFile(f.vault)
	if err != nil {
		return fmt.Errorf("--vault %s: %w", f.vault, term.PlainError(err))
	}
	vault, err := redact.OpenVault(text, key)
	if err != nil {
		return fmt.Errorf("--vault %s: %w", f.vault, err)
	}
	return f.rewrite(c, args, func(doc *jsonstream.Document) ([]byte, redactRecord, error) {
		r, err := vault.Restore(doc, f.From, f.Limits)
		return r.Text, redactRecord{Restored: r.Values, Exact: r.Exact}, err
	})
}

// report adds to the vault what was replaced, and then reports it.
func (f *redactFlags) report(stderr io.Writer, news []any) error {
	var lines []byte
	for _, n := range news {
		if entry := n.(redactRecord).entry; entry != nil {
			lines = append(append(lines, entry...), '\n')
		}
	}
	if lines != nil {
		if err := f.AppendLocked(f.vault, lines); err != nil {
			return err
		}
	}
	if f.quiet {
		return nil
	}
	for _, n := range news {
		r := n.(redactRecord)
		if f.format == "json" {
			if err := report.WriteJSON(stderr, r); err != nil {
				return err
			}
		} else if text := r.text(f.restore); text != "" {
			fmt.Fprintf(stderr, "handoff: %s: %s\n", r.place, text)
		}
	}
	return nil
}

// text says what was done, for people; "" for nothing.
func (r redactRecord) text(restore bool) string {
	if restore {
		switch {
		case r.Exact:
			return fmt.Sprintf("%s restored: it is the original", term.Plural(r.Restored, "place"))
		case r.Restored > 0:
			return fmt.Sprintf("%s restored; the message is not the one that was redacted", term.Plural(r.Restored, "place"))
		}
		return "nothing of it is in the vault"
	}
	var parts []string
	if len(r.Replaced) > 0 {
		places := 0
		var classes []string
		for _, class := range slices.Sorted(maps.Keys(r.Replaced)) {
			places += r.Replaced[class]
			classes = append(classes, fmt.Sprintf("%s %d", class, r.Replaced[class]))
		}
		parts = append(parts, fmt.Sprintf("%s of %s replaced (%s)", term.Plural(places, "place"), term.Plural(r.Values, "value"), strings.Join(classes, ", ")))
	}
	for _, k := range r.Kept {
		parts = append(parts, fmt.Sprintf("%s: %s stays, since it identifies something", term.Visible(k.Pointer), k.Class))
	}
	if r.Typed {
		parts = append(parts, "numbers became strings")
	}
	if r.Signature != "" {
		parts = append(parts, "signature "+r.Signature)
	}
	return strings.Join(parts, "; ")
}
