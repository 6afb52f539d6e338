package formats_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/eaapl/handoff/internal/tier"
	"github.com/eaapl/handoff/pkg/format"
	"github.com/eaapl/handoff/pkg/formats"
	"github.com/eaapl/handoff/pkg/history"
	"github.com/eaapl/handoff/pkg/jsonstream"
)

// geminiLog returns a session of the Gemini CLI with repeated ids, rewinds and compressions.
func geminiLog(r *rand.Rand) []byte {
	var b bytes.Buffer
	b.WriteString(`{"sessionId":"s","projectHash":"h"}` + "\n")
	message := func(id, n int) string {
		return fmt.Sprintf(`{"id":"%d","timestamp":"2026-06-12T09:00:00.000Z","type":%q,"content":"text %d"}`, id, []string{"user", "gemini", "info"}[r.IntN(3)], n)
	}
	for n := range 3 + r.IntN(20) {
		switch r.IntN(12) {
		case 0:
			fmt.Fprintf(&b, `{"$rewindTo":"%d"}`+"\n", r.IntN(n+1))
		case 1:
			fmt.Fprintf(&b, `{"$set":{"messages":[%s,%s]}}`+"\n", message(100+n, 100+n), message(200+n, 200+n))
		case 2, 3: // a message again
			fmt.Fprintln(&b, message(r.IntN(n+1), n))
		default:
			fmt.Fprintln(&b, message(n, n))
		}
	}
	return b.Bytes()
}

// copilotLog returns a session of the Copilot CLI with rewinds and compactions.
func copilotLog(r *rand.Rand) []byte {
	var b bytes.Buffer
	b.WriteString(`{"type":"session.start","data":{"sessionId":"s"},"id":"e0","parentId":null}` + "\n")
	for n := range 3 + r.IntN(20) {
		kind, data := []string{"user.message", "assistant.message"}[r.IntN(2)], fmt.Sprintf(`{"content":"text %d"}`, n)
		switch r.IntN(12) {
		case 0:
			kind, data = "session.snapshot_rewind", fmt.Sprintf(`{"upToEventId":"e%d"}`, 1+r.IntN(n+1))
		case 1:
			kind, data = "session.compaction_complete", fmt.Sprintf(`{"success":true,"summaryContent":"summary %d"}`, n)
		}
		fmt.Fprintf(&b, `{"type":%q,"data":%s,"id":"e%d","parentId":"e%d"}`+"\n", kind, data, n+1, n)
	}
	return b.Bytes()
}

// codexLog returns a rollout with rollbacks, some of more turns than there are, and with compactions of both kinds,
// with or without the events that begin and end the agent's turns.
func codexLog(r *rand.Rand) []byte {
	var b bytes.Buffer
	write := func(kind, payload string) {
		fmt.Fprintf(&b, `{"timestamp":"t","type":%q,"payload":%s}`+"\n", kind, payload)
	}
	said := func(n int) string {
		return fmt.Sprintf(`{"type":"message","role":"user","content":[{"type":"input_text","text":"text %d"}]}`, n)
	}
	write("session_meta", `{"id":"s"}`)
	events := r.IntN(2) == 0
	for n := range 3 + r.IntN(20) {
		switch r.IntN(15) {
		case 0:
			write("event_msg", fmt.Sprintf(`{"type":"thread_rolled_back","num_turns":%d}`, 1+r.IntN(4)))
		case 1, 2, 3, 4, 5:
			write("response_item", fmt.Sprintf(`{"type":"message","role":"assistant","content":[{"type":"output_text","text":"text %d"}]}`, n))
		case 6:
			if r.IntN(2) == 0 {
				write("compacted", fmt.Sprintf(`{"message":"","replacement_history":[%s,%s]}`, said(100+n), said(200+n)))
			} else {
				write("compacted", fmt.Sprintf(`{"message":"text %d"}`, 300+n))
			}
		default:
			if events {
				write("event_msg", fmt.Sprintf(`{"type":"task_started","turn_id":"%d"}`, n))
			}
			write("response_item", said(n))
		}
	}
	return b.Bytes()
}

// TestRewrite removes turns from sessions and adds one: the new session has exactly these turns, in order, or the
// rewriting is refused.
func TestRewrite(t *testing.T) {
	for f, generate := range map[format.Format]func(*rand.Rand) []byte{format.GeminiCLI: geminiLog, format.CopilotCLI: copilotLog, format.Codex: codexLog} {
		t.Run(string(f), func(t *testing.T) {
			rewritten, refused := 0, 0
			for seed := range tier.Count(500, 20_000) {
				r := rand.New(rand.NewPCG(uint64(seed), 7))
				text := generate(r)
				h := historyOf(t, text, f)
				var lines []history.Line
				var want []string
				added := r.IntN(len(h.Turns) + 1)
				for i := range len(h.Turns) + 1 {
					if i == added && r.IntN(2) == 0 {
						said := parse(t, formats.Named(f).Say(jsonstream.Value{}, "user", "a new turn")).Root()
						lines, want = append(lines, history.Line{Of: -1, Value: said}), append(want, "a new turn")
					}
					if i < len(h.Turns) && r.IntN(3) > 0 {
						lines, want = append(lines, history.Line{Of: i, Value: h.Turns[i].Value}), append(want, h.Turns[i].Text())
					}
				}
				out, err := h.WithTurns(lines)
				if err != nil {
					refused++
					continue
				}
				rewritten++
				var got []string
				for _, turn := range historyOf(t, out, f).Turns {
					got = append(got, turn.Text())
				}
				diff := cmp.Diff(want, got)
				if f == format.CopilotCLI && diff == "" {
					diff = unlinked(out)
				}
				if diff != "" {
					t.Fatalf("seed %d (-want +got):\n%s\n%s\nbecomes\n%s", seed, diff, text, out)
				}
			}
			t.Logf("%d sessions are rewritten, %d refused", rewritten, refused)
			if refused*20 > rewritten {
				t.Errorf("%d sessions are refused, %d rewritten", refused, rewritten)
			}
		})
	}
}

// unlinked returns the first event of a session that does not follow the event before it.
func unlinked(session []byte) string {
	before := ""
	for line := range bytes.Lines(session) {
		var event struct{ ID, ParentID string }
		if err := json.Unmarshal(line, &event); err != nil || event.ParentID != before {
			return fmt.Sprintf("%s (%v)", line, err)
		}
		before = event.ID
	}
	return ""
}

func historyOf(t *testing.T, text []byte, f format.Format) *history.History {
	t.Helper()
	doc, err := jsonstream.ParseLines(jsonstream.NewRaw(text), jsonstream.Limits{})
	if err != nil {
		t.Fatal(err)
	}
	h, err := history.Of(doc, f, jsonstream.Limits{})
	if err != nil {
		t.Fatal(err)
	}
	return h
}
