package convert

import (
	"bytes"
	"flag"
	"fmt"
	"testing"

	"pgregory.net/rapid"

	"github.com/eaapl/handoff/internal/tier"
	"github.com/eaapl/handoff/pkg/format"
	"github.com/eaapl/handoff/pkg/formats"
	"github.com/eaapl/handoff/pkg/internal/tree"
	"github.com/eaapl/handoff/pkg/jsonstream"
)

var cases = flag.Int("convert.cases", tier.Count(20, 200), "how many messages to convert for each pair of formats")

// forAll runs a property on n cases.
func forAll(t *testing.T, property func(*rapid.T)) {
	t.Helper()
	if err := flag.Set("rapid.checks", fmt.Sprint(*cases)); err != nil {
		t.Fatal(err)
	}
	rapid.Check(t, property)
}

// fataler is the common interface of tests and properties.
type fataler interface {
	Helper()
	Fatalf(string, ...any)
}

// parsed reads a JSON text or JSON Lines.
func parsed(t fataler, text []byte) *jsonstream.Document {
	t.Helper()
	doc, err := jsonstream.Parse(jsonstream.NewRaw(text), jsonstream.Limits{})
	if err != nil {
		var failure error
		if doc, failure = jsonstream.ParseLines(jsonstream.NewRaw(text), jsonstream.Limits{}); failure != nil {
			t.Fatalf("%v: %s", err, text)
		}
	}
	return doc
}

// parsedIn reads a message of a format. For a JSON Lines format, text may also be an array.
func parsedIn(t fataler, text []byte, f format.Format) *jsonstream.Document {
	t.Helper()
	if formats.Named(f).IsLines() && bytes.HasSuffix(text, []byte("\n")) {
		if doc, err := jsonstream.ParseLines(jsonstream.NewRaw(text), jsonstream.Limits{}); err == nil {
			return doc
		}
	}
	return parsed(t, text)
}

// converted converts a message whose format is known.
func converted(t fataler, text []byte, from, to format.Format) []byte {
	t.Helper()
	r, err := Convert(parsedIn(t, text, from), to, Options{From: from, Lenient: true})
	if err != nil {
		t.Fatalf("%s to %s: %v: %s", from, to, err, text)
	}
	return r.Text
}

// mustEqual fails unless two JSON texts are equal. Numbers are compared as written.
func mustEqual(t fataler, got, want []byte) {
	t.Helper()
	a, b := tree.Of(parsed(t, got)), tree.Of(parsed(t, want))
	if !tree.Same(a, b) {
		for _, d := range differences(a, b, nil) {
			t.Fatalf("differs at %s\ngot  %s\nwant %s", d.at, got, want)
		}
	}
}

// isChat reports whether a format is one of chat histories.
func isChat(f format.Format) bool { d := formats.Named(f); return d.Known != nil && d.Turns != nil }

// eachPair runs a test for each pair of formats, except for pairs of a chat format with another
// format that is not the canonical one. [TestWalk] and [TestCycle] have these at random.
func eachPair(t *testing.T, f func(t *testing.T, from, to format.Format)) {
	for _, from := range Formats() {
		for _, to := range Formats() {
			if from != to && (from == format.EAAPL || to == format.EAAPL || !isChat(from) && !isChat(to)) {
				t.Run(fmt.Sprintf("%s to %s", from, to), func(t *testing.T) { f(t, from, to) })
			}
		}
	}
}

// TestThereAndBack checks the guarantee of the package: for every pair of formats, a message is equal
// after the conversion back, whatever it contains and however broken it is.
func TestThereAndBack(t *testing.T) {
	eachPair(t, func(t *testing.T, from, to format.Format) {
		forAll(t, func(t *rapid.T) {
			g := generator{t}
			source := []byte(g.message(from, g.chance("lenient", 2)))
			if g.chance("planted", 3) {
				source = g.planted(source, from, to)
			}
			there := converted(t, source, from, to)
			if again := converted(t, source, from, to); !bytes.Equal(there, again) {
				t.Fatalf("converting twice differs:\n%s\n%s", there, again)
			}
			mustEqual(t, converted(t, there, to, from), source)
		})
	})
}

