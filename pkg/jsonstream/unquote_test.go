package jsonstream_test

import (
	"encoding/json"
	"testing"

	"pgregory.net/rapid"

	"github.com/eaapl/handoff/pkg/jsonstream"
)

func TestUnquote(t *testing.T) {
	part := rapid.OneOf(rapid.SampledFrom([]string{`\n`, `\"`, `\\`, `\/`, `\b`, `\f`, `\r`, `\t`, `\u0000`, `\u00E9`, `\uD83D\uDE00`, `\uFFFF`}), rapid.StringMatching(`[a-z é😀]{0,3}`))
	rapid.Check(t, func(t *rapid.T) {
		raw := `"`
		for range rapid.IntRange(0, 5).Draw(t, "parts") {
			raw += part.Draw(t, "part")
		}
		raw += `"`
		var want string
		if err := json.Unmarshal([]byte(raw), &want); err != nil {
			t.Fatal(err)
		}
		got, _ := jsonstream.Unquote([]byte(raw), []byte("before"))
		if string(got) != want {
			t.Errorf("%s is %q, want %q", raw, got, want)
		}
		document, err := jsonstream.Parse(jsonstream.NewRaw([]byte(raw)), jsonstream.Limits{})
		if err != nil {
			t.Fatal(err)
		}
		if got := document.Root().Text(); got != want {
			t.Errorf("the text of %s is %q, want %q", raw, got, want)
		}
	})
}
