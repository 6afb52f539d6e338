package diff_test

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/eaapl/handoff/internal/equal"
	"github.com/eaapl/handoff/pkg/diff"
	"github.com/eaapl/handoff/pkg/jsonstream"
)

// values draws JSON values with many repetitions, so that values match, and with several spellings
// of equal values.
func values() *rapid.Generator[string] {
	return rapid.OneOf(rapid.Custom(func(t *rapid.T) string { return value(t, 4) }), rapid.Custom(messageOf))
}

func value(t *rapid.T, depth int) string {
	kinds := 8
	if depth == 0 {
		kinds = 6
	}
	switch rapid.IntRange(0, kinds-1).Draw(t, "kind") {
	case 0, 1:
		return rapid.SampledFrom([]string{"0", "1", "1.0", "10e-1", "2", "-1", "100", "1e2", "9007199254740993"}).Draw(t, "number")
	case 2:
		return rapid.SampledFrom([]string{"null", "true", "false"}).Draw(t, "literal")
	case 3, 4:
		return strconv.Quote(strings.Join(rapid.SliceOfN(rapid.SampledFrom([]string{"a", "b", "c", "liability", "of the"}), 0, 5).Draw(t, "words"), " "))
	case 5:
		return rapid.SampledFrom([]string{`"\u0061"`, `"{\"a\":1}"`, `"{\"a\":1.0}"`, `"[1,2]"`, `"eyJhIjoyfQ=="`, `{}`, `[]`}).Draw(t, "special")
	case 6:
		var list []string
		for range rapid.IntRange(0, 6).Draw(t, "elements") {
			list = append(list, value(t, depth-1))
		}
		return "[" + strings.Join(list, ",") + "]"
	default:
		return object(t, depth, "a", "b", "c", "id", "v")
	}
}

func object(t *rapid.T, depth int, names ...string) string {
	var list []string
	for _, name := range rapid.Permutation(names).Draw(t, "names") {
		if rapid.Bool().Draw(t, "has") {
			list = append(list, fmt.Sprintf("%q:%s", name, value(t, depth-1)))
		}
	}
	return "{" + strings.Join(list, ",") + "}"
}

// messageOf draws a canonical message, in which the elements of some arrays have
// keys.
func messageOf(t *rapid.T) string {
	list := func(names ...string) string {
		var elements []string
		for range rapid.IntRange(0, 5).Draw(t, "elements") {
			elements = append(elements, object(t, 2, names...))
		}
		return "[" + strings.Join(elements, ",") + "]"
	}
	return fmt.Sprintf(`{"handoffId":%s,"remainingSubtasks":%s,"toolCallHistory":%s,"conversationHistoryVerbatim":%s}`,
		value(t, 0), list("subtaskId", "d", "v"), list("tool", "calledAt", "v"), list("role", "content", "id"))
}

// quoted returns a name as JSON, whose escapes differ from Go's.
func quoted(name string) string {
	text, err := jsontext.AppendQuote(nil, name)
	if err != nil {
		panic(err) // names are those of JSON
	}
	return string(text)
}

// edited draws a value that results from another one by some edits.
func edited(t *rapid.T, v jsonstream.Value) string {
	var list []string
	for child := range children(v) {
		text := edited(t, child)
		if v.Kind() == jsonstream.Object {
			text = quoted(child.Name()) + ":" + text
		}
		list = append(list, text)
	}
	edit := rapid.IntRange(0, 12).Draw(t, "edit")
	at := func() int { return rapid.IntRange(0, len(list)-1).Draw(t, "at") }
	switch {
	case edit == 0:
		return value(t, 2)
	case edit == 1 && len(list) > 0:
		list = slices.Delete(list, 0, at())
	case edit == 2 && len(list) > 0:
		i := at()
		moved := list[i]
		list = slices.Delete(list, i, i+1)
		list = slices.Insert(list, rapid.IntRange(0, len(list)).Draw(t, "to"), moved)
	case edit == 3 && v.Kind() == jsonstream.Array:
		list = slices.Insert(list, rapid.IntRange(0, len(list)).Draw(t, "to"), value(t, 2))
	}
	switch v.Kind() {
	case jsonstream.Array:
		return "[" + strings.Join(list, ",") + "]"
	case jsonstream.Object:
		return "{" + strings.Join(list, ",") + "}"
	default:
		return string(v.Raw())
	}
}

func children(v jsonstream.Value) func(func(jsonstream.Value) bool) {
	return func(yield func(jsonstream.Value) bool) {
		for _, child := range v.Members() {
			if !yield(child) {
				return
			}
		}
		for _, child := range v.Elements() {
			if !yield(child) {
				return
			}
		}
	}
}

