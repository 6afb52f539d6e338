package equal_test

import (
	"bytes"
	"fmt"
	"hash/maphash"
	"strconv"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/eaapl/handoff/internal/equal"
	"github.com/eaapl/handoff/pkg/jsonstream"
)

func parse(t interface{ Fatal(...any) }, text string) jsonstream.Value {
	d, err := jsonstream.Parse(jsonstream.NewRaw([]byte(text)), jsonstream.Limits{})
	if err != nil {
		t.Fatal(err)
	}
	return d.Root()
}

func mask(t interface{ Fatal(...any) }, ignore, only []string) jsonstream.Mask {
	var lists [2][]jsonstream.Pattern
	for i, texts := range [][]string{ignore, only} {
		for _, text := range texts {
			p, err := jsonstream.ParsePattern(text)
			if err != nil {
				t.Fatal(err)
			}
			lists[i] = append(lists[i], p)
		}
	}
	return jsonstream.NewMask(lists[0], lists[1])
}

func TestEqual(t *testing.T) {
	for _, tt := range []struct {
		name         string
		a, b         string
		exact        bool
		ignore, only []string
		want         bool
	}{
		{name: "numbers by their value", a: `[1.0,1e2,0]`, b: `[1,100,-0]`, want: true},
		{name: "numbers by all of their digits", a: `9007199254740993`, b: `9007199254740992`},
		{name: "numbers beyond doubles", a: `1e400`, b: `10e399`, want: true},
		{name: "exact numbers as they are written", exact: true, a: `1.0`, b: `1`},
		{name: "exact numbers written alike", exact: true, a: `{"a":1.0, "b":2}`, b: `{"a":1.0,"b":2}`, want: true},
		{name: "exact numbers under a mask", exact: true, ignore: []string{"/*/x"}, a: `{"a":{"n":1.0,"x":1}}`, b: `{"a":{"n":1.0,"x":2}}`, want: true},
		{name: "strings by their characters", a: `"\u00e9\/"`, b: `"é/"`, want: true},
		{name: "names by their characters", a: `{"\u0061":1}`, b: `{"a":1}`, want: true},
		{name: "members in any order", a: `{"a":1,"b":2,"c":3}`, b: `{"a":1,"c":3,"b":2}`, want: true},
		{name: "other members", a: `{"a":1,"b":2}`, b: `{"a":1,"c":2}`},
		{name: "null is not absent", a: `{"a":null}`, b: `{}`},
		{name: "a null elsewhere is not absent", a: `{"a":1,"b":null}`, b: `{"c":null,"a":1}`},
		{name: "elements in their order", a: `[1,2]`, b: `[2,1]`},
		{name: "more elements", a: `[1,2]`, b: `[1,2,3]`},
		{name: "kinds differ", a: `"1"`, b: `1`},
		{name: "true and false", a: `true`, b: `false`},
		{name: "empty values of other kinds", a: `{}`, b: `[]`},

		{name: "ignored members", ignore: []string{"/*/at"}, a: `[{"at":1,"v":1}]`, b: `[{"v":1}]`, want: true},
		{name: "an ignored element", ignore: []string{"/0"}, a: `[1,2]`, b: `[{},2]`, want: true},
		{name: "what holds only ignored members is there", ignore: []string{"/a/at"}, a: `{"a":{"at":1}}`, b: `{}`},
		{name: "only some members", only: []string{"/a/b"}, a: `{"a":{"b":1,"c":1},"d":1}`, b: `{"a":{"b":1,"c":2}}`, want: true},
		{name: "only some members that differ", only: []string{"/a/b"}, a: `{"a":{"b":1}}`, b: `{"a":{"b":2}}`},
		{name: "neither has the only members", only: []string{"/a/b"}, a: `{"a":{"c":1}}`, b: `[1]`, want: true},
		{name: "one has the only members", only: []string{"/a/b"}, a: `{"a":{"b":1}}`, b: `{"a":1}`},
		{name: "only, but without some", only: []string{"/a"}, ignore: []string{"/a/c"}, a: `{"a":{"b":1,"c":1}}`, b: `{"a":{"b":1}}`, want: true},
		{name: "an ignored root", ignore: []string{""}, a: `1`, b: `{}`, want: true},
	} {
		t.Run(tt.name, func(t *testing.T) {
			relation := equal.Relation{Exact: tt.exact, Mask: mask(t, tt.ignore, tt.only)}
			a, b := parse(t, tt.a), parse(t, tt.b)
			if got := relation.Equal(a, b); got != tt.want {
				t.Errorf("got %v, want %v", got, tt.want)
			}
			if relation.Equal(b, a) != tt.want || !relation.Equal(a, a) {
				t.Error("it depends on the order")
			}
		})
	}
}

