package convert

import (
	"errors"
	"fmt"
	"strings"

	"github.com/eaapl/handoff/pkg/format"
	"github.com/eaapl/handoff/pkg/formats"
	"github.com/eaapl/handoff/pkg/jsonstream"
)

// Options say how to convert. The zero value converts what is valid, and makes up what
// the target asks for and the source does not have.
type Options struct {
	// From is the source's format; "" means the one that it looks like.
	From format.Format
	// Seed changes the identifiers that are made up.
	Seed string
	// Budget is the remaining budget in US dollars, a JSON number, of a canonical message
	// made of a source that has none; "" means 0, with which no receiver executes.
	Budget string
	// Strict refuses to make anything up: the error is then a [*MadeUpError].
	Strict bool
	// Lenient converts sources that break the rules of their own format. What is missing
	// counts as empty, what is of a wrong type is carried.
	Lenient bool
}

// A Result is a converted message.
type Result struct {
	Text   []byte // compact JSON
	Report Report
}

// ErrFormat reports a message of no format, or of one that cannot be converted.
var ErrFormat = errors.New("cannot be converted")

// A MadeUpError reports what would have to be made up.
type MadeUpError struct{ MadeUp []MadeUp }

func (e *MadeUpError) Error() string {
	var names []string
	for _, m := range e.MadeUp {
		where := "the source has no place for it"
		if m.Source != "" {
			where = "add it at " + m.Source
		}
		names = append(names, fmt.Sprintf("%s (%s)", m.Pointer, where))
	}
	return fmt.Sprintf("the source does not have what the target asks for: %s; without --strict it is made up", strings.Join(names, ", "))
}

// Convert returns a message in another format. The error wraps [ErrFormat], is a
// [*MadeUpError], with which the result has its report, or is [SourceErrors]. A message that
// is in the format already is returned as it is.
func Convert(doc *jsonstream.Document, to format.Format, options Options) (Result, error) {
	from, err := checkFormats(doc.Root(), to, options)
	if err != nil {
		return Result{}, err
	}
	source := nodeOf(doc)
	report := Report{From: from, To: to}
	if from == to {
		return Result{jsonstream.AppendCompact(nil, doc.Root().Raw()), report}, nil
	}
	filled := check(from, source)
	if len(filled) > 0 && !options.Lenient {
		return Result{}, SourceErrors(filled)
	}
	c := conversion{from, to, settings{strings.ToValidUTF8(options.Seed, "\uFFFD"), options.Budget}}
	target, t := c.convert(source)
	report.Filled = filled
	t.describe(&report, source, target)
	if options.Strict && len(report.MadeUp) > 0 {
		return Result{Report: report}, &MadeUpError{report.MadeUp}
	}
	return Result{target.compact(), report}, nil
}

// checkFormats checks that a message can be converted and returns its format.
func checkFormats(root jsonstream.Value, to format.Format, options Options) (format.Format, error) {
	from := options.From
	if from == "" {
		var ok bool
		if from, ok = formats.Detect(root); !ok {
			return "", fmt.Errorf("%w: found none of the members by which a format is known; name it with --from", ErrFormat)
		}
	}
	for _, f := range []format.Format{from, to} {
		if f == format.SW4RMResponse {
			return "", fmt.Errorf("%w: an SW4RM response is an answer, and carries no context", ErrFormat)
		}
		if _, ok := codecs[f]; !ok {
			return "", fmt.Errorf("%w: %q is no format: use one of %s", ErrFormat, string(f), names())
		}
	}
	if root.Kind() != jsonstream.Object {
		return "", fmt.Errorf("%w: expected an object, found %s", ErrFormat, root.Kind())
	}
	return from, options.Check()
}

// Check returns what is wrong with the options themselves: a budget that is no number, or
// is below zero.
func (o Options) Check() error {
	if o.Budget == "" {
		return nil
	}
	n, ok := parse([]byte(o.Budget))
	if !ok || !n.is(jsonstream.Number) || len(n.number()) != len(o.Budget) {
		return fmt.Errorf("%q is no number of US dollars: write it like 0.32", o.Budget)
	}
	if isNegative(n) {
		return fmt.Errorf("%s is below zero: what remains of a budget is 0 or more", o.Budget)
	}
	return nil
}