// two draws two documents that have something in common.
func two(t *rapid.T) (a, b *jsonstream.Document) {
	a = parse(t, values().Draw(t, "a"))
	if rapid.Bool().Draw(t, "unrelated") {
		return a, parse(t, values().Draw(t, "b"))
	}
	return a, parse(t, edited(t, a.Root()))
}

var keysDrawn = rapid.Custom(func(t *rapid.T) []diff.Key {
	if rapid.Bool().Draw(t, "keys") {
		return nil
	}
	return []diff.Key{{Array: patterns(t, "/**")[0], Members: rapid.SampledFrom([][]string{{"id"}, {"a", "b"}, {"v"}}).Draw(t, "members")}}
})

// apply returns the old value with the edit applied.
func apply(e *diff.Edit) string {
	if e.Edits == nil {
		if e.Kind == diff.Moved {
			return string(e.Old.Raw())
		}
		return string(e.New.Raw())
	}
	gone := map[jsonstream.Value]bool{}
	placed := map[int]string{} // elements of the new array by their indices
	var members []string
	for _, inner := range e.Edits {
		gone[inner.Old] = true
		switch {
		case inner.Kind == diff.Removed:
		case e.New.Kind() == jsonstream.Object:
			members = append(members, quoted(inner.New.Name())+":"+apply(inner))
		default:
			placed[inner.New.Index()] = apply(inner)
		}
	}
	var rest []string // the unchanged elements
	for child := range children(e.Old) {
		if !gone[child] && e.New.Kind() == jsonstream.Object {
			members = append(members, quoted(child.Name())+":"+string(child.Raw()))
		} else if !gone[child] {
			rest = append(rest, string(child.Raw()))
		}
	}
	if e.New.Kind() == jsonstream.Object {
		return "{" + strings.Join(members, ",") + "}"
	}
	var list []string
	for len(rest)+len(placed) > 0 {
		text, ok := placed[len(list)]
		if !ok && len(rest) > 0 {
			text, rest = rest[0], rest[1:]
		}
		delete(placed, len(list))
		list = append(list, text)
	}
	return "[" + strings.Join(list, ",") + "]"
}

func TestEditsLeadFromOneToTheOther(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		a, b := two(t)
		o := diff.Options{Exact: rapid.Bool().Draw(t, "exact"), Keys: keysDrawn.Draw(t, "keys")}
		relation := equal.Relation{Exact: o.Exact}
		e := diff.Compare(a, b, o)
		if same := relation.Equal(a.Root(), b.Root()); same != (e == nil) {
			t.Fatalf("equal: %v, but the edits are %v", same, outline(e))
		}
		if e == nil {
			return
		}
		if got := apply(e); !relation.Equal(parse(t, got).Root(), b.Root()) {
			t.Fatalf("the edits lead to %s: %v", got, outline(e))
		}
		checkForm(t, e)
		if again := diff.Compare(a, b, o); !slices.Equal(outline(e), outline(again)) {
			t.Fatalf("compared again: %v, not %v", outline(again), outline(e))
		}
	})
}

// checkForm checks the contract of an Edit.
func checkForm(t interface{ Fatalf(string, ...any) }, e *diff.Edit) {
	if (e.Kind != diff.Added) != e.Old.Exists() || (e.Kind != diff.Removed) != e.New.Exists() {
		t.Fatalf("%s %v %v", e.Kind, e.Old, e.New)
	}
	containers := e.Old.Kind() == e.New.Kind() && (e.Old.Kind() == jsonstream.Object || e.Old.Kind() == jsonstream.Array)
	if e.Kind == diff.Changed && containers != (e.Edits != nil) {
		t.Fatalf("changed from %s to %s by %d edits", e.Old.Raw(), e.New.Raw(), len(e.Edits))
	}
	if e.Kind == diff.Moved && e.Edits == nil && !equal.Values(e.Old, e.New) {
		t.Fatalf("moved, and %s became %s", e.Old.Raw(), e.New.Raw())
	}
	last, gone := -1, -1
	for _, inner := range e.Edits {
		if e.New.Kind() == jsonstream.Array && inner.New.Exists() {
			if inner.New.Index() <= last {
				t.Fatalf("%s comes after %d", inner.Pointer(), last)
			}
			last = inner.New.Index()
		} else if e.Old.Kind() == jsonstream.Array {
			if inner.Old.Index() <= gone {
				t.Fatalf("%s comes after %d", inner.Pointer(), gone)
			}
			gone = inner.Old.Index()
		}
		checkForm(t, inner)
	}
	if e.Inside != nil {
		checkForm(t, e.Inside)
	}
}