func TestAbsentValuesAreEqualToEachOther(t *testing.T) {
	if !equal.Values(jsonstream.Value{}, jsonstream.Value{}) || equal.Values(jsonstream.Value{}, parse(t, "null")) {
		t.Error("an absent value is equal to another absent one, and to no other value")
	}
}

func TestSameLeavesOutByTheRelationOfEach(t *testing.T) {
	relation := equal.Relation{Mask: mask(t, []string{"/0/at"}, nil)}
	children := relation.Children(parse(t, `[{"v":1,"at":1},{"v":1},{"v":1,"at":1}]`))
	if !equal.Same(children[0], children[1]) {
		t.Error("what is ignored in one of them makes a difference")
	}
	if equal.Same(children[0], children[2]) {
		t.Error("what counts in the second one makes no difference")
	}
}

func value(t *rapid.T, depth int) string {
	kinds := 7
	if depth == 0 {
		kinds = 4
	}
	switch rapid.IntRange(0, kinds-1).Draw(t, "kind") {
	case 0, 1:
		return rapid.SampledFrom([]string{"0", "-0", "1", "1.0", "10e-1", "100", "1e2", "1E+2", "1e99999999999999999999"}).Draw(t, "number")
	case 2:
		return rapid.SampledFrom([]string{"null", "true", "false", "{}", "[]"}).Draw(t, "literal")
	case 3:
		return rapid.SampledFrom([]string{`""`, `"a"`, `"\u0061"`, `"1"`}).Draw(t, "string")
	case 4:
		var list []string
		for range rapid.IntRange(0, 3).Draw(t, "elements") {
			list = append(list, value(t, depth-1))
		}
		return "[" + strings.Join(list, ", ") + "]"
	default:
		var list []string
		for _, name := range rapid.Permutation([]string{`"a"`, `"b"`, `"\u0063"`}).Draw(t, "names")[:rapid.IntRange(0, 3).Draw(t, "members")] {
			list = append(list, name+":"+value(t, depth-1))
		}
		return "{" + strings.Join(list, ",") + "}"
	}
}

// rewritten draws a text of the same value, or of nearly the same.
func rewritten(t *rapid.T, v jsonstream.Value) string {
	if rapid.IntRange(0, 9).Draw(t, "other") == 0 {
		return value(t, 1)
	}
	switch v.Kind() {
	case jsonstream.Number:
		if rapid.Bool().Draw(t, "plain") || bytes.ContainsAny(v.Raw(), "eE") {
			return string(v.Raw())
		}
		return string(v.Raw()) + "e0"
	case jsonstream.Array:
		var list []string
		for _, element := range v.Elements() {
			list = append(list, rewritten(t, element))
		}
		return "[" + strings.Join(list, ",") + "]"
	case jsonstream.Object:
		var list []string
		for name, member := range v.Members() {
			list = append(list, strconv.Quote(name)+": "+rewritten(t, member))
		}
		if len(list) > 1 {
			list = rapid.Permutation(list).Draw(t, "order")
		}
		return "{" + strings.Join(list, ",") + "}"
	default:
		return string(v.Raw())
	}
}

// two draws two values that are often equal.
func two(t *rapid.T) (a, b jsonstream.Value) {
	a = parse(t, value(t, 3))
	return a, parse(t, rewritten(t, a))
}

