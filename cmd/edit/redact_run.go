package edit

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"slices"
	"strings"
	"sync/atomic"

	"github.com/spf13/cobra"

	"github.com/eaapl/handoff/internal/cli"
	"github.com/eaapl/handoff/internal/input"
	"github.com/eaapl/handoff/internal/regular"
	"github.com/eaapl/handoff/internal/report"
	"github.com/eaapl/handoff/internal/term"
	"github.com/eaapl/handoff/pkg/jsonstream"
	"github.com/eaapl/handoff/pkg/privacy"
	"github.com/eaapl/handoff/pkg/redact"
)

// A redactRecord is the report on one message.
type redactRecord struct {
	Source    string                `json:"source"`
	Index     int                   `json:"index"`
	Replaced  map[privacy.Class]int `json:"replaced,omitzero"` // places, by class
	Values    int                   `json:"values,omitzero"`   // the number of distinct values
	Kept      []redact.Kept         `json:"kept,omitzero"`     // because the place identifies something
	Typed     bool                  `json:"typed,omitzero"`    // numbers have become strings
	Signature string                `json:"signature,omitzero"`
	Restored  int                   `json:"restored,omitzero"`
	Exact     bool                  `json:"exact,omitzero"`     // the restored message is the original, without its white space
	Missing   []string              `json:"missing,omitzero"`   // replacements that could not be restored
	Originals int                   `json:"originals,omitzero"` // the number of distinct originals in the vault, if more than one
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
		o.Sign = func(text []byte) ([]byte, error) { return cli.SignAgain(text, keys[0]) }
	}
	if f.vault != "" {
		if err := f.checkVault(c.ErrOrStderr(), key); err != nil {
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

// rewrite writes the result of change for each document, and the report. Documents are read as compact JSON,
// in the form in which they are written: a vault identifies them by their bytes.
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

// checkVault returns an error if entries cannot be appended to the vault.
func (f *redactFlags) checkVault(stderr io.Writer, key *redact.Key) error {
	if err := f.ClaimAppended("--vault", f.vault); err != nil {
		return err
	}
	text, err := regular.ReadFile(f.vault)
	if errors.Is(err, fs.ErrNotExist) {
		return nil // it will be created
	}
	if err != nil {
		return fmt.Errorf("--vault %s: %w", f.vault, term.PlainError(err))
	}
	vault, err := f.openVault(text, key)
	if err != nil {
		return err
	}
	for _, e := range vault.Damaged() {
		term.Warn(stderr, f.damage(e).Error())
	}
	return nil
}

// openVault opens the vault. Errors have its line.
func (f *redactFlags) openVault(text []byte, key *redact.Key) (*redact.Vault, error) {
	vault, err := redact.OpenVault(text, key)
	if line := (*redact.LineError)(nil); errors.As(err, &line) {
		remedy := "name a vault file"
		if errors.Is(err, redact.ErrKey) {
			remedy = "name the secret of this vault with --secret-file"
		}
		return nil, fmt.Errorf("%s:%d: %w; %s", f.vault, line.Line, line.Err, remedy)
	}
	return vault, err
}

// damage returns an error for a damaged line of the vault.
func (f *redactFlags) damage(e redact.LineError) error {
	return fmt.Errorf("%s:%d: %w; its values cannot be restored: copy the line from a backup of the vault, or remove it", f.vault, e.Line, e.Err)
}

func (f *redactFlags) runRestore(c *cobra.Command, args []string, key *redact.Key) error {
	in, closeVault, err := f.OpenFile(f.vault)
	if err != nil {
		return fmt.Errorf("--vault %w", err)
	}
	defer closeVault() // read only: nothing can be lost
	text, err := io.ReadAll(in)
	if err != nil {
		return fmt.Errorf("--vault %s: %w", f.vault, term.PlainError(err))
	}
	vault, err := f.openVault(text, key)
	if err != nil {
		return err
	}
	damaged := vault.Damaged()
	for _, e := range damaged {
		term.PrintError(c.ErrOrStderr(), f.damage(e))
	}
	var unknown, incomplete atomic.Bool // unknown: a message may be incomplete; incomplete: one is
	err = f.rewrite(c, args, func(doc *jsonstream.Document) ([]byte, redactRecord, error) {
		r, err := vault.Restore(doc, f.From, f.Limits)
		if err == nil && !r.Exact && len(damaged) > 0 {
			unknown.Store(true)
		}
		if len(r.Missing) > 0 || r.Originals > 0 {
			incomplete.Store(true)
		}
		return r.Text, redactRecord{Restored: r.Values, Exact: r.Exact, Missing: r.Missing, Originals: r.Originals}, err
	})
	switch {
	case err != nil:
		return err
	case unknown.Load():
		return cli.ErrReported
	case incomplete.Load():
		return cli.ErrNo
	default:
		return nil
	}
}

// report appends the replaced values to the vault and then reports them.
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

// restoredText describes the restored values.
func (r redactRecord) restoredText() string {
	places := term.Plural(r.Restored, "place") + " restored"
	switch {
	case r.Exact:
		return places + ": identical to the original, apart from white space"
	case r.Originals > 0:
		return fmt.Sprintf("%s: identical, apart from white space, to the last of %d different originals in the vault", places, r.Originals)
	case r.Restored == 0 && r.Missing == nil:
		return "the vault has no value for it"
	}
	text := places + "; the message has changed since it was redacted"
	if n := len(r.Missing); n > 0 {
		const shown = 10
		list := strings.Join(r.Missing[:min(n, shown)], ", ")
		if n > shown {
			list += ", …"
		}
		text += fmt.Sprintf("; %s not restored, because the vault has no value or several: %s", term.Plural(n, "replacement"), term.Visible(list))
	}
	return text
}

// text describes the changes for people, "" if there are none.
func (r redactRecord) text(restore bool) string {
	if restore {
		return r.restoredText()
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
		parts = append(parts, fmt.Sprintf("%s: %s is kept, because it is an identifier", term.Visible(k.Pointer), k.Class))
	}
	if r.Typed {
		parts = append(parts, "numbers became strings")
	}
	if r.Signature != "" {
		parts = append(parts, "signature "+r.Signature)
	}
	return strings.Join(parts, "; ")
}
