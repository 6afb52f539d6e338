package jsonstream_test

import (
	"bytes"
	"errors"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/go-json-experiment/json/jsontext"
	"pgregory.net/rapid"

	"github.com/eaapl/handoff/pkg/jsonstream"
	"github.com/eaapl/handoff/vectors"
)

func canonical(t testing.TB, text string) (string, error) {
	t.Helper()
	got, err := jsonstream.AppendCanonical(nil, parse(t, text).Root(), jsonstream.CanonicalOptions{})
	return string(got), err
}

// D8: depths at which a library for RFC 8785 is quadratic. The canonical form takes one pass.
func TestD8CanonicalFormIsDeep(t *testing.T) {
	deep := strings.Repeat("[", jsonstream.DefaultMaxDepth) + strings.Repeat("]", jsonstream.DefaultMaxDepth)
	if got, err := canonical(t, deep); got != deep || err != nil {
		t.Errorf("%d levels: got %d bytes, error %v", jsonstream.DefaultMaxDepth, len(got), err)
	}
	if _, err := jsonstream.Parse(jsonstream.NewRaw([]byte(strings.Repeat("[", 200_000))), jsonstream.Limits{}); !errors.Is(err, jsonstream.ErrTooDeep) {
		t.Errorf("200,000 levels: error %v", err)
	}
}

// TestCanonicalSuite checks the cases of the conformance suite. A number whose double has another value is an
// error only with Exact.
func TestCanonicalSuite(t *testing.T) {
	for _, c := range vectors.Cases("canonical") {
		t.Run(c.ID, func(t *testing.T) {
			got, err := "", error(nil)
			doc, syntax := jsonstream.Parse(jsonstream.NewRaw([]byte(c.Input.Text)), jsonstream.Limits{})
			if syntax == nil {
				if got, err = canonical(t, c.Input.Text); err != nil {
					got = ""
				}
			}
			refused := map[bool][]string{syntax != nil: {"syntax"}, errors.Is(err, jsonstream.ErrNumberRange): {"number"}}[true]
			if got != c.Expected.Output || !slices.Equal(refused, c.Expected.Steps) {
				t.Fatalf("got %s, %v, %v; want %+v", got, syntax, err, c.Expected)
			}
			if refused != nil {
				return
			}
			_, err = jsonstream.AppendCanonical(nil, doc.Root(), jsonstream.CanonicalOptions{Exact: true})
			if errors.Is(err, jsonstream.ErrInexact) != slices.Contains(c.Flags, "inexact-number") {
				t.Errorf("exactly: %v", err)
			}
		})
	}
}

// The published test data of RFC 8785 (cyberphone/json-canonicalization).
func TestCanonicalVectors(t *testing.T) {
	dir := filepath.Join("..", "..", "..", "shared", "vectors", "rfc8785")
	if _, err := os.Stat(dir); err != nil {
		t.Skipf("no vectors at %s", dir)
	}
	inputs, err := filepath.Glob(filepath.Join(dir, "input", "*.json"))
	if err != nil || len(inputs) == 0 {
		t.Fatalf("no vectors in %s: %v", dir, err)
	}
	for _, input := range inputs {
		text, err := os.ReadFile(input)
		if err != nil {
			t.Fatal(err)
		}
		want, err := os.ReadFile(filepath.Join(dir, "output", filepath.Base(input)))
		if err != nil {
			t.Fatal(err)
		}
		if got, err := canonical(t, string(text)); got != string(bytes.TrimSpace(want)) || err != nil {
			t.Errorf("%s: got %s, %v; want %s", filepath.Base(input), got, err, want)
		}
	}
}

func TestNumberError(t *testing.T) {
	_, err := jsonstream.AppendCanonical(nil, parse(t, "{\n \"a\": [9007199254740993]}").Root(), jsonstream.CanonicalOptions{Exact: true})
	e := (*jsonstream.NumberError)(nil)
	if !errors.As(err, &e) {
		t.Fatalf("error %v", err)
	}
	if e.Pointer != "/a/0" || e.Line != 2 || e.Column != 8 || e.Text != "9007199254740993" || e.Canonical != "9007199254740992" {
		t.Errorf("got %+v", e)
	}
}