// normal writes a value so that equal values have the same text: members by name.
func normal(v jsonstream.Value) string {
	switch v.Kind() {
	case jsonstream.Number:
		return string(jsonstream.AppendNormal(nil, v.Raw()))
	case jsonstream.String:
		return strconv.Quote(v.Text())
	case jsonstream.Array:
		text := "["
		for _, element := range v.Elements() {
			text += normal(element) + ","
		}
		return text + "]"
	case jsonstream.Object:
		return fmt.Sprintf("{%s,%s,%s}", normal(v.Get("a")), normal(v.Get("b")), normal(v.Get("c")))
	default:
		return string(v.Raw())
	}
}

func TestEqualIsItsDefinition(t *testing.T) {
	seed := maphash.MakeSeed()
	rapid.Check(t, func(t *rapid.T) {
		a, b := two(t)
		same := equal.Values(a, b)
		if want := normal(a) == normal(b); same != want {
			t.Fatalf("%s and %s are equal: %v", a.Raw(), b.Raw(), same)
		}
		var relation equal.Relation
		if hashes := relation.Hash(seed, a) == relation.Hash(seed, b); hashes != same {
			t.Fatalf("%s and %s are equal: %v, their hashes: %v", a.Raw(), b.Raw(), same, hashes)
		}
	})
}

func TestHashAgreesWithEqualUnderRelations(t *testing.T) {
	seed := maphash.MakeSeed()
	pattern := rapid.SliceOfN(rapid.SampledFrom([]string{"/a", "/*/b", "/**/c", "/0", "/a/1"}), 0, 2)
	rapid.Check(t, func(t *rapid.T) {
		relation := equal.Relation{Exact: rapid.Bool().Draw(t, "exact"), Mask: mask(t, pattern.Draw(t, "ignore"), pattern.Draw(t, "only"))}
		a, b := two(t)
		if relation.Mask.Partly() && (len(relation.Children(a)) == 0 || len(relation.Children(b)) == 0) {
			return // nothing to hash
		}
		same, hashes := relation.Equal(a, b), relation.Hash(seed, a) == relation.Hash(seed, b)
		if same != hashes {
			t.Fatalf("%s and %s are equal: %v, their hashes: %v", a.Raw(), b.Raw(), same, hashes)
		}
	})
}

func FuzzEqual(f *testing.F) {
	f.Add(`{"a":[1,"x"],"b":null}`, `{"b":null,"a":[1.0,"\u0078"]}`)
	f.Add(`[1e400]`, `[10e399]`)
	seed := maphash.MakeSeed()
	f.Fuzz(func(t *testing.T, x, y string) {
		a, errA := jsonstream.Parse(jsonstream.NewRaw([]byte(x)), jsonstream.Limits{})
		b, errB := jsonstream.Parse(jsonstream.NewRaw([]byte(y)), jsonstream.Limits{})
		if errA != nil || errB != nil {
			return
		}
		var relation equal.Relation
		same := relation.Equal(a.Root(), b.Root())
		if same != relation.Equal(b.Root(), a.Root()) {
			t.Error("it depends on the order")
		}
		if same != (relation.Hash(seed, a.Root()) == relation.Hash(seed, b.Root())) {
			t.Errorf("equal: %v, but the hashes say otherwise", same)
		}
	})
}

func BenchmarkRelation(b *testing.B) {
	turn := `{"role":"user","content":"` + strings.Repeat("word ", 80) + `","timestamp":"2026-06-11T10:00:00Z","n":[1,2.50]}`
	compact := parse(b, "["+strings.Repeat(turn+",", 1000)+"0]")
	spaced := parse(b, "[ "+strings.Repeat(turn+" , ", 1000)+"0]")
	b.Run("Equal", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			if !equal.Values(compact, spaced) {
				b.Fatal("they differ")
			}
		}
	})
	b.Run("Hash", func(b *testing.B) {
		b.ReportAllocs()
		seed := maphash.MakeSeed()
		for b.Loop() {
			equal.Relation{}.Hash(seed, compact)
		}
	})
}
