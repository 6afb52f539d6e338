// Package report writes the findings of a run as text, JSON, SARIF, JUnit or GitHub annotations.
package report

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/eaapl/handoff/internal/input"
	"github.com/eaapl/handoff/internal/nearest"
	"github.com/eaapl/handoff/internal/output"
	"github.com/eaapl/handoff/internal/remedy"
	"github.com/eaapl/handoff/pkg/jsonstream"
	"github.com/eaapl/handoff/pkg/validate"
)

// A Record is the result of a run for one document.
type Record struct {
	Source string `json:"source"`    // the file as named by the user
	Index  int    `json:"index"`     // 0-based, within the source
	ID     string `json:"handoffId"` // of the message or session, "" if it has none
	validate.Result
	Expected   string `json:"expected,omitzero"`   // with --expect: the expected outcome
	Unexpected bool   `json:"unexpected,omitzero"` // with --expect: the outcome differs
	Excess
	Origin  input.Origin   `json:"-"`
	Raw     jsonstream.Raw `json:"-"` // the document; without bytes if it is not in memory
	Score   float64        `json:"-"` // of its worst text, 0 to 1, if evidence is weighed
	Telling bool           `json:"-"` // gets a line even without findings
	Own     Own            `json:"-"` // nil for records in the form of validate
	Err     error          `json:"-"` // why the document could not be read; then there is no result

	excerpts []excerpt // of the findings; nil if they are not shown
}

// Own is the text and JSON form of a command's records. It must use only the findings that the record still
// has: those at the end may have been omitted.
type Own interface {
	Outcome(*Record) string // the outcome in a few words
	Text(*Record, *Page)
	JSON(*Record) any
}

// keep omits all findings but the first n.
func (r *Record) keep(n int) {
	r.Findings = r.Findings[:n]
	if n == 0 {
		r.Details = ""
	}
}

// outcome returns the outcome in a few words.
func (r *Record) outcome() string {
	outcome := "valid"
	switch {
	case r.Own != nil:
		outcome = r.Own.Outcome(r)
	case !r.Valid:
		outcome = cmp.Or(string(r.Reason), "invalid")
	}
	if r.Unexpected {
		outcome += ", but expected " + r.Expected
	}
	return outcome
}

// terse reports whether the record has no other information than its findings.
func (r *Record) terse() bool { return !r.Valid || r.Origin.Short && r.ID == "" }

// join merges the record of a later document into r.
func (r *Record) join(next *Record) {
	r.ID = ""
	if r.Format != next.Format {
		r.Format = ""
	}
	if r.Valid && !next.Valid {
		r.Valid, r.Reason = false, next.Reason
	}
	r.Unexpected = r.Unexpected || next.Unexpected
	r.Score = max(r.Score, next.Score)
}

// An Unread is a document, or the rest of a source, that could not be read.
type Unread struct {
	Source string // the file as named by the user
	Index  int    // 0-based, within the source
	Err    error
}

// problem returns the error with its remedy.
func (u Unread) problem() string { return u.Err.Error() + remedy.Of(u.Err) }

// MarshalJSON implements [json.Marshaler].
func (u Unread) MarshalJSON() ([]byte, error) {
	return marshal(struct {
		Source string `json:"source"`
		Index  int    `json:"index"`
		Error  string `json:"error"`
	}{u.Source, u.Index, u.problem()})
}

// A Printer writes the report of a run in one format.
type Printer interface {
	Ending
	Report(*Record) error // in the order of the input
}

// An Ending has the methods common to all reports.
type Ending interface {
	Unreadable(Unread) error // a document, or the rest of a source, that could not be read
	Close() error            // writes the end of the report
}

// Formats are the formats of validate's report.
var Formats = []string{"text", "json", "sarif", "junit", "github"}

