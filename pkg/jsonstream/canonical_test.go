package jsonstream_test

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/go-json-experiment/json/jsontext"
	"pgregory.net/rapid"

	"github.com/eaapl/handoff/pkg/jsonstream"
)

func canonical(t testing.TB, text string) (string, error) {
	t.Helper()
	got, err := jsonstream.AppendCanonical(nil, parse(t, text).Root(), jsonstream.CanonicalOptions{})
	return string(got), err
}

// D8: texts that a library for RFC 8785 mistakes for JSON, and depths at which it is quadratic.
// Only strict JSON has a canonical form, which takes one pass.
func TestD8CanonicalFormIsStrict(t *testing.T) {
	for _, in := range []string{`01`, `.5`, `0x1p4`, "\"\xff\"", `[1,]`, `NaN`} {
		if _, err := jsonstream.Parse(jsonstream.NewRaw([]byte(in)), jsonstream.Unlimited()); err == nil {
			t.Errorf("%q is read", in)
		}
	}
	deep := strings.Repeat("[", jsonstream.DefaultMaxDepth) + strings.Repeat("]", jsonstream.DefaultMaxDepth)
	if got, err := canonical(t, deep); got != deep || err != nil {
		t.Errorf("%d levels: got %d bytes, error %v", jsonstream.DefaultMaxDepth, len(got), err)
	}
	if _, err := jsonstream.Parse(jsonstream.NewRaw([]byte(strings.Repeat("[", 200_000))), jsonstream.Limits{}); !errors.Is(err, jsonstream.ErrTooDeep) {
		t.Errorf("200,000 levels: error %v", err)
	}
}

// The examples of RFC 8785, sections 3.2.2 and 3.2.3.
func TestCanonicalRFC8785(t *testing.T) {
	tests := []struct{ name, in, want string }{
		{"section 3.2.2", `{
  "numbers": [333333333.33333329, 1E30, 4.50, 2e-3, 0.000000000000000000000000001],
  "string": "\u20ac$\u000F\u000aA'\u0042\u0022\u005c\\\"\/",
  "literals": [null, true, false]
}`, `{"literals":[null,true,false],"numbers":[333333333.3333333,1e+30,4.5,0.002,1e-27],"string":"€$\u000f\nA'B\"\\\\\"/"}`},
		{"section 3.2.3", `{
  "\u20ac": "Euro Sign",
  "\r": "Carriage Return",
  "\ufb33": "Hebrew Letter Dalet With Dagesh",
  "1": "One",
  "\ud83d\ude00": "Emoji: Grinning Face",
  "\u0080": "Control",
  "\u00f6": "Latin Small Letter O With Diaeresis"
}`, `{"\r":"Carriage Return","1":"One","` + "\u0080" + `":"Control","ö":"Latin Small Letter O With Diaeresis",` +
			`"€":"Euro Sign","😀":"Emoji: Grinning Face","` + "\ufb33" + `":"Hebrew Letter Dalet With Dagesh"}`},
		{"nothing inside", `[ { } , [ ] , "" ]`, `[{},[],""]`},
		{"white space", "\t{ \"b\" : 1 ,\r\n\"a\" : 2 }\n", `{"a":2,"b":1}`},
		{"a name that begins another", `{"ab":1,"a":2,"":3,"a!":4}`, `{"":3,"a":2,"a!":4,"ab":1}`},
		{"names as long as a sort key", `{"12345678":1,"1234567!":2,"1234567":3,"123456":4,"12345678!":5}`, `{"123456":4,"1234567":3,"1234567!":2,"12345678":1,"12345678!":5}`},
		{"many members", `{` + numbered(50, 99) + `,` + numbered(10, 49) + `}`, `{` + numbered(10, 99) + `}`},
		{"objects below sorted ones", `{"z":{"d":1,"c":[{"b":1,"a":1}]},"y":{"b":1,"a":1}}`, `{"y":{"a":1,"b":1},"z":{"c":[{"a":1,"b":1}],"d":1}}`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if got, err := canonical(t, tt.in); got != tt.want || err != nil {
				t.Errorf("got  %s, %v\nwant %s", got, err, tt.want)
			}
		})
	}
}

// numbered returns members whose names are the numbers of a range.
func numbered(from, to int) string {
	var members []string
	for i := from; i <= to; i++ {
		members = append(members, fmt.Sprintf(`"%d":[]`, i))
	}
	return strings.Join(members, ",")
}