// Formats returns the formats that can be converted, the canonical one first.
func Formats() []format.Format {
	var list []format.Format
	for _, f := range formats.Names() {
		if _, ok := codecs[f]; ok {
			list = append(list, f)
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

// settings are the options that decide what is made up.
type settings struct{ seed, budget string }

// A conversion goes from one format to another.
type conversion struct {
	from, to format.Format
	settings
}

func (c conversion) back(s settings) conversion { return conversion{c.to, c.from, s} }

// A trace is what is known of a conversion.
type trace struct {
	meaning  meaning
	shape    node // of the source
	made     []MadeUp
	calls    []node  // items for results that have no call
	residue  residue // that the target carries
	place    string  // where
	restored bool    // from what the source carried
	settings         // of the conversion that made the source, if it is restored
	missed   []string
}

// convert returns the source in the other format: what it was made of, if it was, and
// otherwise its translation with a residue for the way back.
func (c conversion) convert(source node) (node, trace) {
	base, t := c.base(source)
	if c.valid(source, base, t) {
		return base, t
	}
	return c.attach(source, base, t)
}

// valid reports whether converting back what the source was made of, its base, gives the
// source.
func (c conversion) valid(source, base node, t trace) bool {
	if !t.restored {
		return false
	}
	back := c.back(t.settings)
	further, u := back.base(base)
	again, _ := back.attach(base, further, u)
	return same(again, source) && !back.valid(base, further, u)
}

// base returns what the source was made of, if it carries a residue for that, or its bare
// translation.
func (c conversion) base(source node) (node, trace) {
	bare, r, ok := strip(c.from, source, c.to)
	m, shape := codecs[c.from].read(view(c.from, bare))
	t := trace{meaning: m, shape: shape, restored: ok, settings: settings{r.seed, r.budget}}
	if !ok {
		k := &maker{seed: c.seed, budget: c.budget, source: source}
		target := unview(c.to, codecs[c.to].write(m, none, k))
		t.made, t.calls = k.made, k.calls
		return target, t
	}
	k := c.restorer(r, source)
	target, missed := r.restore(c.translate(m, r, k))
	if made := k.made; k.reveal(missed) {
		target, missed = r.restore(c.translate(m, r, k))
	} else {
		k.made = made
	}
	t.missed, t.made, t.calls = missed, k.made, k.calls
	return target, t
}

// restorer returns what makes up values for the translation of what carries a residue.
// What was known when the residue was made and is not any more is made up anew.
func (c conversion) restorer(r residue, source node) *maker {
	k := &maker{seed: c.seed, budget: c.budget, source: source, restoring: true, known: map[string]bool{}}
	for _, row := range rows {
		k.known[placeOf(row, c.to)] = true
	}
	for _, member := range elementsOf(r.unknown) {
		for _, row := range rows {
			if row.member == member.str() {
				delete(k.known, placeOf(row, c.to))
			}
		}
	}
	return k
}

// translate returns the view of what a message means in the format of a residue: the part
// that does not come from the residue.
func (c conversion) translate(m meaning, r residue, k *maker) node {
	return codecs[c.to].write(m.unmade(r.made), r.shape, k)
}

// unmade returns the meaning without the values that were made up.
func (m meaning) unmade(made node) meaning {
	for i, row := range rows {
		if was := made.get(row.member); m.values[i] != none && isText(was) && was.str() == m.values[i].digest().text() {
			m.values[i] = none
		}
	}
	return m
}

// attach returns the base of the source with a residue from which the source can be made
// again.
func (c conversion) attach(source, target node, t trace) (node, trace) {
	read, _ := codecs[c.to].read(view(c.to, target))
	made := object()
	for i, row := range rows {
		if t.meaning.values[i] == none && read.values[i] != none {
			made = made.with(row.member, text(read.values[i].digest().text()))
		}
	}
	var unknown []node
	for i, v := range read.unmade(made).values {
		if v == none && codecs[c.from].demands {
			unknown = append(unknown, text(rows[i].member))
		}
	}
	back := c.back(settings{})
	r := residue{format: c.from, shape: t.shape, seed: c.seed, budget: c.budget, made: made, unknown: array(unknown...)}
	r.note(source, back.translate(read, r, back.restorer(r, target)))
	t.residue = r
	target, t.place = store(c.to, target, r)
	return target, t
}
