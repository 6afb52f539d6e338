package session

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/spf13/cobra"

	"github.com/eaapl/handoff/internal/bundle"
	"github.com/eaapl/handoff/internal/cli"
	"github.com/eaapl/handoff/internal/secrets"
	"github.com/eaapl/handoff/internal/term"
	"github.com/eaapl/handoff/pkg/format"
	"github.com/eaapl/handoff/pkg/jsonstream"
	"github.com/eaapl/handoff/pkg/privacy"
	"github.com/eaapl/handoff/pkg/redact"
	"github.com/eaapl/handoff/pkg/session"
)

// A redaction replaces personal data and credentials in a session and its files: a value by the same
// replacement everywhere.
type redaction struct {
	options  redact.Options
	replaced map[privacy.Class]int // the number of places
	masked   int                   // credentials
	kept     int                   // places with personal data in identifiers
}

func newRedaction(g *cli.Globals, c *cobra.Command) (*redaction, error) {
	scanner, err := cli.LoadPolicy(g, c, "")
	if err != nil {
		return nil, err
	}
	return &redaction{options: redact.Options{Scanner: scanner, Key: redact.NewRandomKey(), Limits: g.Limits}, replaced: map[privacy.Class]int{}}, nil
}

// session returns a redacted copy of a session's file, in an empty folder.
func (r *redaction) session(f *search, one file, dir string) (file, error) {
	text, err := one.text(f.Unpacking, bundle.MaxBytes)
	if err != nil {
		return file{}, err
	}
	s, err := session.Peek(bytes.NewReader(text), int64(len(text)), session.Options{Limits: f.Limits})
	if err != nil {
		return file{}, fmt.Errorf("%s: %w", term.Visible(one.path), err)
	}
	if text, err = r.lines(text, format.Format(s.Agent)); err != nil {
		return file{}, fmt.Errorf("%s: %w", term.Visible(one.path), err)
	}
	folder, err := r.text(projectRoot(filepath.Dir(filepath.Dir(one.path))))
	if err != nil {
		return file{}, err
	}
	return copyInto(dir, plainName(filepath.Base(one.path)), text, folder)
}

// lines redacts a session, which is one document or JSON Lines. A damaged line is redacted as text.
func (r *redaction) lines(text []byte, f format.Format) ([]byte, error) {
	if doc := oneDocument(text, r.options.Limits); doc != nil {
		return r.document(doc, f)
	}
	var out []byte
	for line := range bytes.Lines(text) {
		doc, err := jsonstream.Parse(jsonstream.NewRaw(bytes.TrimSpace(line)), r.options.Limits)
		if err == nil {
			line, err = r.document(doc, f)
			line = append(line, '\n')
		} else {
			var damaged string
			damaged, err = r.text(string(line))
			line = []byte(damaged)
		}
		if err != nil {
			return nil, err
		}
		out = append(out, line...)
	}
	return out, nil
}

// document redacts a JSON document.
func (r *redaction) document(doc *jsonstream.Document, f format.Format) ([]byte, error) {
	masked, err := r.mask(doc)
	if err != nil {
		return nil, err
	}
	o := r.options
	o.Format = f
	result, err := redact.Message(masked, o)
	for class, n := range result.Replaced {
		r.replaced[class] += n
	}
	r.kept += len(result.Kept)
	return result.Text, err
}

// mask masks the credentials in the strings of a document.
func (r *redaction) mask(doc *jsonstream.Document) (*jsonstream.Document, error) {
	draft, found := jsonstream.NewDraft(doc.Root()), 0
	for v := range doc.Root().All() {
		if v.Kind() != jsonstream.String {
			continue
		}
		if masked, n := secrets.Mask(v.Text()); n > 0 {
			found += n
			if err := draft.Set(v.Pointer(), format.Fill("%", masked)); err != nil {
				return nil, err
			}
		}
	}
	if found == 0 {
		return doc, nil
	}
	r.masked += found
	return draft.Document(jsonstream.Unlimited())
}

// text redacts a text that is not JSON. The error reports invalid UTF-8.
func (r *redaction) text(text string) (string, error) {
	if !utf8.ValidString(text) {
		return "", errors.New("not text in UTF-8, so that it cannot be redacted")
	}
	doc, err := parsed(format.Fill("%", text))
	if err != nil {
		return "", err
	}
	quoted, err := r.document(doc, "")
	if err != nil {
		return "", err
	}
	if doc, err = parsed(quoted); err != nil {
		return "", err
	}
	return doc.Root().Text(), nil
}

// report writes the numbers of replaced places and masked credentials.
func (r *redaction) report(w io.Writer) error {
	var parts []string
	for _, class := range slices.Sorted(maps.Keys(r.replaced)) {
		parts = append(parts, fmt.Sprintf("%d %s", r.replaced[class], class))
	}
	if r.masked > 0 {
		parts = append(parts, term.Counted(r.masked, "credential"))
	}
	if len(parts) == 0 {
		parts = []string{"nothing"}
	}
	text := "redacted: " + strings.Join(parts, ", ")
	if r.kept > 0 {
		text += fmt.Sprintf("; kept in identifiers: %d", r.kept)
	}
	_, err := fmt.Fprintln(w, text)
	return err
}