// masked returns a value without its ignored parts, "" if all are ignored.
func masked(v jsonstream.Value, mask jsonstream.Mask) string {
	if mask.Open() {
		return string(v.Raw())
	}
	var list []string
	for child := range children(v) {
		token, name := strconv.Itoa(child.Index()), ""
		if v.Kind() == jsonstream.Object {
			token, name = child.Name(), quoted(child.Name())+":"
		}
		if below, counts := mask.Step(token); counts {
			if text := masked(child, below); text != "" {
				list = append(list, name+text)
			}
		}
	}
	switch {
	case mask.Partly() && list == nil:
		return ""
	case v.Kind() == jsonstream.Array:
		return "[" + strings.Join(list, ",") + "]"
	case v.Kind() == jsonstream.Object:
		return "{" + strings.Join(list, ",") + "}"
	default:
		return string(v.Raw())
	}
}

var somePatterns = rapid.SliceOfN(rapid.Custom(func(t *rapid.T) jsonstream.Pattern {
	tokens := rapid.SliceOfN(rapid.SampledFrom([]string{"a", "b", "v", "id", "0", "1", "*", "**", "remainingSubtasks", "subtaskId"}), 1, 4).Draw(t, "tokens")
	return patterns(t, "/"+strings.Join(tokens, "/"))[0]
}), 0, 3)

func TestWhatIsLeftOutMakesNoDifference(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		a, b := two(t)
		o := diff.Options{Ignore: somePatterns.Draw(t, "ignore"), Only: somePatterns.Draw(t, "only"), Keys: keysDrawn.Draw(t, "keys")}
		mask := jsonstream.NewMask(o.Ignore, o.Only)
		e := diff.Compare(a, b, o)
		x, y := masked(a.Root(), mask), masked(b.Root(), mask)
		same := x == y || x != "" && y != "" && equal.Values(parse(t, x).Root(), parse(t, y).Root())
		if same != (e == nil) {
			t.Fatalf("what counts is %s and %s, but the edits are %v", x, y, outline(e))
		}
		for leaf := range e.Leaves() {
			for _, v := range []jsonstream.Value{leaf.Old, leaf.New} {
				if v.Exists() && !reached(mask, v.Pointer()) {
					t.Fatalf("%s does not count: %v", v.Pointer(), outline(e))
				}
			}
		}
	})
}

// reached reports whether a place, or one below it, is compared.
func reached(mask jsonstream.Mask, at string) bool {
	tokens, _ := jsonstream.SplitPointer(at)
	counts := true
	for _, token := range tokens {
		if counts {
			mask, counts = mask.Step(token)
		}
	}
	return counts
}

func FuzzCompare(f *testing.F) {
	for _, seed := range [][2]string{
		{`{"a":[1,{"b":"x y"}],"c":1.0}`, `{"a":[{"b":"x z"},1],"c":1}`},
		{`[1,2,3,4,5]`, `[5,1,2,3]`},
		{`{"taskId":"t","remainingSubtasks":[{"subtaskId":1},{"subtaskId":2}]}`, `{"taskId":"t","remainingSubtasks":[{"subtaskId":2},{}]}`},
		{`"{\"a\":1}"`, `"eyJhIjoyfQ=="`},
		{`[[1,2],[3]]`, `[[3],[1,2,4]]`},
		{`{}`, `null`},
		{`{"a":1}`, "{\"\x7fa\":2}"},
	} {
		f.Add(seed[0], seed[1])
	}
	f.Fuzz(func(t *testing.T, x, y string) {
		a, errA := jsonstream.Parse(jsonstream.NewRaw([]byte(x)), jsonstream.Limits{})
		b, errB := jsonstream.Parse(jsonstream.NewRaw([]byte(y)), jsonstream.Limits{})
		if errA != nil || errB != nil {
			return
		}
		e := diff.Compare(a, b, diff.Options{})
		if same := equal.Values(a.Root(), b.Root()); same != (e == nil) {
			t.Fatalf("equal: %v, but the edits are %v", same, outline(e))
		}
		if e == nil {
			return
		}
		checkForm(t, e)
		if got := apply(e); !equal.Values(parse(t, got).Root(), b.Root()) {
			t.Errorf("the edits lead to %s: %v", got, outline(e))
		}
		if d := cmp.Diff(outline(e), outline(diff.Compare(a, b, diff.Options{}))); d != "" {
			t.Error(d)
		}
	})
}
