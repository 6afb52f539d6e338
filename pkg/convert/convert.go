package convert

import (
	"errors"
	"fmt"
	"strings"

	"github.com/go-json-experiment/json"

	"github.com/eaapl/handoff/pkg/finding"
	"github.com/eaapl/handoff/pkg/format"
	"github.com/eaapl/handoff/pkg/formats"
	"github.com/eaapl/handoff/pkg/internal/exchange"
	"github.com/eaapl/handoff/pkg/internal/tree"
	"github.com/eaapl/handoff/pkg/jsonstream"
)

// Options are the options of a conversion. The zero value converts valid messages, and makes up required
// values of the target that the source does not have.
type Options struct {
	// From is the source's format; "" means detection.
	From format.Format
	// Seed changes the identifiers that are made up.
	Seed string
	// Budget is the remaining budget in US dollars, a JSON number, for a canonical message made from a
	// source without one; "" means 0, and no receiver executes such a message.
	Budget string
	// FromAgent and ToAgent are the agents, and Timestamp the time (RFC 3339), of messages whose sources have
	// none; "" to make them up.
	FromAgent, ToAgent, Timestamp string
	// Strict rejects a source for which values would be made up: the error is then a
	// [*MadeUpError].
	Strict bool
	// Lenient converts sources that break the rules of their own format. Missing members
	// count as empty, and members of a wrong type are carried.
	Lenient bool
}

// A Result is a converted message.
type Result struct {
	Text   []byte // compact JSON, or JSON Lines for a format with such messages
	Report Report
}

// ErrFormat reports a message of an unknown format, or of one that cannot be converted.
var ErrFormat = errors.New("cannot be converted")

// ErrUnknown reports a message of no known format. It wraps [ErrFormat].
var ErrUnknown = fmt.Errorf("%w: the format is unknown", ErrFormat)

// A MadeUpError reports the values that would have to be made up.
type MadeUpError struct{ MadeUp []exchange.MadeUp }

func (e *MadeUpError) Error() string {
	var names []string
	for _, m := range e.MadeUp {
		where := "the source has no place for it"
		if m.Source != "" {
			where = "add it at " + m.Source
		}
		names = append(names, fmt.Sprintf("%s (%s)", m.Pointer, where))
	}
	return fmt.Sprintf("the source lacks values that the target requires: %s", strings.Join(names, ", "))
}

// Convert returns a message in another format. The error wraps [ErrFormat], or is a [*MadeUpError] or
// [SourceErrors]; with the latter two, the result has its report. A message already in the target format is
// checked like any other, and returned unchanged. Use [Checked] for sources that were not checked by their
// schema.
func Convert(doc *jsonstream.Document, to format.Format, options Options) (Result, error) {
	from, err := checkFormats(doc.Root(), to, options)
	if err != nil {
		return Result{}, err
	}
	source := tree.Of(doc)
	report := Report{From: from, To: to}
	var checker exchange.Checker
	sideOf(from).Codec.Check(&checker, source)
	if len(checker.Findings) > 0 && !options.Lenient {
		return Result{Report: report}, SourceErrors(checker.Findings)
	}
	if from == to {
		return Result{textOf(source, to), report}, nil
	}
	c := conversion{sideOf(from), sideOf(to), options.given()}
	target, t := c.convert(source)
	report.Filled = checker.Findings
	t.describe(c, &report, source, target)
	if options.Strict && len(report.MadeUp) > 0 {
		return Result{Report: report}, &MadeUpError{report.MadeUp}
	}
	return Result{textOf(target, to), report}, nil
}

// textOf returns the text of a message of a format.
func textOf(message tree.Node, f format.Format) []byte {
	if !formats.Named(f).IsLines() || !message.Is(jsonstream.Array) { // an object is not lines
		return message.Compact()
	}
	var lines []byte
	for c := message.Children(); c.Next(); {
		lines = append(c.Value.Append(lines), '\n')
	}
	return lines
}

// checkFormats checks that a message can be converted and returns its format.
func checkFormats(root jsonstream.Value, to format.Format, options Options) (format.Format, error) {
	from := options.From
	if from == "" {
		var ok bool
		if from, ok = formats.Detect(root); !ok {
			return "", formats.NoFormat(root, ErrUnknown)
		}
	}
	for _, f := range []format.Format{from, to} {
		switch d := formats.Named(f); {
		case d.Name == "":
			return "", fmt.Errorf("%w: %q is not a format: use one of %s", ErrFormat, string(f), names())
		case d.Exchange == nil:
			if d.Turns != nil {
				return "", fmt.Errorf("%w: there is no conversion for %s", ErrFormat, d.Title)
			}
			return "", fmt.Errorf("%w: an %s is an answer, which has no context", ErrFormat, d.Title)
		}
	}
	if d := formats.Named(from); root.Kind() != jsonstream.Object && (d.Exchange.Bare == "" && !d.IsLines() || root.Kind() != jsonstream.Array) {
		return "", fmt.Errorf("%w: expected an object, found %s", ErrFormat, root.Kind())
	}
	return from, options.Check()
}

// given returns the values for members that a source lacks.
func (o Options) given() exchange.Given {
	valid := func(text string) string { return strings.ToValidUTF8(text, "\uFFFD") }
	return exchange.Given{Seed: valid(o.Seed), Budget: o.Budget, From: valid(o.FromAgent), To: valid(o.ToAgent), Time: o.Timestamp}
}

// Check returns the error of invalid options: a budget that is not a number, or negative, or a timestamp that
// is not a time.
func (o Options) Check() error {
	if o.Timestamp != "" && !exchange.IsTime(tree.String(strings.ToValidUTF8(o.Timestamp, "\uFFFD"))) {
		return fmt.Errorf("%q is not a time: write it like 2026-06-12T09:30:00Z", o.Timestamp)
	}
	if o.Budget == "" {
		return nil
	}
	n, ok := tree.Parse([]byte(o.Budget))
	if !ok || !n.Is(jsonstream.Number) || len(n.NumberText()) != len(o.Budget) {
		return fmt.Errorf("%q is not an amount in US dollars: write it like 0.32", o.Budget)
	}
	if exchange.IsNegative(n) {
		return fmt.Errorf("%s is below zero: a remaining budget must be 0 or more", o.Budget)
	}
	return nil
}

// Formats returns the formats that can be converted, the canonical one first.
func Formats() []format.Format {
	var list []format.Format
	for _, d := range formats.All() {
		if d.Exchange != nil {
			list = append(list, d.Name)
		}
	}
	return list
}

func names() string {
	var list []string
	for _, f := range Formats() {
		list = append(list, string(f))
	}
	return strings.Join(list, ", ")
}

// SourceErrors are the findings about a source that breaks rules of its own format.
type SourceErrors []finding.Finding

func (e SourceErrors) Error() string {
	var lines []string
	for _, f := range e {
		lines = append(lines, f.PlacedMessage())
	}
	return strings.Join(lines, "; ")
}

// MarshalJSON writes the pointers and the problems.
func (e SourceErrors) MarshalJSON() ([]byte, error) {
	type problem struct {
		Pointer string `json:"pointer"`
		Problem string `json:"problem"`
	}
	list := make([]problem, len(e))
	for i, f := range e {
		list[i] = problem{f.Pointer, f.Message}
	}
	return json.Marshal(list)
}
