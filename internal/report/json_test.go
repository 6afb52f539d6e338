package report

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"

	"github.com/eaapl/handoff/internal/term"
)

// A parser reads the original strings, and nothing in their JSON is invisible.
func TestWriteJSON(t *testing.T) {
	for in, want := range map[string]string{
		"plain <&> é 日本 \u200d":           "plain <&> é 日本 \u200d",
		"\x00\x1b[31m\n\x7f\u009b\u2028":  "\x00\x1b[31m\n\x7f\u009b\u2028",
		"\u202eb\u2066\u200b\ufeff\u3164": "\u202eb\u2066\u200b\ufeff\u3164",
		"\U000e0041\U000e0100 \ufffd":     "\U000e0041\U000e0100 \ufffd",
		"a\xff\x9b31m\n\u202e":            "a\\xff\\x9b31m\n\u202e",
	} {
		var b bytes.Buffer
		if err := WriteJSON(&b, map[string]string{"": in}); err != nil {
			t.Errorf("%q: %v", in, err)
			continue
		}
		line := strings.TrimSuffix(b.String(), "\n")
		if strings.IndexFunc(line, term.IsHidden) >= 0 {
			t.Errorf("%q: raw: %q", in, line)
		}
		var got map[string]string
		if err := json.Unmarshal([]byte(line), &got); err != nil || got[""] != want {
			t.Errorf("%q: got %q (%v), want %q", in, got[""], err, want)
		}
	}
}
