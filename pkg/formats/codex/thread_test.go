package codex

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/eaapl/handoff/pkg/format"
	"github.com/eaapl/handoff/pkg/jsonstream"
)

const ownSummary = summaryPrefix + "S1"

// rollout returns the lines of a rollout. Each word is a line: u, d and a are messages of the user, the
// developer and the assistant, [… …] is a compaction with the messages that replace the others, {…} one
// with a summary, m a message from another agent and i one in a line of its own, <n a rollback, (n and )n the beginning and the end of a turn of the agent.
func rollout(t *testing.T, words string) []jsonstream.Value {
	t.Helper()
	said := func(word string) string {
		text := map[string]string{"uENV": "<environment_context>x</environment_context>", "dPERM": "<permissions instructions>x</permissions instructions>", "uOWN": ownSummary}[word]
		if text == "" {
			text = word
		}
		role := map[byte]string{'u': "user", 'd': "developer", 'a': "assistant"}[word[0]]
		return fmt.Sprintf(`{"type":"message","role":%q,"content":[{"type":"input_text","text":%q}]}`, role, text)
	}
	lines := []string{`{"timestamp":"t","type":"session_meta","payload":{"id":"s"}}`}
	add := func(kind, payload string) {
		lines = append(lines, fmt.Sprintf(`{"timestamp":"t","type":%q,"payload":%s}`, kind, payload))
	}
	for _, word := range strings.Fields(words) {
		switch word[0] {
		case '[':
			var items []string
			for _, item := range strings.FieldsFunc(word, func(r rune) bool { return strings.ContainsRune("[],", r) }) {
				items = append(items, said(item))
			}
			add("compacted", `{"message":"","replacement_history":[`+strings.Join(items, ",")+`]}`)
		case '{':
			add("compacted", fmt.Sprintf(`{"message":%q,"replacement_history":null}`, strings.Trim(word, "{}")))
		case 'm':
			add("response_item", fmt.Sprintf(`{"type":"agent_message","author":"/root/w","recipient":"/root","content":[{"type":"input_text","text":%q}]}`, word))
		case 'i':
			add("inter_agent_communication", fmt.Sprintf(`{"author":"/root/w","recipient":"/root","content":%q,"trigger_turn":false}`, word))
		case '<':
			add("event_msg", `{"type":"thread_rolled_back","num_turns":`+word[1:]+`}`)
		case '(':
			add("event_msg", fmt.Sprintf(`{"type":"task_started","turn_id":%q}`, word[1:]))
		case ')':
			add("event_msg", fmt.Sprintf(`{"type":"task_complete","turn_id":%q}`, word[1:]))
		default:
			add("response_item", said(word))
			if word[0] == 'u' && word != "uENV" {
				add("event_msg", `{"type":"user_message","message":"x"}`)
			}
		}
	}
	doc, err := jsonstream.ParseLines(jsonstream.NewRaw([]byte(strings.Join(lines, "\n"))), jsonstream.Limits{})
	if err != nil {
		t.Fatal(err)
	}
	var values []jsonstream.Value
	for _, v := range doc.Root().Elements() {
		values = append(values, v)
	}
	return values
}

// told returns the texts of turns.
func told(lines []jsonstream.Value, spots []format.Spot) string {
	var texts []string
	for _, v := range Format.Known.At(spots, func(i int) jsonstream.Value { return lines[i] }) {
		text := v.Text()
		for _, item := range []jsonstream.Value{v, v.Get("payload")} {
			text += item.At("/content/0/text").Text()
		}
		texts = append(texts, text)
	}
	return strings.Join(texts, " ")
}

// TestEarlier checks the items that compactions replaced. The group sessions of the conformance suite has the items
// that stay, for the same lines.
func TestEarlier(t *testing.T) {
	env := "<environment_context>x</environment_context>"
	for _, tt := range []struct{ name, lines, earlier string }{
		{"rollback", "u1 a1 u2 a2 <1 u3 a3", ""},
		{"two rollbacks", "u1 a1 u2 a2 <1 u3 a3 <2 u4 a4", ""},
		{"of none", "u1 a1 <0 u3 a3", ""},
		{"of too many", "uENV u1 a1 <5 u3 a3", ""},
		{"with the context of the turn", "uENV u1 a1 dPERM uENV u2 a2 <1 u3 a3", ""},
		{"with a message of the developer", "u1 a1 dev uENV u2 a2 <1 u3 a3", ""},
		{"summary", "u1 a1 {S} u3 a3", "a1"},
		{"two summaries", "u1 a1 {S1} u2 a2 {S2} u3 a3", "a1 a2"},
		{"empty summary", "u1 a1 {} u3 a3", "a1"},
		{"messages from agents and a summary", "u1 m1 a1 {S} u3 a3", "m1 a1"},
		{"summary and context", "uENV dPERM u1 a1 u2 a2 {S} u3 a3", env + " <permissions instructions>x</permissions instructions> a1 a2"},
		{"replaced", "u1 a1 [u1,uS] u3 a3", "u1 a1"},
		{"replaced by nothing", "u1 a1 [] u3 a3", "u1 a1"},
		{"replaced, then a summary", "u1 a1 [u1,uOWN] u2 a2 {S2} u3 a3", "u1 a1 " + ownSummary + " a2"},
		{"the summary taken back", "(1 u1 a1 )1 (2 [u1,uS] )2 (3 u2 a2 )3 <1 (4 u3 a3 )4", "u1 a1"},
		{"a compaction within a turn taken back", "(1 u1 a1 )1 (2 u2 [u1,u2,uS] a2 )2 <1 (3 u3 a3 )3", ""},
		{"a compaction and the turn before it", "(1 u1 a1 )1 (2 u2 a2 )2 (3 [u1,u2,uS] u3 a3 )3 <2 (4 u4 a4 )4", ""},
		{"without the limits of turns", "u1 a1 u2 [u1,u2,uS] a2 <1 u3 a3", ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			lines := rollout(t, tt.lines)
			var thread Thread
			for i, v := range lines {
				if l, ok := LineOf(v); ok {
					l.Index = int32(i)
					thread.Add(l)
				}
			}
			_, earlier := thread.Turns()
			if diff := cmp.Diff(tt.earlier, told(lines, earlier)); diff != "" {
				t.Errorf("earlier items (-want +got):\n%s", diff)
			}
		})
	}
}

