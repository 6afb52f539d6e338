package jsonstream

import (
	"slices"
	"strings"
	"testing"
)

// scans reads a text by scan and by decode. They must agree, except that scan may leave a valid
// text to decode.
func scans(t *testing.T, text []byte) (scanned, decoded bool) {
	t.Helper()
	limits := Limits{MaxDepth: 20}
	fast, slow := &Parser{doc: Document{raw: NewRaw(text)}}, &Document{raw: NewRaw(text)}
	scanned = fast.scan(0, len(fast.doc.raw.Bytes), -1, limits.maxDepth())
	decoded = notText(text) == "" && slow.decode(slow.raw, 0, -1, limits) == nil
	if scanned && !decoded {
		t.Fatalf("%q: accepted, and is not strict JSON", text)
	}
	if !scanned {
		return scanned, decoded
	}
	if !slices.Equal(fast.doc.nodes, slow.nodes) {
		t.Fatalf("%q:\ngot  %+v\nwant %+v", text, fast.doc.nodes, slow.nodes)
	}
	return scanned, decoded
}

// A Parser reads each document as if it were the first.
func TestParserAgain(t *testing.T) {
	var p Parser
	for range 2 {
		for _, text := range append(scanned, damaged...) {
			want, wantErr := Parse(NewRaw([]byte(text)), Limits{MaxDepth: 20})
			got, err := p.Parse(NewRaw([]byte(text)), Limits{MaxDepth: 20})
			if (err == nil) != (wantErr == nil) || err != nil && err.Error() != wantErr.Error() {
				t.Fatalf("%q: got error %v, want %v", text, err, wantErr)
			}
			if err == nil && !slices.Equal(got.nodes, want.nodes) {
				t.Errorf("%q:\ngot  %+v\nwant %+v", text, got.nodes, want.nodes)
			}
		}
	}
}

func TestParserAllocates(t *testing.T) {
	raw := NewRaw([]byte(`{"a": [1, 2, {"b": "text"}], "c": true}`))
	var p Parser
	allocations := testing.AllocsPerRun(100, func() {
		if _, err := p.Parse(raw, Limits{}); err != nil {
			t.Fatal(err)
		}
	})
	if allocations != 0 {
		t.Errorf("%v allocations, want none", allocations)
	}
}

var scanned = []string{
	`{}`, `[]`, ` [ ] `, `{"a":{},"b":[[],[{}]]}`, "\t{\r\n\"a\" : [ 1 , 2 ] , \"b\" : null }\n",
	`0`, `-0`, `-1.5e+10`, `1E5`, `0.0`, `true`, `false`, `null`,
	`""`, `"é€😀"`, `"\"\\\/\b\f\n\r\t\u0000\u00e9\uD83D\ude00"`, `"1234567\n12345678\"` + "\u007f" + `"`,
	`{"abcdefgh":1,"abcdefgi":2,"abcdefg":3,"":4,"a":5}`, strings.Repeat("[", 20) + strings.Repeat("]", 20),
}

var damaged = []string{
	``, ` `, `{`, `[`, `}`, `{]`, `[}`, `{"a"}`, `{"a":}`, `{"a":1,}`, `{,}`, `[,]`, `[1,]`, `[1 2]`, `{"a" 1}`, `{a:1}`, `{1:1}`,
	`{"a":1 "b":2}`, `[]]`, `[] []`, `1 2`, `{"a":1,"a":2}`, `{"abcdefghi":1,"b":2,"abcdefghi":3}`, `{"a":1,"\u0061":2}`,
	`-`, `+1`, `01`, `-01`, `1.`, `.5`, `1e`, `1e+`, `0x1`, `1_0`, `NaN`, `tru`, `truE`, `nul`, `truefalse`,
	`"`, `"a`, `"\`, `"\x"`, `"\u12"`, `"\u12g4"`, `"\ud800"`, `"\udc00"`, `"\ud800\u0041"`, `"\ud800\n"`, "\"\n\"", "\"\x00\"", "\"1234567\x1f\"",
	"\"\xff\"", "\"\xc0\x80\"", "\"\xed\xa0\x80\"", "\"12345678\xe2\x82\"", "\xef\xbb\xbf{}", "[1\x00]", "[1\u00a0]",
	strings.Repeat("[", 21) + strings.Repeat("]", 21),
}

func TestScan(t *testing.T) {
	for _, text := range scanned {
		if ok, _ := scans(t, []byte(text)); !ok {
			t.Errorf("%s: not read", text)
		}
	}
	for _, text := range damaged {
		if _, ok := scans(t, []byte(text)); ok {
			t.Errorf("%s: is strict JSON", text)
		}
	}
}

// Objects of any size are read, and their duplicate names found.
func TestScanManyMembers(t *testing.T) {
	var names []string
	for i := range 300 {
		names = append(names, strings.Repeat("n", i+1))
		text := `{"` + strings.Join(names, `":0,"`) + `":0}`
		if ok, decoded := scans(t, []byte(text)); !decoded || !ok {
			t.Fatalf("%d members: scanned %v, decoded %v", i+1, ok, decoded)
		}
		if _, ok := scans(t, []byte(strings.Replace(text, "{", `{"`+names[i/2]+`":0,`, 1))); ok {
			t.Fatalf("%d members and a duplicate: is strict JSON", i+1)
		}
	}
}

func TestContinuations(t *testing.T) {
	for _, text := range append(scanned, "\xff\x80\xbf\xc0", "é€😀é€😀é€😀"[1:], "😀"[2:]) {
		want := 0
		for _, c := range []byte(text) {
			if c >= 0x80 && c < 0xC0 {
				want++
			}
		}
		if got := continuations([]byte(text)); got != want {
			t.Errorf("%q: got %d, want %d", text, got, want)
		}
	}
}

func FuzzScan(f *testing.F) {
	for _, text := range append(scanned, damaged...) {
		f.Add([]byte(text))
	}
	f.Fuzz(func(t *testing.T, text []byte) { scans(t, text) })
}
