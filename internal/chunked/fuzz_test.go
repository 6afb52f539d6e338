package chunked

import (
	"bytes"
	"testing"

	"github.com/eaapl/handoff/pkg/jsonstream"
	"github.com/eaapl/handoff/pkg/message"
	"github.com/eaapl/handoff/pkg/validate"
)

// For any input, the assembler does not panic and its counts are right, and every complete message
// is valid.
func FuzzAssembler(f *testing.F) {
	for _, room := range []int{50, 600} {
		f.Add(bytes.Join(split(f, example(f), room, SplitOptions{}), []byte("\n")), uint8(0))
		f.Add(bytes.Join(split(f, example(f), room, SplitOptions{Key: secret(f, "k")}), []byte("\n")), uint8(2))
	}
	v := validate.New(validate.Options{})
	f.Fuzz(func(t *testing.T, input []byte, held uint8) {
		a := NewAssembler(AssemblerOptions{MaxHeld: int(held % 8), MaxStreams: 4, MaxStreamBytes: 1 << 20, Limits: jsonstream.Limits{MaxBytes: 1 << 20, MaxDepth: 64}})
		chunks := bytes.Split(input, []byte("\n"))
		for i := range chunks {
			if i > 0 { // so that the fuzzer need not guess the digests
				chunks[i] = bytes.ReplaceAll(chunks[i], []byte("PREVIOUS"), []byte(chainDigest(bytes.TrimSpace(chunks[i-1]))))
			}
		}
		var open int
		for _, e := range append(add(t, a, chunks...), a.Close()...) {
			switch e.Kind {
			case Began:
				open++
			case Completed:
				open--
				if _, r, err := v.ValidateRaw(t.Context(), jsonstream.NewRaw(e.Message), jsonstream.Limits{}); err != nil || !r.Valid {
					t.Errorf("%+v, error %v:\n%s", r, err, e.Message)
				}
			case Failed:
				_ = e.Fault.Error()
			}
		}
		if a.total != 0 || a.Open() != 0 || open < 0 {
			t.Errorf("%d bytes in %d streams stay; %d more began than ended", a.total, a.Open(), open)
		}
	})
}

// Appending to a growth gives the same as appending to a document, or an error.
func FuzzGrowth(f *testing.F) {
	f.Add([]byte(`{"a":[1,{"b":"x"}],"c":{}}`), "/a/1/b", []byte(`"y\u0041"`), "/c", []byte(`{"d":[]}`))
	f.Add([]byte(`{"":[[]]}`), "/", []byte(`[ 2 ]`), "//1", []byte(`[3]`))
	f.Add([]byte(`{"a~/":""}`), "/a~0~1", []byte(`"\ud83d\ude00"`), "", []byte(`{"x":{"y":1}}`))
	f.Fuzz(func(t *testing.T, first []byte, at1 string, add1 []byte, at2 string, add2 []byte) {
		m, err := message.Parse(first, message.Options{})
		if err != nil || m.Root().Kind() != jsonstream.Object {
			return
		}
		g := newGrowth(m.Root(), jsonstream.Limits{})
		want := m
		for _, a := range []struct {
			at  string
			add []byte
		}{{at1, add1}, {at2, add2}} {
			doc, err := jsonstream.Parse(jsonstream.NewRaw(a.add), jsonstream.Limits{})
			if err != nil || !divisible(doc.Root().Kind()) {
				return
			}
			if g.append(a.at, doc.Root()) != nil {
				return
			}
			want = appended(t, want, a.at, doc.Root())
			text := jsonstream.AppendCompact(nil, want.Raw())
			if got := g.bytes(); !bytes.Equal(got, text) || g.size != len(text) {
				t.Fatalf("got %s of %d bytes, want %s", got, g.size, text)
			}
		}
	})
}

// appended is a simple implementation of appending.
func appended(t *testing.T, m *message.Message, at string, add jsonstream.Value) *message.Message {
	var err error
	switch target := m.Root().At(at); add.Kind() {
	case jsonstream.String:
		raw := string(target.Raw())
		m, err = m.Set(at, []byte(raw[:len(raw)-1]+string(add.Raw()[1:])))
	case jsonstream.Array:
		for _, element := range add.Elements() {
			if m, err = m.Set(at+"/-", element.Raw()); err != nil {
				break
			}
		}
	default:
		text := []byte(`{`)
		for _, list := range []jsonstream.Value{target, add} {
			for _, v := range list.Members() {
				text = appendChild(jsonstream.AppendComma(text), v)
			}
		}
		if text = append(text, '}'); at == "" {
			return parse(t, string(text))
		}
		m, err = m.Set(at, text)
	}
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// The pieces of a string are strings that together give the string.
func FuzzCut(f *testing.F) {
	f.Add(`"a\ud83d\ude00é😀\n\\\u0041"`, 3)
	f.Fuzz(func(t *testing.T, text string, n int) {
		doc, err := jsonstream.Parse(jsonstream.NewRaw([]byte(text)), jsonstream.Limits{})
		if err != nil || doc.Root().Kind() != jsonstream.String {
			return
		}
		n = max(n, longestCharacter)
		var joined []byte
		for rest := inside(doc.Root()); len(rest) > 0; {
			k := cut(rest, n)
			if k == 0 || k > n {
				t.Fatalf("%d of at most %d bytes of %s", k, n, rest)
			}
			piece := `"` + string(rest[:k]) + `"`
			if _, err := jsonstream.Parse(jsonstream.NewRaw([]byte(piece)), jsonstream.Limits{}); err != nil {
				t.Fatalf("%s: %v", piece, err)
			}
			joined, rest = append(joined, rest[:k]...), rest[k:]
		}
		if !bytes.Equal(joined, inside(doc.Root())) {
			t.Fatalf("got %s", joined)
		}
	})
}