func TestSameNumber(t *testing.T) {
	tests := []struct {
		a, b string
		want bool
	}{
		{"1", "1.0", true},
		{"1", "-1", false},
		{"0", "-0.00e7", true},
		{"120", "1.2e2", true},
		{"0.0012", "12E-4", true},
		{"9007199254740993", "9007199254740992", false},
		{"1e400", "10e399", true},
		{"1e400", "1e401", false},
		{"1e99999999999999999999", "1e99999999999999999999", true},
		{"1e99999999999999999999", "1e99999999999999999998", false},
		{"0e99999999999999999999", "0", true},
		{"1e9223372036854775807", "0.001e-9223372036854775806", false},
	}
	for _, tt := range tests {
		if got := jsonstream.SameNumber([]byte(tt.a), []byte(tt.b)); got != tt.want {
			t.Errorf("%s and %s: got %v", tt.a, tt.b, got)
		}
	}
}

func TestCanonicalOmit(t *testing.T) {
	root := parse(t, `{"signature":"x","a":{"signature":"y"},"\u0073ignature2":1}`).Root()
	got, err := jsonstream.AppendCanonical(nil, root, jsonstream.CanonicalOptions{Omit: "signature"})
	if want := `{"a":{"signature":"y"},"signature2":1}`; string(got) != want || err != nil {
		t.Errorf("got %s, %v; want %s", got, err, want)
	}
}

// Names are ordered by their UTF-16 code units, in small and in large objects.
func TestCanonicalOrder(t *testing.T) {
	runes := rapid.RuneFrom([]rune("ab!é\x00\u0080\ud7ff\ue000\uffff\U00010000\U0001f600\U0010ffff"))
	rapid.Check(t, func(t *rapid.T) {
		most := rapid.SampledFrom([]int{4, 10, 60}).Draw(t, "most")
		names := rapid.SliceOfNDistinct(rapid.StringOfN(runes, 0, 12, -1), 2, most, rapid.ID).Draw(t, "names")
		before := rapid.SampledFrom([]string{"", "seven..", "eight...", "nine....."}).Draw(t, "before")
		var text []byte
		for _, name := range names {
			text = append(text, ',')
			text, _ = jsontext.AppendQuote(text, before+name)
			text = append(text, ":0"...)
		}
		text[0] = '{'
		agree(t, append(text, '}'))
	})
}

// Every spelling of a message, even a partly canonical one, has the canonical form of the JSON
// text layer.
func TestCanonicalSpellings(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) { agree(t, []byte(spell(t, 4))) })
}

// spell draws a JSON value in a random spelling.
func spell(t *rapid.T, depth int) string {
	space := rapid.SampledFrom([]string{"", "", "", " ", "\n\t"}).Draw(t, "space")
	kinds := []string{"string", "number", "literal", "object", "object", "array"}
	if depth == 0 {
		kinds = kinds[:3]
	}
	text := ""
	switch rapid.SampledFrom(kinds).Draw(t, "kind") {
	case "string":
		text = rapid.SampledFrom([]string{`""`, `"plain text"`, `"a\nb"`, `"\u0061"`, `"\/"`, `"\u000A\u001f"`, `"é\"😀"`, `"\\"`}).Draw(t, "string")
	case "number":
		text = rapid.SampledFrom([]string{"0", "-0", "7", "-12.5", "1.0", "0.10", "1e2", "0.6007272605044812", "0.31182714301668000", "0.1000000000000000055",
			"9007199254740991", "123456789012345678", "1E-7", "0.0000001", "-0.000001", "5e-324", "1e21", "999999999999999999999"}).Draw(t, "number")
	case "literal":
		text = rapid.SampledFrom([]string{"true", "false", "null"}).Draw(t, "literal")
	case "object":
		names := rapid.SliceOfNDistinct(rapid.SampledFrom([]string{`""`, `"id"`, `"identifier"`, `"identity"`, `"a"`, `"\u0062"`, `"é"`, `"\ufb33"`, `"😀"`, `"signature"`, `"z\n"`}),
			0, 6, rapid.ID).Draw(t, "names")
		for i, name := range names {
			names[i] = name + space + ":" + spell(t, depth-1)
		}
		text = "{" + space + strings.Join(names, ","+space) + "}"
	case "array":
		var elements []string
		for range rapid.IntRange(0, 4).Draw(t, "elements") {
			elements = append(elements, spell(t, depth-1))
		}
		text = "[" + space + strings.Join(elements, ",") + "]"
	}
	return space + text + space
}

