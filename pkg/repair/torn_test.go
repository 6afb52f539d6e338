package repair

import (
	"bytes"
	"strings"
	"testing"

	"github.com/eaapl/handoff/pkg/jsonstream"
)

// What is no line is taken out wherever it is, a line that was written right after it stays, and the
// archive has the text as it was.
func TestTorn(t *testing.T) {
	line := func(uuid, parent, role, text string) string {
		return `{"parentUuid":` + parent + `,"isSidechain":false,"cwd":"/w","sessionId":"s","version":"2.1.0","type":"` + role + `","message":{"role":"` + role +
			`","content":"` + text + `"},"uuid":"` + uuid + `","timestamp":"2026-06-12T09:00:00.000Z"}`
	}
	a, b, c := line("a", "null", "user", "x"), line("b", `"a"`, "assistant", "y"), line("c", `"b"`, "user", "{\\\"z\\\"")
	tests := []struct{ name, text, want, did string }{
		{"the last line", a + "\n" + b + "\n" + c[:50], a + "\n" + b + "\n", "cut off the last line, which is not whole: 50 bytes"},
		{"one in the middle", a + "\n" + c[:50] + "\n" + b + "\n", a + "\n" + b + "\n", "took what is no whole line out of line 2: 51 bytes"},
		{"a beginning before a line", a + "\n" + c[:50] + b + "\n" + c + "\n", a + "\n" + b + "\n" + c + "\n", "took what is no whole line out of line 2: 50 bytes"},
		{"half a character", a + "\n" + `{"type":"user","message":{"content":"é`[:38] + "\n" + b + "\n", a + "\n" + b + "\n", "out of line 2"},
		{"zeros", a + "\n" + b + "\n" + strings.Repeat("\x00", 100), a + "\n" + b + "\n", "cut off the last line, which is not whole: 100 bytes"},
		{"a log line", a + "\nstarted\n" + b + "\r\n", a + "\n" + b + "\r\n", "took what is no whole line out of line 2: 8 bytes"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			r, err := wholeLines([]byte(tt.text), Options{})
			if err != nil {
				t.Fatal(err)
			}
			if string(r.Text) != tt.want || len(r.Steps) != 1 || !strings.Contains(r.Steps[0].Did, tt.did) {
				t.Errorf("repaired to %s by %+v, want %s by %q", r.Text, r.Steps, tt.want, tt.did)
			}
			archive, err := ReadArchive(bytes.NewReader(append(r.Archive, '\n')))
			if err != nil {
				t.Fatal(err)
			}
			if was, err := archive.Restore(r.Text); err != nil || string(was) != tt.text {
				t.Errorf("restored as %s: %v", was, err)
			}
		})
	}
	for _, text := range []string{"x\ny\n" + a + "\n", a + "\n" + `{"uuid":"1","uuid":"2"}` + "\n" + b + "\n", a + "\n" + strings.Repeat("[", 2000)} {
		raw := jsonstream.NewRaw([]byte(text))
		raw.Lines = true
		if _, damage, err := Parse(raw, jsonstream.Limits{}); err == nil {
			t.Errorf("%.60s: read, but for %+v", text, damage)
		}
	}
}
