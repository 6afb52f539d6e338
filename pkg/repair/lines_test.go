package repair

import (
	"bytes"
	"encoding/json"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/eaapl/handoff/internal/oracle"
	"github.com/eaapl/handoff/internal/tier"
	"github.com/eaapl/handoff/pkg/format"
	"github.com/eaapl/handoff/pkg/history"
	"github.com/eaapl/handoff/pkg/jsonstream"
	"github.com/eaapl/handoff/vectors"
)

// sessions returns the lines of complete sessions: of files, and of the conformance suite.
func sessions(t *testing.T, f format.Format, pattern string) (all [][][]byte) {
	var texts [][]byte
	for _, c := range vectors.Cases("histories") {
		if c.Operation == vectors.CheckHistory && c.Input.Format == string(f) {
			texts = append(texts, []byte(c.Input.History))
		}
	}
	paths, err := filepath.Glob(filepath.Join("..", "..", "testdata", filepath.FromSlash(pattern)))
	if err != nil || len(paths) == 0 || len(texts) == 0 {
		t.Fatalf("%s: %d files, %d cases: %v", pattern, len(paths), len(texts), err)
	}
	for _, path := range paths {
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		texts = append(texts, text)
	}
	for _, text := range texts {
		raw := jsonstream.NewRaw(text)
		raw.Lines = true
		if doc, _, err := Parse(raw, jsonstream.Unlimited()); err == nil {
			all = append(all, slices.Collect(bytes.Lines(doc.Raw().Bytes)))
		}
	}
	return all
}

// mutateLines removes, repeats or exchanges lines.
func mutateLines(rng *rand.Rand, lines [][]byte) []byte {
	lines = slices.Clone(lines)
	for range 1 + rng.IntN(3) {
		i, j := rng.IntN(len(lines)), rng.IntN(len(lines))
		switch rng.IntN(4) {
		case 0, 1:
			if len(lines) > 3 {
				lines = slices.Delete(lines, i, i+1)
			}
		case 2:
			lines = slices.Insert(lines, i, lines[j])
		case 3:
			lines[i], lines[j] = lines[j], lines[i]
		}
	}
	return bytes.Join(lines, nil)
}

// TestSessions repairs sessions with removed, repeated and exchanged lines. It checks that no text is
// lost, that Claude's own reader finds the turns, and that the schema of Codex accepts the lines.
func TestSessions(t *testing.T) {
	count, program := tier.Count(150, 1500), oracle.New(t)
	for f, pattern := range map[format.Format]string{
		format.ClaudeCode: "sessions/claude/projects/*/*.jsonl",
		format.Codex:      "sessions/codex/sessions/*/*/*/*.jsonl",
	} {
		t.Run(string(f), func(t *testing.T) {
			all := sessions(t, f, pattern)
			var given, questions [][]byte
			var turns [][]string
			mended := 0
			for seed := range uint64(count) {
				rng := rand.New(rand.NewPCG(seed, 11))
				text := mutateLines(rng, all[rng.IntN(len(all))])
				if _, err := history.Of(document(t, text), f, jsonstream.Unlimited()); err != nil {
					continue
				}
				r := repaired(t, text, Options{Format: f})
				if len(r.Left) > 0 {
					t.Errorf("seed %d: left %+v\n%s", seed, r.Left, text)
				}
				now := strings.Join(words(t, r.Text, f), "\n")
				for _, said := range words(t, text, f) {
					if !strings.Contains(now, said) {
						t.Errorf("seed %d: %q is lost\n%+v", seed, said, r.Steps)
					}
				}
				if len(r.Steps) == 0 {
					continue
				}
				mended++
				quoted, err := json.Marshal(string(r.Text))
				if err != nil {
					t.Fatal(err)
				}
				before, err := json.Marshal(string(text))
				if err != nil {
					t.Fatal(err)
				}
				given = append(given, before)
				h, err := history.Of(document(t, r.Text), f, jsonstream.Unlimited())
				if err != nil {
					t.Fatal(err)
				}
				var uuids []string
				for _, turn := range h.Turns {
					uuids = append(uuids, turn.Value.Get("uuid").Text())
				}
				questions, turns = append(questions, quoted), append(turns, uuids)
			}
			if t.Logf("%d repaired", mended); mended < count/5 {
				t.Errorf("only %d were repaired", mended)
			}
			if f == format.Codex {
				schema := program.Start(t, "codex")
				taken, after := 0, schema.Ask(questions...)
				for i, answer := range schema.Ask(given...) {
					if !answer.OK { // its lines were invalid before the repair too
						continue
					}
					if taken++; !after[i].OK {
						t.Errorf("%s\n%s", after[i].Error, questions[i])
					}
				}
				if t.Logf("the schema of Codex takes %d of %d before", taken, len(given)); taken < count/30 { // the lines with all members of the current schema
					t.Errorf("the schema of Codex takes only %d of %d before they are repaired", taken, len(given))
				}
				return
			}
			for i, answer := range program.Start(t, "claude-code").Ask(questions...) {
				var found struct{ UUIDs []string }
				if err := json.Unmarshal(answer.Raw, &found); err != nil {
					t.Fatal(err)
				}
				shown := slices.DeleteFunc(found.UUIDs, func(id string) bool { return !slices.Contains(turns[i], id) })
				if want := visible(t, questions[i], turns[i]); !slices.Equal(shown, want) {
					t.Errorf("the reader finds %q, want %q in %s", shown, want, questions[i])
				}
			}
		})
	}
}

// visible returns the turns that the reader shows, which are not the program's own.
func visible(t *testing.T, quoted []byte, turns []string) (shown []string) {
	var text string
	if err := json.Unmarshal(quoted, &text); err != nil {
		t.Fatal(err)
	}
	hidden := map[string]bool{}
	for _, line := range document(t, []byte(text)).Root().Elements() {
		hidden[line.Get("uuid").Text()] = line.Get("isMeta").Kind() == jsonstream.True || line.Get("isSidechain").Kind() == jsonstream.True
	}
	return slices.DeleteFunc(slices.Clone(turns), func(id string) bool { return hidden[id] })
}
