package openai

import (
	"cmp"
	"fmt"
	"hash/maphash"
	"slices"

	"github.com/eaapl/handoff/pkg/finding"
	"github.com/eaapl/handoff/pkg/internal/equal"
	"github.com/eaapl/handoff/pkg/jsonstream"
)

// CheckOptions configure [Check].
type CheckOptions struct {
	// Start and End are the markers of summaries, as in [NestOptions].
	Start, End string
	// InputProblems returns how the arguments of a call break the input schema of the
	// handoff, one line each; nothing for a tool that is not a handoff or has no schema. It
	// is called for every function_call whose arguments are a JSON object; empty arguments
	// of a handoff count as an empty object. The value belongs to a document of its own. If
	// nil, inputs are not checked.
	InputProblems func(tool string, arguments jsonstream.Value) []string
}

// Check returns what is wrong with a HandoffInputData, in the order of the text, and at one
// place in the order of [Rules]. Rules about the conversation as a whole (pairs of calls
// and results, duplicates) look at what the next agent gets: input_history,
// pre_handoff_items, and input_items or, if that is null or absent, new_items. A document
// that is not an object has one finding, of the rule [Shape]. Check is safe for concurrent
// use if InputProblems is.
func Check(doc *jsonstream.Document, o CheckOptions) []finding.Finding {
	c := &checker{o: o, markers: newMarkers(o.Start, o.End), data: doc.Root()}
	for _, e := range entries(c.data) {
		if e.item.Kind() != jsonstream.Object {
			continue
		}
		c.all = append(c.all, e.item)
		if e.given {
			c.given = append(c.given, e.item)
		}
	}
	c.same = firstEqual(c.given)
	for _, r := range checks() {
		c.rule = r.Rule
		r.check(c)
	}
	// Stable: findings at one place stay in the order of the rules.
	slices.SortStableFunc(c.found, func(a, b finding.Finding) int { return cmp.Compare(a.Offset, b.Offset) })
	return c.found
}

// firstEqual returns for each value the index of the first one that is equal to it.
func firstEqual(values []jsonstream.Value) []int {
	seed := maphash.MakeSeed()
	first := make([]int, len(values))
	different := make(map[uint64][]int, len(values)) // by hash; almost always one each
	for i, v := range values {
		hash := equal.Relation{}.Hash(seed, v)
		among := different[hash]
		at := slices.IndexFunc(among, func(j int) bool { return equal.Values(values[j], v) })
		if at < 0 {
			at, among = len(among), append(among, i)
			different[hash] = among
		}
		first[i] = among[at]
	}
	return first
}

// A checker collects what is wrong with a document.
type checker struct {
	o       CheckOptions
	markers markers
	data    jsonstream.Value
	all     []jsonstream.Value // the items of all lists that are objects
	given   []jsonstream.Value // those that the next agent gets
	same    []int              // of given: the index of the first item that is equal

	rule  finding.Rule // the rule that is being checked
	found []finding.Finding
}

func (c *checker) report(at jsonstream.Value, format string, args ...any) {
	c.reportAt(at, at.Position(), format, args...)
}

func (c *checker) reportAt(at jsonstream.Value, position jsonstream.Position, format string, args ...any) {
	f := finding.Finding{
		Rule: c.rule.ID, Layer: c.rule.Layer, Reason: c.rule.Reason, Severity: c.rule.Severity, Message: fmt.Sprintf(format, args...),
	}
	c.found = append(c.found, f.At(f.On(at).Pointer, position))
}
