package trim

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/eaapl/handoff/internal/tier"
	"github.com/eaapl/handoff/pkg/conversation"
	"github.com/eaapl/handoff/pkg/format"
	"github.com/eaapl/handoff/pkg/history"
	"github.com/eaapl/handoff/pkg/jsonstream"
	"github.com/eaapl/handoff/pkg/summarize"
)

// randomSession returns a session of Claude Code: responses in several lines, parallel calls, abandoned
// branches, subagents, side lines, compactions, and repeated lines.
func randomSession(r *rand.Rand) []byte {
	var b bytes.Buffer
	end := []string{"\n", "\n", "\r\n"}[r.IntN(3)]
	n := 0
	write := func(parent, kind, rest string) string {
		n++
		id := fmt.Sprintf("u%d", n)
		from := `null`
		if parent != "" {
			from = `"` + parent + `"`
		}
		for range 1 + r.IntN(8)/7 { // sometimes repeated
			fmt.Fprintf(&b, `{"parentUuid":%s, "type":%q,"sessionId":"s","uuid":%q,"timestamp":"2026-06-12T09:%02d:00Z"%s}`, from, kind, id, n%60, rest)
			b.WriteString(end)
		}
		return id
	}
	side := ""
	said := func(role, text string) string {
		return side + fmt.Sprintf(`,"message":{"role":%q,"content":[{"type":"text","text":"%s %d, and so on, and so forth"}]}`, role, text, n)
	}
	exchange := func(at string) string {
		at = write(at, "user", said("user", "asked"))
		if r.IntN(3) == 0 {
			at = write(at, "system", side+`,"subtype":"turn_duration"`)
		}
		response := n
		part := func(content string) string {
			at = write(at, "assistant", side+fmt.Sprintf(`,"message":{"id":"m%d","role":"assistant","content":[%s]}`, response, content))
			return at
		}
		part(`{"type":"text","text":"I look"}`)
		var calls []string
		for i := range r.IntN(4) {
			calls = append(calls, part(fmt.Sprintf(`{"type":"tool_use","id":"t%d.%d","name":"Read","input":{}}`, response, i)))
		}
		for i, call := range calls {
			at = write(call, "user", side+fmt.Sprintf(`,"message":{"role":"user","content":[{"type":"tool_result","tool_use_id":"t%d.%d","content":"result"}]},"sourceToolAssistantUUID":%q`, response, i, call))
		}
		if r.IntN(3) > 0 {
			at = write(at, "assistant", side+fmt.Sprintf(`,"message":{"id":"n%d","role":"assistant","content":[{"type":"text","text":"done %d"}]}`, response, n))
		}
		return at
	}
	at := ""
	for range 2 + r.IntN(8) {
		before := at
		at = exchange(at)
		switch r.IntN(9) {
		case 0: // the user goes back
			at = before
		case 1:
			side = `,"isSidechain":true,"agentId":"a"`
			exchange(exchange(""))
			side = ""
		case 2:
			b.WriteString(`{"type":"file-history-snapshot","messageId":"x","snapshot":{}}` + end)
		case 3:
			b.WriteString(end)
		case 4:
			kept := ""
			if r.IntN(2) == 0 {
				kept = fmt.Sprintf(`,"preservedMessages":{"anchorUuid":"u%d","uuids":["u%d"]}`, n+2, n)
			}
			at = write("", "system", fmt.Sprintf(`,"subtype":"compact_boundary","logicalParentUuid":%q,"compactMetadata":{"trigger":"auto"%s}`, at, kept))
			at = write(at, "user", said("user", "summary")+`,"isCompactSummary":true`)
		case 5:
			write(at, "attachment", `,"attachment":{"type":"queued_command","prompt":"go on"}`)
		}
	}
	text := b.Bytes()
	if r.IntN(2) == 0 {
		text = bytes.TrimRight(text, "\r\n")
	}
	return text
}