// A long text written in pieces is the same, and so are the errors.
func TestWriteCanonical(t *testing.T) {
	long := func(n int) string { return strings.Repeat("text ", n/5) }
	tests := []struct {
		name, in string
		broken   bool // the writer fails
		want     error
	}{
		{name: "short", in: `{"b":1,"a":2}`},
		{name: "canonical, in one piece", in: `{"a":"` + long(1e5) + `","b":[1,2]}`},
		{name: "many pieces", in: `{"c":[` + strings.Repeat(`{"b":1,"a":"`+long(1000)+`"},`, 100) + `0],"a":1}`},
		{name: "escapes", in: `["` + strings.Repeat(`\u00e9\/`, 1e4) + `","` + strings.Repeat(`\u0041`, 1e5) + `",1.0]`},
		{name: "omitted", in: `{"b":"` + long(5e4) + `","signature":"` + long(5e4) + `","a":"` + long(5e4) + `"}`},
		{name: "number", in: `["` + long(1e5) + `",9007199254740993]`, want: jsonstream.ErrInexact},
		{name: "writer", in: `["` + long(1e5) + `"]`, broken: true, want: errBroken},
		{name: "number and writer", in: `["` + long(1e5) + `",1e400]`, broken: true, want: jsonstream.ErrNumberRange},
	}
	options := jsonstream.CanonicalOptions{Exact: true, Omit: "signature"}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			root := parse(t, tt.in).Root()
			var got bytes.Buffer
			var w io.Writer = &got
			if tt.broken {
				w = new(brokenWriter)
			}
			if err := jsonstream.WriteCanonical(w, root, options); !errors.Is(err, tt.want) {
				t.Fatalf("error %v, want %v", err, tt.want)
			}
			if want, _ := jsonstream.AppendCanonical(nil, root, options); tt.want == nil && !bytes.Equal(got.Bytes(), want) {
				t.Errorf("got %d bytes, other ones than the %d wanted", got.Len(), len(want))
			}
		})
	}
}

var errBroken = errors.New("broken")

// A brokenWriter fails once.
type brokenWriter struct{ failed bool }

func (w *brokenWriter) Write(p []byte) (int, error) {
	if w.failed {
		return len(p), nil
	}
	w.failed = true
	return 0, errBroken
}

// The canonical form agrees with that of the JSON text layer, if that has one, and is its own
// canonical form.
func FuzzCanonical(f *testing.F) {
	for _, seed := range []string{
		`{"b":[1.0,-0,1e-7,123456789012345678],"a":"\u00e9\/\ud83d\ude00\u001f\b"}`, `"\u007f\u2028"`, `0.000001`, `[5e-324,1.7976931348623157e308]`,
		`{"\ufb33":1,"\ud83d\ude00":{"y":0,"x":0}}`,
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, text []byte) { agree(t, text) })
}

// agree compares both functions for canonical forms with the JSON text layer, with and without
// a member left out.
func agree(t interface{ Fatalf(string, ...any) }, text []byte) {
	doc, syntax := jsonstream.Parse(jsonstream.NewRaw(text), jsonstream.Limits{})
	if syntax != nil {
		return
	}
	for _, omit := range []string{"", "signature"} {
		options := jsonstream.CanonicalOptions{Omit: omit}
		got, err := jsonstream.AppendCanonical([]byte("before"), doc.Root(), options)
		if err != nil {
			return
		}
		source := text
		if omit != "" && doc.Root().Get(omit).Exists() {
			source, _ = jsonstream.Remove(doc, "/"+omit)
		}
		want, err := jsontext.AppendFormat([]byte("before"), source, jsontext.CanonicalizeRawFloats(true),
			jsontext.CanonicalizeRawInts(true), jsontext.ReorderRawObjects(true))
		if string(got) != string(want) || err != nil {
			t.Fatalf("%q: got %q, want %q, %v", text, got, want, err)
		}
		var written bytes.Buffer
		if err := jsonstream.WriteCanonical(&written, doc.Root(), options); err != nil || "before"+written.String() != string(got) {
			t.Fatalf("%q: wrote %q, %v; appended %q", text, &written, err, got)
		}
		exact := true
		for v := range doc.Root().All() {
			exact = exact && (v.Kind() != jsonstream.Number || sameAsDouble(v.Raw()) || omit != "" && isBelow(v, doc.Root().Get(omit)))
		}
		options.Exact = true
		if _, err := jsonstream.AppendCanonical(nil, doc.Root(), options); (err == nil) != exact {
			t.Fatalf("%q: exactly: %v, want an error: %v", text, err, !exact)
		}
	}
}

// sameAsDouble reports whether a number equals the shortest text of its double.
func sameAsDouble(text []byte) bool {
	f, _ := strconv.ParseFloat(string(text), 64)
	return jsonstream.SameNumber(text, strconv.AppendFloat(nil, f, 'e', -1, 64))
}

// isBelow reports whether v is other, or inside it.
func isBelow(v, other jsonstream.Value) bool {
	for v.Exists() && v != other {
		v = v.Parent()
	}
	return v.Exists()
}