// NewPrinter returns the printer of a format. text applies to the text format.
func NewPrinter(format string, w io.Writer, text Text) (Printer, error) {
	switch format {
	case "text":
		return &textReporter{w: w, Text: text}, nil
	case "json":
		return jsonReporter{w: w}, nil
	case "sarif":
		return newSARIF(w, BuildVersion()), nil
	case "junit":
		return newJUnit(w), nil
	case "github":
		return newGitHub(w), nil
	default:
		return nil, UnknownFormat(format, Formats)
	}
}

// A Choice selects the reports of a run and their outputs.
type Choice struct {
	Formats []string // of the command
	Format  string   // of the main report
	Output  string   // its file, "" for stdout
	Also    []string // further reports, each as FORMAT=FILE
	Quiet   bool     // omit the main report unless Output names a file
}

// A Set has all reports of a run: the main one, and the ones of --report.
type Set struct {
	outputs []*output.File
	reports []Ending
}

// Open opens the outputs of all reports, the main one with main and others with further, and returns the
// reports.
func Open(main, further func(path string, stdout io.Writer) (*output.File, error), stdout io.Writer, f Choice, create func(format string, w *output.File) (Ending, error)) (*Set, error) {
	wanted := []string{f.Format + "=" + f.Output}
	if f.Quiet && f.Output == "" {
		wanted = nil
	}
	all := &Set{}
	for i, want := range append(wanted, f.Also...) {
		format, path, ok := strings.Cut(want, "=")
		if !ok || i >= len(wanted) && path == "" {
			return nil, all.Close(fmt.Errorf("--report %q: write it as FORMAT=FILE", want))
		}
		if !slices.Contains(f.Formats, format) {
			return nil, all.Close(UnknownFormat(format, f.Formats))
		}
		open := further
		if i < len(wanted) {
			open = main
		}
		out, err := open(path, stdout)
		if err != nil {
			return nil, all.Close(err)
		}
		all.outputs = append(all.outputs, out)
		r, err := create(format, out)
		if err != nil {
			return nil, all.Close(err)
		}
		all.reports = append(all.reports, r)
	}
	return all, nil
}

// Unreadable implements [Ending] for all reports.
func (all *Set) Unreadable(u Unread) error {
	for _, r := range all.reports {
		if err := r.Unreadable(u); err != nil {
			return err
		}
	}
	return nil
}

// Flush flushes all reports.
func (all *Set) Flush() error {
	for _, out := range all.outputs {
		if err := out.Flush(); err != nil {
			return err
		}
	}
	return nil
}

// Close ends the reports, or discards them if err is not nil.
func (all *Set) Close(err error) error {
	for _, r := range all.reports {
		if err == nil {
			err = r.Close()
		}
	}
	for _, out := range all.outputs {
		err = out.Close(err)
	}
	return err
}

// PlainFormats are the formats of commands that print facts.
var PlainFormats = []string{"text", "json"}

// CheckFormat returns an error if format is not in known.
func CheckFormat(format string, known []string) error {
	if slices.Contains(known, format) {
		return nil
	}
	return UnknownFormat(format, known)
}

// UseOne returns the end of the error for an unknown name: the known name that was probably meant, or else
// all known names.
func UseOne(name string, known []string) string {
	if meant := nearest.Suggestion(name, known); meant != "" {
		return meant
	}
	return ": use one of " + strings.Join(known, ", ")
}

func UnknownFormat(format string, known []string) error {
	return fmt.Errorf("unknown format %q%s", format, UseOne(format, known))
}

// Bare is the Ending of a report without a closing part.
type Bare struct{}

// Unreadable writes nothing: there is no message, and the error is on stderr.
func (Bare) Unreadable(Unread) error { return nil }

func (Bare) Close() error { return nil }

type jsonReporter struct {
	Bare
	w io.Writer
}

func (j jsonReporter) Unreadable(u Unread) error { return WriteJSON(j.w, u) }

func (j jsonReporter) Report(r *Record) error {
	if r.Own != nil {
		return WriteJSON(j.w, r.Own.JSON(r))
	}
	return WriteJSON(j.w, r)
}