// randomRollout returns a session of the Codex CLI.
func randomRollout(r *rand.Rand) []byte {
	var b bytes.Buffer
	line := func(kind, payload string) {
		fmt.Fprintf(&b, `{"timestamp":"2026-06-12T09:00:00.000Z","type":%q, "payload":{%s}}`+"\n", kind, payload)
	}
	line("session_meta", `"id":"s","cwd":"/work"`)
	for i := range 2 + r.IntN(9) {
		line("response_item", fmt.Sprintf(`"type":"message","role":"user","content":[{"type":"input_text","text":"do %d, and so on, and so forth"}]`, i))
		line("event_msg", `"type":"user_message"`)
		if r.IntN(2) == 0 {
			line("response_item", fmt.Sprintf(`"type":"function_call","name":"shell","arguments":"{}","call_id":"c%d"`, i))
			line("response_item", fmt.Sprintf(`"type":"function_call_output","call_id":"c%d","output":"out"`, i))
		}
		switch r.IntN(20) {
		case 0:
			line("compacted", `"message":"all of it"`)
		case 1:
			kept := fmt.Sprintf(`{"type":"message","role":"user","content":[{"type":"input_text","text":"do %d, and so on, and so forth"}]}`, i)
			line("compacted", `"message":"","replacement_history":[`+kept+`,{"type":"message","role":"user","content":[{"type":"input_text","text":"what it was, at some length"}]}]`)
		case 2:
			line("event_msg", fmt.Sprintf(`"type":"thread_rolled_back","num_turns":%d`, 1+r.IntN(2)))
		}
		line("response_item", `"type":"message","role":"assistant","content":[{"type":"output_text","text":"done"}]`)
	}
	return b.Bytes()
}

func parseLines(t *testing.T, text []byte, f format.Format) *history.History {
	t.Helper()
	doc, err := jsonstream.ParseLines(jsonstream.NewRaw(text), jsonstream.Unlimited())
	if err != nil {
		t.Fatalf("%v in %s", err, text)
	}
	h, err := history.Of(doc, f, jsonstream.Unlimited())
	if err != nil {
		t.Fatalf("%v in %s", err, text)
	}
	return h
}

// unlinked returns the text of a turn without its reference to the turn before it; of a turn of Codex,
// which may have moved into the line of a compaction, its content.
func unlinked(f format.Format, turn conversation.Turn) string {
	if f == format.Codex {
		return turn.Role + ": " + turn.Text()
	}
	d := jsonstream.NewDraft(turn.Value)
	d.Take("parentUuid")
	return string(jsonstream.AppendCompact(nil, d.Bytes()))
}

