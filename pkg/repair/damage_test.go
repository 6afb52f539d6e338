package repair

import (
	"bytes"
	"strings"
	"testing"

	"github.com/eaapl/handoff/pkg/jsonstream"
	"github.com/eaapl/handoff/pkg/provider"
)

// TestDamage checks that lines that are not JSON are removed and archived.
func TestDamage(t *testing.T) {
	const meta = `{"timestamp":"t","type":"session_meta","payload":{"id":"s"}}` + "\n"
	const said = `{"timestamp":"t","type":"response_item","payload":{"type":"message","role":"user","content":[{"type":"input_text","text":"hi"}]}}` + "\n"
	nul := strings.Repeat("\x00", 4096)
	for _, tt := range []struct {
		name, text, want string
		did              []string
	}{
		{"in the middle", meta + said[:20] + "\n" + said, meta + said, []string{"removed the incomplete part of line 2: 21 bytes"}},
		{"two in the middle", meta + said[:20] + "\n" + said + said[:7] + "\r\n" + said, meta + said + said, []string{"removed the incomplete part of line 2: 21 bytes", "removed the incomplete part of line 4: 9 bytes"}},
		{"joined with the next", meta + said[:20] + said + said, meta + said + said, []string{"removed the incomplete part of line 2: 20 bytes"}},
		{"two on a line", meta + said[:len(said)-1] + said + said, meta + said + said + said, []string{"put the 2 documents of line 2 on lines of their own"}},
		{"three on the last line", meta + strings.Repeat(said[:len(said)-1], 3), meta + said + said + said[:len(said)-1], []string{"put the 3 documents of line 2 on lines of their own"}},
		{"two on a line, and a torn one", meta + said[:len(said)-1] + said[:20] + said, meta + said + said, []string{"removed the incomplete part of line 2: 20 bytes", "put the 2 documents of line 2 on lines of their own"}},
		{"at the end", meta + said + said[:1], meta + said, []string{"removed the incomplete last line: 1 byte"}},
		{"NUL bytes", meta + said + nul, meta + said, []string{"removed line 3, which has only NUL bytes, as after a power failure: 4096 bytes"}},
		{"NUL bytes after a torn line", meta + said + said[:20] + nul, meta + said, []string{"removed the incomplete last line: 4116 bytes"}},
		{"NUL bytes before the next line", meta + nul + "\n" + said, meta + said, []string{"removed line 2, which has only NUL bytes"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			raw := jsonstream.NewRaw([]byte(tt.text))
			raw.Lines = true
			doc, damage, err := Parse(raw, jsonstream.Limits{})
			if err != nil {
				t.Fatal(err)
			}
			r, err := Message(doc, jsonstream.Limits{}, Options{Damage: damage})
			if err != nil || string(r.Text) != tt.want || len(r.Left) > 0 {
				t.Fatalf("%v, left %+v: %q", err, r.Left, r.Text)
			}
			for i, did := range tt.did {
				if len(r.Steps) != len(tt.did) || !strings.HasPrefix(r.Steps[i].Did, did) {
					t.Fatalf("steps %+v, want %q", r.Steps, tt.did)
				}
			}
			restored, err := archiveOf(t, r.Archive).Restore(r.Text)
			if err != nil || !bytes.Equal(restored, []byte(tt.text)) {
				t.Errorf("restored %q: %v", restored, err)
			}
		})
	}
	raw := jsonstream.NewRaw([]byte(meta + strings.Repeat("{\n", maxDamaged+1) + said))
	raw.Lines = true
	if _, _, err := Parse(raw, jsonstream.Limits{}); err == nil {
		t.Errorf("%d damaged lines were removed", maxDamaged+1)
	}
}

// TestDamageRelinks checks that the children of a damaged line of Claude Code follow the line before it,
// so the conversation keeps its turns.
func TestDamageRelinks(t *testing.T) {
	const one = `{"parentUuid":null,"sessionId":"s","type":"user","message":{"role":"user","content":"one"},"uuid":"u1","timestamp":"2026-06-12T09:00:00.000Z"}` + "\n"
	const torn = `{"parentUuid":"u1","sessionId":"s","type":"assistant","mess` + "\n"
	const two = `{"parentUuid":"a1","sessionId":"s","type":"user","message":{"role":"user","content":"two"},"uuid":"u2","timestamp":"2026-06-12T09:02:00.000Z"}` + "\n"
	raw := jsonstream.NewRaw([]byte(one + torn + two))
	raw.Lines = true
	doc, damage, err := Parse(raw, jsonstream.Limits{})
	if err != nil {
		t.Fatal(err)
	}
	r, err := Message(doc, jsonstream.Limits{}, Options{For: provider.OpenAIChat, Damage: damage})
	if want := one + strings.Replace(two, "a1", "u1", 1); err != nil || string(r.Text) != want || len(r.Steps) != 2 {
		t.Errorf("%v, %+v: %s", err, r.Steps, r.Text)
	}
	restored, err := archiveOf(t, r.Archive).Restore(r.Text)
	if err != nil || string(restored) != one+torn+two {
		t.Errorf("restored %q: %v", restored, err)
	}
}

// TestDamageThatIsNone checks that lines with other faults, and lines of other files, are not removed.
func TestDamageThatIsNone(t *testing.T) {
	const line = `{"timestamp":"t","type":"session_meta","payload":{"id":"s"}}` + "\n"
	for _, text := range []string{"x\ny\n" + line, line + `{"payload":1,"payload":2}` + "\n" + line, line + line + strings.Repeat("[", 2000) + "\n"} {
		raw := jsonstream.NewRaw([]byte(text))
		raw.Lines = true
		if _, damage, err := Parse(raw, jsonstream.Limits{}); err == nil {
			t.Errorf("%.80s: read, but for %+v", text, damage.steps)
		}
	}
}
