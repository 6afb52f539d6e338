package formats

import (
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/eaapl/handoff/pkg/format"
	"github.com/eaapl/handoff/pkg/jsonstream"
)

// TestTakesLines checks that the first line decides whether a file is one message.
func TestTakesLines(t *testing.T) {
	for line, want := range map[string]bool{
		`{"type":"user","message":{"role":"user","content":"hi"},"uuid":"a","sessionId":"s"}`:   true,
		`{"type":"summary","summary":"x","leafUuid":"a"}`:                                       true,
		`{"type":"file-history-snapshot","messageId":"a","snapshot":{}}`:                        true,
		`{"type":"permission-mode","permissionMode":"default","sessionId":"s"}`:                 true,
		`{"type":"system","subtype":"init","session_id":"s"}`:                                   true,
		`{"timestamp":"2026-06-12T09:00:00Z","type":"session_meta","payload":{}}`:               true,
		`{"id":"s","timestamp":"2026-06-12T09:00:00Z","instructions":null}`:                     true,
		`{"id":"s","timestamp":"2026-06-12T09:00:00Z"}`:                                         false,
		`{"handoffId":"h","sessionId":"s","type":"user"}`:                                       false,
		`{"protocolVersion":"1.0","mode":"macp.mode.handoff.v1","sessionId":"s"}`:               false,
		`{"messageId":"m","role":"ROLE_USER","parts":[{"text":"hi"}]}`:                          false,
		`{"role":"user","content":"sessionId"}`:                                                 false,
		`{"type":"message","role":"user","content":[{"type":"input_text","text":"payload"}]}`:   false,
		`{"type":"user","message":{"role":"user","content":"hi"},"uuid":"a","sessionId":"s"`:    false,
		`{"type":"response_item","payload":"x"}`:                                                false,
		`[{"type":"user","message":{"role":"user","content":"hi"},"uuid":"a","sessionId":"s"}]`: false,
	} {
		if got := TakesLines("")([]byte(line)); got != want {
			t.Errorf("%s: %v", line, got)
		}
		if !TakesLines(format.Codex)([]byte(line)) || TakesLines(format.EAAPL)([]byte(line)) {
			t.Errorf("%s: the given format is ignored", line)
		}
	}
}

// TestSessions compares the turns of sessions by their lines.
func TestSessions(t *testing.T) {
	for name, want := range map[string]struct {
		format format.Format
		path   []int
	}{
		"claude-code/session.jsonl":   {format.ClaudeCode, []int{1, 2, 3, 4, 5, 6, 11, 12, 13}},
		"claude-code/compacted.jsonl": {format.ClaudeCode, []int{3, 4, 5}},
		"codex/rollout.jsonl":         {format.Codex, []int{2, 4, 5, 6, 8}},
		"codex/first.jsonl":           {format.Codex, []int{2, 3, 4, 5}},
	} {
		text, err := os.ReadFile(filepath.Join("../../testdata/chat", name))
		if err != nil {
			t.Fatal(err)
		}
		doc, err := jsonstream.ParseLines(jsonstream.NewRaw(text), jsonstream.Limits{})
		if err != nil {
			t.Fatal(err)
		}
		f, _ := Detect(doc.Root())
		if f != want.format {
			t.Errorf("%s is %s", name, f)
			continue
		}
		var got []int
		for _, at := range Named(f).Known.Path(doc.Root().Elements()) {
			got = append(got, int(at.Index))
		}
		if !slices.Equal(got, want.path) {
			t.Errorf("%s: turns %d, want %d", name, got, want.path)
		}
	}
}

// TestDetector checks that a Detector finds the format of the whole file, even if only late lines
// identify it.
func TestDetector(t *testing.T) {
	lines := []string{`{"type":"user","uuid":"a","parentUuid":null,"message":{"role":"user","content":"x"}}`, `{"type":"summary","leafUuid":"a"}`,
		`{"type":"response_item","timestamp":"t","payload":{}}`, `{"type":"event_msg","timestamp":"t","payload":{}}`, `{"role":"user","content":"x"}`,
		`{"type":"message","role":"user","content":[]}`, `{"role":"model","parts":[{"text":"x"}]}`, `{}`, `1`, `{"from":"me"}`}
	for seed := range uint64(3000) {
		rng := rand.New(rand.NewPCG(seed, 3))
		var text []byte
		var blocks [][]byte
		kinds := []int{rng.IntN(len(lines)), rng.IntN(len(lines)), rng.IntN(len(lines)), rng.IntN(len(lines))}
		for range 1 + rng.IntN(8) {
			kind := kinds[rng.IntN(len(kinds))]
			var block []byte
			for range 1 + rng.IntN(60) {
				if rng.IntN(10) == 0 {
					kind = kinds[rng.IntN(len(kinds))]
				}
				block = append(append(block, lines[kind]...), '\n')
			}
			text, blocks = append(text, block...), append(blocks, block)
		}
		whole, err := jsonstream.ParseLines(jsonstream.NewRaw(text), jsonstream.Limits{})
		if err != nil {
			t.Fatal(err)
		}
		want, known := Detect(whole.Root())
		var d Detector
		first := 0
		for _, block := range blocks {
			doc, err := jsonstream.Parse(jsonstream.Raw{Bytes: block, Lines: true, First: first}, jsonstream.Limits{})
			if err != nil {
				t.Fatal(err)
			}
			first += doc.Root().Len()
			if d.Add(doc.Root()) {
				break
			}
		}
		if got, ok := d.Format(); got != want || ok != known {
			t.Fatalf("%q, want %q: %s", got, want, text)
		}
	}
}