// The conversation of a trimmed session has exactly the turns to keep, in order, with the summary in its
// place; it is not trimmed again, and the archive restores each byte.
func TestLines(t *testing.T) {
	for _, f := range []format.Format{format.ClaudeCode, format.Codex} {
		t.Run(string(f), func(t *testing.T) {
			count, trimmed, summaries, refused := tier.Count(300, 1500), 0, 0, 0
			for seed := range uint64(count) {
				r := rand.New(rand.NewPCG(seed, 3))
				text := randomSession(r)
				if f == format.Codex {
					text = randomRollout(r)
				}
				before := parseLines(t, text, f)
				o := Options{Format: f, KeepTurns: r.IntN(3)}
				switch r.IntN(4) {
				case 0:
					o.Last = 1 + r.IntN(len(before.Turns)+1)
				case 1:
					o.MaxBytes = len(text) * (3 + r.IntN(7)) / 10
				case 2:
					o.DropTools = true
				case 3:
					o.Roles = []string{[]string{"user", "assistant"}[r.IntN(2)]}
				}
				if r.IntN(2) == 0 {
					o.Summarizer, o.Method = summarize.Extractive{}, Extractive
				}
				result, err := Message(context.Background(), before.Context(), jsonstream.Unlimited(), o)
				if over := (*OverError)(nil); errors.As(err, &over) {
					continue
				}
				if f == format.Codex && err != nil && strings.Contains(err.Error(), "take turns back") { // after a summary that is now one of several turns
					refused++
					continue
				}
				if err != nil {
					if o.Roles == nil || slices.ContainsFunc(before.Turns, func(turn conversation.Turn) bool {
						return turn.Role == o.Roles[0] && !conversation.IsTool(turn.Value)
					}) { // otherwise only branches would stay
						t.Errorf("seed %d, %+v: %v\n%s", seed, o, err, text)
					}
					refused++
					continue
				}
				if !result.Changed {
					if !bytes.Equal(result.Text, text) {
						t.Fatalf("seed %d: not changed, and another text", seed)
					}
					continue
				}
				trimmed++
				after := parseLines(t, result.Text, f)
				var was, is []string
				for _, turn := range before.Turns {
					was = append(was, unlinked(f, turn))
				}
				stayed := 0
				for _, turn := range after.Turns {
					text := unlinked(f, turn)
					if strings.Contains(text, strings.TrimSpace(preamble)) {
						summaries++
						continue
					}
					stayed++
					is = append(is, text)
				}
				if o.DropTools || o.Roles != nil {
					for i := range after.Turns {
						if o.DropTools && conversation.IsTool(after.Turns[i].Value) {
							t.Fatalf("seed %d: a call or result stayed", seed)
						}
					}
				} else if gone := len(was) - stayed; gone != result.Gone || !isSubsequence(is, was) {
					t.Fatalf("seed %d, %+v: %d gone of %d, %d stay\n%s\n\n%s", seed, o, result.Gone, len(was), stayed, text, result.Text)
				}
				if want := len(was) - result.Gone; stayed != want {
					t.Fatalf("seed %d, %+v: %d turns stay, want %d\n%s\n\n%s", seed, o, stayed, want, text, result.Text)
				}
				if o.MaxBytes > 0 && len(result.Text) > o.MaxBytes {
					t.Fatalf("seed %d: %d bytes of %d", seed, len(result.Text), o.MaxBytes)
				}
				again, err := Message(context.Background(), after.Context(), jsonstream.Unlimited(), o)
				if err != nil || again.Changed {
					t.Fatalf("seed %d, %+v: trimmed again: %v\n%s\n\n%s", seed, o, err, result.Text, again.Text)
				}
				archive, err := NewArchive(bytes.NewReader(append(slices.Clone(result.Archive), '\n')))
				if err != nil {
					t.Fatal(err)
				}
				restored, err := archive.Restore(after.Context(), f, jsonstream.Unlimited())
				if err != nil || !bytes.Equal(restored, text) {
					t.Fatalf("seed %d: restored as %s: %v", seed, restored, err)
				}
			}
			t.Logf("%d trimmed, %d with a summary, %d refused", trimmed, summaries, refused)
			if trimmed < count/3 || summaries < count/15 || refused > count/30 {
				t.Errorf("%d trimmed, %d with a summary, %d refused", trimmed, summaries, refused)
			}
		})
	}
}

func isSubsequence(is, of []string) bool {
	for _, text := range of {
		if len(is) > 0 && is[0] == text {
			is = is[1:]
		}
	}
	return len(is) == 0
}

// A queued command of Claude Code stays with the turn before it: a session with nothing else would have no conversation.
func TestQueuedCommandStaysWithTurn(t *testing.T) {
	text := []byte(`{"parentUuid":null,"type":"user","sessionId":"s","uuid":"u1","message":{"role":"user","content":"look"}}
{"parentUuid":"u1","type":"assistant","sessionId":"s","uuid":"u2","message":{"id":"m","role":"assistant","content":[{"type":"text","text":"done"}]}}
{"parentUuid":"u2","type":"user","sessionId":"s","uuid":"u3","message":{"role":"user","content":"look again"}}
{"parentUuid":"u3","type":"assistant","sessionId":"s","uuid":"u4","message":{"id":"n","role":"assistant","content":[{"type":"text","text":"done again"}]}}
{"parentUuid":"u4","type":"attachment","sessionId":"s","uuid":"u5","attachment":{"type":"queued_command","prompt":"go on"}}
`)
	before := parseLines(t, text, format.ClaudeCode)
	result, err := Message(context.Background(), before.Context(), jsonstream.Unlimited(), Options{Format: format.ClaudeCode, Last: 2})
	if err != nil {
		t.Fatal(err)
	}
	var stay []string
	for _, turn := range parseLines(t, result.Text, format.ClaudeCode).Turns {
		stay = append(stay, turn.Value.Get("uuid").Text())
	}
	if want := []string{"u3", "u5"}; !slices.Equal(stay, want) {
		t.Errorf("the turns %q stay, want %q", stay, want)
	}
}