// The number table of RFC 8785, appendix B.
func TestCanonicalNumbersRFC8785(t *testing.T) {
	tests := []struct {
		bits uint64
		want string
	}{
		{0x0000000000000000, "0"},
		{0x8000000000000000, "0"},
		{0x0000000000000001, "5e-324"},
		{0x8000000000000001, "-5e-324"},
		{0x7fefffffffffffff, "1.7976931348623157e+308"},
		{0xffefffffffffffff, "-1.7976931348623157e+308"},
		{0x4340000000000000, "9007199254740992"},
		{0xc340000000000000, "-9007199254740992"},
		{0x4430000000000000, "295147905179352830000"},
		{0x44b52d02c7e14af5, "9.999999999999997e+22"},
		{0x44b52d02c7e14af6, "1e+23"},
		{0x44b52d02c7e14af7, "1.0000000000000001e+23"},
		{0x444b1ae4d6e2ef4e, "999999999999999700000"},
		{0x444b1ae4d6e2ef4f, "999999999999999900000"},
		{0x444b1ae4d6e2ef50, "1e+21"},
		{0x3eb0c6f7a0b5ed8c, "9.999999999999997e-7"},
		{0x3eb0c6f7a0b5ed8d, "0.000001"},
		{0x41b3de4355555553, "333333333.3333332"},
		{0x41b3de4355555554, "333333333.33333325"},
		{0x41b3de4355555555, "333333333.3333333"},
		{0x41b3de4355555556, "333333333.3333334"},
		{0x41b3de4355555557, "333333333.33333343"},
		{0xbecbf647612f3696, "-0.0000033333333333333333"},
		{0x43143ff3c1cb0959, "1424953923781206.2"},
	}
	for _, tt := range tests {
		for _, format := range []byte("eg") {
			text := strconv.FormatFloat(math.Float64frombits(tt.bits), format, 20, 64)
			if got, err := canonical(t, text); got != tt.want || err != nil {
				t.Errorf("%x as %s: got %s, %v; want %s", tt.bits, text, got, err, tt.want)
			}
		}
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

func TestCanonicalNumbers(t *testing.T) {
	tests := []struct {
		in, want string
		err      error // with Exact
	}{
		{in: "0", want: "0"},
		{in: "-0", want: "0"},
		{in: "-0.0e5", want: "0"},
		{in: "1.0", want: "1"},
		{in: "0.10", want: "0.1"},
		{in: "0.0000001", want: "1e-7"},
		{in: "0.000001", want: "0.000001"},
		{in: "-0.00000123", want: "-0.00000123"},
		{in: "-0.000000123", want: "-1.23e-7"},
		{in: "1E2", want: "100"},
		{in: "12e-1", want: "1.2"},
		{in: "100000000000000000000", want: "100000000000000000000"},
		{in: "1000000000000000000000", want: "1e+21"},
		{in: "123456789012345", want: "123456789012345"},
		{in: "12345678901234.5", want: "12345678901234.5"},
		{in: "9007199254740992", want: "9007199254740992"},
		{in: "9007199254740993", want: "9007199254740992", err: jsonstream.ErrInexact},
		{in: "0.10000000000000000001", want: "0.1", err: jsonstream.ErrInexact},
		{in: "1e-400", want: "0", err: jsonstream.ErrInexact},
		{in: "1e-99999999999999999999", want: "0", err: jsonstream.ErrInexact},
		{in: "0e99999999999999999999", want: "0"},
		{in: "1e400", err: jsonstream.ErrNumberRange},
		{in: "-1e400", err: jsonstream.ErrNumberRange},
		{in: "1" + strings.Repeat("0", 400), err: jsonstream.ErrNumberRange},
		{in: "1" + strings.Repeat("0", 400) + "e-400", want: "1"},
	}
	for _, tt := range tests {
		root := parse(t, `{"a":[`+tt.in+`]}`).Root()
		got, err := jsonstream.AppendCanonical(nil, root, jsonstream.CanonicalOptions{})
		if tt.want == "" {
			if !errors.Is(err, tt.err) {
				t.Errorf("%.30s: error %v, want %v", tt.in, err, tt.err)
			}
		} else if string(got) != `{"a":[`+tt.want+`]}` || err != nil {
			t.Errorf("%.30s: got %s, %v; want %s", tt.in, got, err, tt.want)
		}
		_, err = jsonstream.AppendCanonical(nil, root, jsonstream.CanonicalOptions{Exact: true})
		if !errors.Is(err, tt.err) {
			t.Errorf("%.30s exactly: error %v, want %v", tt.in, err, tt.err)
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
