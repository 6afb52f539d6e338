package sw4rm_test

import (
	"encoding/base64"
	"errors"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/eaapl/handoff/pkg/format"
	"github.com/eaapl/handoff/pkg/formats/sw4rm"
	"github.com/eaapl/handoff/pkg/jsonstream"
)

func document(t interface {
	Helper()
	Fatal(...any)
}, text string) *jsonstream.Document {
	t.Helper()
	doc, err := jsonstream.Parse(jsonstream.NewRaw([]byte(text)), jsonstream.Limits{})
	if err != nil {
		t.Fatal(err)
	}
	return doc
}

// TestSpecBinaryData checks "Use references (URLs, IDs) rather than embedding": data that was moved out
// of a context is restored byte for byte.
func TestSpecBinaryData(t *testing.T) {
	binary := rapid.Custom(func(t *rapid.T) string {
		text := base64.StdEncoding.EncodeToString(rapid.SliceOfN(rapid.Byte(), 1200, 1300).Draw(t, "content"))
		switch rapid.IntRange(0, 5).Draw(t, "form") {
		case 0:
			return "data:image/png;base64," + text[:40]
		case 1:
			return text[:600] + `\r\n` + text[600:]
		case 2:
			return strings.NewReplacer("+", "-", "/", "_").Replace(text)
		case 3:
			return strings.ReplaceAll(text, "/", `\/`)
		case 4:
			return "a word"
		default:
			return text
		}
	})
	rapid.Check(t, func(t *rapid.T) {
		context := `{"conversation_history":[ {"role":"user","content":"` + binary.Draw(t, "turn") + `"}], "tool_state":{"x":["` +
			binary.Draw(t, "state") + `",1.50]},"metadata":{"a":"` + binary.Draw(t, "metadata") + `"}}`
		message, kind := context, format.SW4RMContext
		if rapid.Bool().Draw(t, "request") {
			kind = format.SW4RMRequest
			message = `{"from_agent":"a","to_agent":"b","reason":"r","context_snapshot":"` + base64.StdEncoding.EncodeToString([]byte(context)) + `"}`
		}
		text, blobs, err := sw4rm.Externalize(document(t, message), kind, jsonstream.Limits{})
		if err != nil {
			t.Fatal(err)
		}
		files := map[string][]byte{}
		for _, b := range blobs {
			files[b.Name] = b.Content
		}
		small := document(t, string(text))
		for _, p := range sw4rm.Check(small, kind, jsonstream.Limits{}) {
			if p.Rule == "sw4rm/embedded-binary" {
				t.Errorf("%s is embedded still", p.Pointer)
			}
		}
		back, n, err := sw4rm.Internalize(small, kind, jsonstream.Limits{}, func(name string) ([]byte, error) { return files[name], nil })
		if err != nil || n != len(blobs) || string(back) != message {
			t.Fatalf("%d of %d, error %v: %s, want %s", n, len(blobs), err, back, message)
		}
	})
}

func TestInternalizeErrors(t *testing.T) {
	name := strings.Repeat("0", 64)
	context := `{"conversation_history":[],"tool_state":{},"metadata":{"a":"sha256:` + name + `;base64"}}`
	read := func(string) ([]byte, error) { return []byte("x"), nil }
	if _, _, err := sw4rm.Internalize(document(t, context), format.SW4RMContext, jsonstream.Limits{}, read); err == nil || !strings.Contains(err.Error(), "/metadata/a: sha256:"+name+": the content was changed: its SHA-256") {
		t.Error(err)
	}
	missing := func(string) ([]byte, error) { return nil, sw4rm.ErrNoBlob }
	if _, _, err := sw4rm.Internalize(document(t, context), format.SW4RMContext, jsonstream.Limits{}, missing); !errors.Is(err, sw4rm.ErrNoBlob) {
		t.Error(err)
	}
	const other = `{"conversation_history":[],"tool_state":{},"metadata":{"a":"sha256:abc;base64"}}`
	if text, n, err := sw4rm.Internalize(document(t, other), format.SW4RMContext, jsonstream.Limits{}, missing); err != nil || n != 0 || string(text) != other {
		t.Error(string(text), n, err)
	}
}
