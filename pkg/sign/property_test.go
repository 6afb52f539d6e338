package sign

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/eaapl/handoff/pkg/jsonstream"
)

// jsonValue draws a JSON value whose numbers can be signed.
func jsonValue(t *rapid.T, depth int) any {
	kinds := 4
	if depth > 0 {
		kinds = 6
	}
	switch rapid.IntRange(0, kinds-1).Draw(t, "kind") {
	case 0:
		return rapid.Bool().Draw(t, "boolean")
	case 1:
		return rapid.Int64Range(-1<<53, 1<<53).Draw(t, "number")
	case 2:
		return rapid.StringOfN(rapid.RuneFrom([]rune(`ab"\/ é😀<`+"\n\u2028\x01")), 0, 6, -1).Draw(t, "string")
	case 3:
		return nil
	case 4:
		list := []any{}
		for range rapid.IntRange(0, 3).Draw(t, "elements") {
			list = append(list, jsonValue(t, depth-1))
		}
		return list
	default:
		return jsonObject(t, depth-1)
	}
}

func jsonObject(t *rapid.T, depth int) map[string]any {
	object := map[string]any{}
	for _, name := range rapid.SliceOfNDistinct(rapid.StringOfN(rapid.RuneFrom([]rune("abcé😀\uffff\"")), 0, 3, -1), 0, 4, rapid.ID).Draw(t, "names") {
		object[name] = jsonValue(t, depth)
	}
	return object
}

func encode(t *rapid.T, v any) string {
	text, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// Formatting, the order of members and the spelling of strings and numbers may
// change under a signature.
func TestSpellingDoesNotMatter(t *testing.T) {
	v, k := verifier(t)
	rapid.Check(t, func(t *rapid.T) {
		m := parse(t, mustSign(t, encode(t, jsonObject(t, 3)), k))
		other := respell(t, m.Root())
		if _, err := v.Verify(parse(t, other)); err != nil {
			t.Fatalf("%s\nno longer verifies as\n%s\n%v", m.Raw(), other, err)
		}
	})
}

// respell writes a value in another way.
func respell(t *rapid.T, v jsonstream.Value) string {
	space := func() string { return rapid.SampledFrom([]string{"", " ", "\n\t"}).Draw(t, "space") }
	var parts []string
	switch v.Kind() {
	case jsonstream.Object:
		for name, value := range v.Members() {
			parts = append(parts, escapeAll(name)+space()+":"+space()+respell(t, value)+space())
		}
		return "{" + strings.Join(rapid.Permutation(parts).Draw(t, "order"), ","+space()) + space() + "}"
	case jsonstream.Array:
		for _, value := range v.Elements() {
			parts = append(parts, respell(t, value)+space())
		}
		return "[" + strings.Join(parts, ","+space()) + "]"
	case jsonstream.String:
		return escapeAll(v.Text())
	case jsonstream.Number:
		return string(v.Raw()) + rapid.SampledFrom([]string{"", ".0", "e0", ".00E+0", "e-0"}).Draw(t, "number")
	default:
		return string(v.Raw())
	}
}

func escapeAll(text string) string {
	var b strings.Builder
	for _, r := range text {
		if r > 0xFFFF {
			b.WriteRune(r)
		} else {
			fmt.Fprintf(&b, `\u%04X`, r)
		}
	}
	return `"` + b.String() + `"`
}

// Any value changed, any member added, removed or renamed makes the signature
// fail, at any depth.
func TestAnyChangeFails(t *testing.T) {
	v, k := verifier(t)
	rapid.Check(t, func(t *rapid.T) {
		m := parse(t, mustSign(t, encode(t, map[string]any{"a": jsonObject(t, 3), "b": jsonValue(t, 2)}), k))
		var all []jsonstream.Value
		for value := range m.Root().All() {
			if value.Pointer() != "" && !strings.HasPrefix(value.Pointer(), "/signature") {
				all = append(all, value)
			}
		}
		value := rapid.SampledFrom(all).Draw(t, "value")
		var text []byte
		var err error
		switch rapid.SampledFrom([]string{"change", "add", "remove", "rename"}).Draw(t, "how") {
		case "change":
			other := encode(t, jsonValue(t, 1))
			if other == string(value.Raw()) {
				t.Skip("not a change")
			}
			text, err = jsonstream.Set(m.Document(), value.Pointer(), []byte(other))
		case "add":
			pointer := value.Pointer() + "/-"
			if value.Kind() == jsonstream.Object {
				pointer = jsonstream.AppendPointer(value.Pointer(), "new")
			} else if value.Kind() != jsonstream.Array {
				pointer = "/new"
			}
			text, err = jsonstream.Set(m.Document(), pointer, []byte("null"))
		case "remove":
			text, err = jsonstream.Remove(m.Document(), value.Pointer())
		case "rename":
			if value.Parent().Kind() != jsonstream.Object {
				t.Skip("not a member")
			}
			text, err = jsonstream.Remove(m.Document(), value.Pointer())
			if err == nil {
				pointer := jsonstream.AppendPointer(value.Parent().Pointer(), value.Name()+"x")
				text, err = jsonstream.Set(parse(t, string(text)).Document(), pointer, value.Raw())
			}
		}
		if err != nil {
			t.Fatal(err)
		}
		_, err = v.Verify(parse(t, string(text)))
		if e := (*Error)(nil); !errors.As(err, &e) || e.Reason != Mismatch {
			t.Fatalf("%s\nchanged to\n%s\ngives %v", m.Raw(), text, err)
		}
	})
}

// No byte of a signed message can be changed, unless the message stays the same.
func TestAnyByteCounts(t *testing.T) {
	v, k := verifier(t)
	signed := mustSign(t, `{"taskId":"t1","n":[1,2.5,true,null],"o":{"é":"x"},"signatureKeyId":"k"}`, k)
	want, err := canonical(parse(t, signed))
	if err != nil {
		t.Fatal(err)
	}
	for i := range signed {
		for _, c := range []byte("\x00 \"\\01aAzk}]é,:.") {
			text := []byte(signed)
			if text[i] == c {
				continue
			}
			text[i] = c
			doc, err := jsonstream.Parse(jsonstream.NewRaw(text), jsonstream.Limits{})
			if err != nil {
				continue
			}
			m := parse(t, string(doc.Raw().Bytes))
			if _, err := v.Verify(m); err == nil {
				if got, _ := canonical(m); string(got) != string(want) {
					t.Errorf("verifies: %s", text)
				}
			}
		}
	}
}

func verifier(t *testing.T) (*Verifier, Key) {
	t.Helper()
	k := NewKey("k")
	v, err := NewVerifier([]Key{NewKey("other"), k})
	if err != nil {
		t.Fatal(err)
	}
	return v, k
}
