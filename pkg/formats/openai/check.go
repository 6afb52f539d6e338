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

// CheckOptions say what [Check] goes by.
type CheckOptions struct {
	// Start and End are the markers of summaries, as in [NestOptions].
	Start, End string
	// InputProblems says what in the arguments of a call breaks the input schema
	// of the handoff, one line each; for a tool that is no handoff, or has no
	// schema, nothing. It is asked for every function_call whose arguments are a
	// JSON object; empty arguments of a handoff are one without members. The value
	// is of a document of its own. nil: not asked.
	InputProblems func(tool string, arguments jsonstream.Value) []string
}

// Check returns what is wrong with a HandoffInputData, in the order of the text;
// of what is at one place, in the order of [Rules]. What concerns the
// conversation as a whole (pairs of calls and results, duplicates) is asked of
// what the next agent gets: input_history, pre_handoff_items, and input_items
// or, where that is null or absent, new_items. A document that is no object gets
// one problem, of the rule [Shape]. Check is safe for concurrent use if
// InputProblems is.
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
	// Those of one place stay in the order of the rules.
	slices.SortStableFunc(c.found, func(a, b finding.Finding) int { return cmp.Compare(a.Offset, b.Offset) })
	return c.found
}

// firstEqual returns for each value the index of the first one that is equal to it.
func firstEqual(values []jsonstream.Value) []int {
	seed := maphash.MakeSeed()
	first := make([]int, len(values))
	different := make(map[uint64][]int, len(values)) // by their hashes: one of each, almost always
	for i, v := range values {
		hash := equal.Rule{}.Hash(seed, v)
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
	given   []jsonstream.Value // those of them that the next agent gets
	same    []int              // of given: the index of the first item that is equal

	rule  finding.Rule // that is being checked
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