// planted puts the carried data of another message, possibly damaged, into a message.
func (g generator) planted(message []byte, f, carried format.Format) []byte {
	other := tree.Of(parsedIn(g.t, converted(g.t, []byte(g.message(carried, true)), carried, f), f))
	doc := tree.Of(parsedIn(g.t, message, f))
	plant := other.At(sideOf(f).HolderAt(other))
	if g.chance("damaged", 2) {
		plant = g.change(plant)
	}
	if at := sideOf(f).HolderAt(doc); at != "" && !doc.Is(jsonstream.Object) {
		return message // a list has no members
	}
	if doc = doc.Set(sideOf(f).HolderAt(doc), plant); formats.Named(f).IsLines() && (!doc.Is(jsonstream.Array) || doc.Empty()) {
		return message
	}
	return textOf(doc, f)
}

// TestWalk converts back and forth through several formats with edits, and checks that each step can be
// undone.
func TestWalk(t *testing.T) {
	forAll(t, func(t *rapid.T) {
		g := generator{t}
		at := rapid.SampledFrom(Formats()).Draw(t, "format")
		message := []byte(g.message(at, g.chance("lenient", 3)))
		for range rapid.IntRange(2, 6).Draw(t, "steps") {
			to := rapid.SampledFrom(Formats()).Draw(t, "to")
			next := converted(t, message, at, to)
			mustEqual(t, converted(t, next, to, at), message)
			message, at = next, to
			if g.chance("edit", 3) {
				message = g.edited(message, at)
			}
		}
	})
}

// edited changes, removes or repeats a value of a message.
func (g generator) edited(message []byte, f format.Format) []byte {
	root := g.change(tree.Of(parsedIn(g.t, message, f)))
	if root.Is(jsonstream.Object) && !formats.Named(f).IsLines() || root.Is(jsonstream.Array) && isChat(f) && !root.Empty() {
		return textOf(root, f)
	}
	return message
}

func (g generator) change(n tree.Node) tree.Node {
	switch {
	case n.Is(jsonstream.Object) && !n.Empty():
		m := n.Without()[rapid.IntRange(0, n.Length()-1).Draw(g.t, "member")]
		if g.chance("remove", 6) {
			return n.With(m.Name, tree.None)
		}
		return n.With(m.Name, g.change(m.Value))
	case n.Is(jsonstream.Array) && !n.Empty():
		elements := tree.Elements(n)
		i := rapid.IntRange(0, len(elements)-1).Draw(g.t, "element")
		switch rapid.IntRange(0, 5).Draw(g.t, "change") {
		case 0:
			return tree.Array(append(append([]tree.Node{}, elements[:i]...), elements[i+1:]...)...)
		case 1:
			return tree.Array(append(append([]tree.Node{}, elements[:i+1]...), elements[i:]...)...)
		default:
			out := append([]tree.Node{}, elements...)
			out[i] = g.change(out[i])
			return tree.Array(out...)
		}
	default:
		v, _ := tree.Parse([]byte(g.value(1)))
		return v
	}
}

// TestCycle converts through three formats and back.
func TestCycle(t *testing.T) {
	forAll(t, func(t *rapid.T) {
		g := generator{t}
		var at [3]format.Format
		for i := range at {
			at[i] = rapid.SampledFrom(Formats()).Draw(t, "format")
		}
		a := []byte(g.message(at[0], g.chance("lenient", 3)))
		b := converted(t, a, at[0], at[1])
		c := converted(t, b, at[1], at[2])
		mustEqual(t, converted(t, converted(t, c, at[2], at[1]), at[1], at[0]), a)
		round := converted(t, c, at[2], at[0])
		for _, i := range []int{2, 1, 0} {
			from := at[(i+1)%3]
			round = converted(t, round, from, at[i])
		}
		mustEqual(t, round, a)
	})
}