// TestTakenBack checks that all compactions in a turn that the user took back are void, also those made after the turn
// ended. codex exec resume sends these turns.
func TestTakenBack(t *testing.T) {
	for words, want := range map[string]string{
		"(1 u1 a1 )1 (2 u2 [u1,u2,uS1] a2 [u1,uS2] )2 <1 (3 u3 a3 )3": "u1 a1 u3 a3",
		"(1 u1 a1 )1 (2 u2 [u1,u2,uS1] )2 <1 [u1,uS] (3 u3 )3":        "u1 a1 u3",
		"(1 u1 a1 )1 (2 u2 a2 )2 <1 [u1,uS]":                          "u1 a1",
		// A message from another agent begins a turn of the user.
		"u1 a1 m1 a2 <1 u3":                                           "u1 a1 u3",
		"u1 a1 m1 a2 m2 <2 u3":                                        "u1 a1 u3",
		"u1 a1 i1 a2 u2 <2 u3":                                        "u1 a1 u3",
		"(1 u1 a1 )1 (2 i1 [u1,uS1] a2 )2 <1 (3 u3":                   "u1 a1 u3",
		"(1 u1 a1 )1 (2 u2 [u1,uS1] a2 [u1,uS2] )2 (3 u3 )3 <1 (4 u4": "u1 uS2 u4",
		// A summary is no turn of the user, unless Codex takes it for one because of its beginning.
		"(1 u1 )1 [u1,uOWN] (2 u2 )2 <1 (3 u3 )3":          "u1 " + ownSummary + " u3",
		"(1 u1 )1 {S} (2 u2 )2 (3 u3 )3 <2 (4 u4 )4":       "u1 S u4",
		"(1 u1 )1 {S} (2 u2 )2 (3 u3 )3 <3 (4 u4 )4":       "u1 u4",
		"(1 u1 )1 [u1,uOWN] (2 u2 )2 (3 u3 )3 <3 (4 u4 )4": "u4",
	} {
		lines := rollout(t, words)
		var thread Thread
		for i, v := range lines {
			if l, ok := LineOf(v); ok {
				l.Index = int32(i)
				thread.Add(l)
			}
		}
		turns, _ := thread.Turns()
		if diff := cmp.Diff(want, told(lines, turns)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", words, diff)
		}
	}
}

// TestLosses checks that a compaction with an encrypted summary, or without one, is a loss, and that a readable
// one is none.
func TestLosses(t *testing.T) {
	const sealed = `{"timestamp":"t","type":"compacted","payload":{"message":"","replacement_history":[{"type":"message","role":"user","content":[]},{"type":"compaction","encrypted_content":"x"}]}}`
	for words, want := range map[string]string{
		"u1 a1 [u1,uOWN] u2":    "",
		"u1 a1 {summary} u2":    "",
		"u1 a1 {} u2":           "1 turn at 4",
		"u1 a1 [] u2":           "2 turns at 4",
		"u1 a1 u2 a2 {} a3 {}":  "2 turns at 7, 1 turn at 9",
		"u1 {} u2":              "", // requests stay
		"(1 u1 a1 [] )1 <1 u2 ": "",
	} {
		t.Run(words, func(t *testing.T) {
			var thread trail
			thread.Add(thread.Read(slices.All(rollout(t, words))))
			var got []string
			for _, l := range thread.Losses() {
				got = append(got, fmt.Sprintf("%s at %d", l.Count(), l.At))
			}
			if strings.Join(got, ", ") != want {
				t.Errorf("got %v, want %s", got, want)
			}
		})
	}
	lines := rollout(t, "u1 a1")
	doc, err := jsonstream.Parse(jsonstream.NewRaw([]byte(sealed)), jsonstream.Limits{})
	if err != nil {
		t.Fatal(err)
	}
	var thread trail
	thread.Add(thread.Read(slices.All(append(lines, doc.Root()))))
	if got := thread.Losses(); len(got) != 1 || got[0].Cause != format.Unreadable {
		t.Errorf("an encrypted summary: %+v", got)
	}
}
