package chunked

import (
	"bytes"
	"fmt"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/eaapl/handoff/pkg/jsonstream"
	"github.com/eaapl/handoff/pkg/message"
	"github.com/eaapl/handoff/pkg/sign"
	"github.com/eaapl/handoff/schemas"
)

// now is the time at which chunks arrive in tests: a minute after the messages were created.
var now = time.Date(2026, 6, 12, 9, 31, 0, 0, time.UTC)

func parse(t testing.TB, text string) *message.Message {
	t.Helper()
	m, err := message.Parse([]byte(text), message.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// example returns the example message, on one line.
func example(t testing.TB) *message.Message {
	t.Helper()
	text, err := schemas.Example("message")
	if err != nil {
		t.Fatal(err)
	}
	return parse(t, string(jsonstream.AppendCompact(nil, text)))
}

// longMessage returns a valid message of about n bytes, with a long history, state and context.
func longMessage(t testing.TB, n int) *message.Message {
	t.Helper()
	var done, turns, calls, state []string
	filler := strings.Repeat("The claim was settled in full. ", 12)
	for i := 0; i*1400 < n; i++ {
		done = append(done, fmt.Sprintf(`{"subtaskId":"s%d","description":"Part %d","result":{"amount":12.50,"text":"%s"}}`, i, i, filler))
		turns = append(turns, fmt.Sprintf(`{"role":"assistant","content":"%d %s"}`, i, filler))
		calls = append(calls, fmt.Sprintf(`{"tool":"lookup","calledAt":"2026-06-12T09:00:00Z","outputTokens":%d}`, i))
		state = append(state, fmt.Sprintf(`"m%d":"%s"`, i, filler))
	}
	m := example(t)
	for pointer, text := range map[string]string{
		"/completedSubtasks": "[" + strings.Join(done, ",") + "]", "/conversationHistoryVerbatim": "[" + strings.Join(turns, ",") + "]",
		"/toolCallHistory": "[" + strings.Join(calls, ",") + "]", "/currentState": "{" + strings.Join(state, ",") + "}",
	} {
		var err error
		if m, err = m.Set(pointer, []byte(text)); err != nil {
			t.Fatal(err)
		}
	}
	return m
}

// split returns the chunks of a message, with the given room for the body of a chunk.
func split(t testing.TB, m *message.Message, room int, o SplitOptions) [][]byte {
	t.Helper()
	var chunks [][]byte
	s := NewSplitter(o)
	s.room = room
	if err := s.Split(m, func(chunk []byte) error {
		if bytes.ContainsRune(chunk, '\n') {
			t.Errorf("a chunk is on several lines: %s", chunk)
		}
		chunks = append(chunks, chunk)
		return nil
	}); err != nil {
		t.Fatal(err)
	}
	return chunks
}

// add adds chunks to an assembler, and returns all events.
func add(t testing.TB, a *Assembler, chunks ...[]byte) []Event {
	t.Helper()
	var all []Event
	for _, c := range chunks {
		events, err := a.Add(t.Context(), jsonstream.NewRaw(c), now)
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, events...)
	}
	return all
}

// shown lists events, without the text of messages.
func shown(events []Event) string {
	var list []string
	for _, e := range events {
		text := fmt.Sprintf("%s %d", e.Kind, e.Sequence)
		if e.Fault != nil {
			text += " " + string(e.Fault.Reason)
		}
		list = append(list, text)
	}
	return strings.Join(list, ", ")
}

// faultOf returns the only fault of some events.
func faultOf(t testing.TB, events []Event) *Fault {
	t.Helper()
	var found *Fault
	for _, e := range events {
		if e.Fault != nil {
			if found != nil {
				t.Fatalf("several faults: %s", shown(events))
			}
			found = e.Fault
		}
	}
	if found == nil {
		t.Fatalf("no fault: %s", shown(events))
	}
	return found
}

// secret returns a shared secret.
func secret(t testing.TB, id string) *sign.Key {
	t.Helper()
	keys, err := sign.ParseKeys([]byte("0123456789abcdefghijklmnopqrstuv"))
	if err != nil {
		t.Fatal(err)
	}
	k := keys[0].WithID(id)
	return &k
}

func verifier(t testing.TB, keys ...*sign.Key) *sign.Verifier {
	t.Helper()
	var list []sign.Key
	for _, k := range keys {
		list = append(list, *k)
	}
	v, err := sign.NewVerifier(list)
	if err != nil {
		t.Fatal(err)
	}
	return v
}

// value draws a JSON text that re-encoding would change: in the spelling of numbers and strings or
// in the order of members.
func value(t *rapid.T, depth int) string {
	kinds := 4
	if depth > 0 {
		kinds = 6
	}
	switch rapid.IntRange(0, kinds-1).Draw(t, "kind") {
	case 0:
		return rapid.SampledFrom([]string{"9007199254740993", "1e400", "0.10", "-0", "1E+2", "1.0", "0"}).Draw(t, "number")
	case 1:
		return text(t)
	case 2:
		return "null"
	case 3:
		return "true"
	case 4:
		return "[" + strings.Join(values(t, depth-1, false), ",") + "]"
	default:
		return "{" + strings.Join(values(t, depth-1, true), ",") + "}"
	}
}

// text draws the JSON text of a string.
func text(t *rapid.T) string {
	pieces := rapid.SliceOfN(rapid.SampledFrom([]string{"a", `\u0041`, `\/`, "<é>", `\ud83d\ude00`, `\uD83D\uDE00`, "😀", `\u0000`, "a b", `\\`, `\"`, "{[", "日本"}), 0, 40).Draw(t, "pieces")
	return `"` + strings.Join(pieces, "") + `"`
}

// values draws elements, or members.
func values(t *rapid.T, depth int, named bool) []string {
	names := rapid.SliceOfNDistinct(rapid.IntRange(0, 99), 0, 6, rapid.ID[int]).Draw(t, "names")
	list := make([]string, len(names))
	for i, n := range names {
		if named {
			list[i] = rapid.SampledFrom([]string{`"m%d":`, `"~/%d":`, `"\u006d%d":`, `"%d":`}).Draw(t, "name")
			list[i] = fmt.Sprintf(list[i], n)
			if strings.HasPrefix(list[i], `"\u`) {
				list[i] = fmt.Sprintf(`"\u006e%d":`, n)
			}
		}
		list[i] += value(t, depth)
	}
	return list
}

// generated draws a message that is valid by its schema, with members in any order and white space
// between tokens.
func generated(t *rapid.T) string {
	list := func(one func() string) string {
		items := make([]string, rapid.IntRange(0, 5).Draw(t, "items"))
		for i := range items {
			items[i] = one()
		}
		return "[" + strings.Join(items, ", ") + "]"
	}
	n := 0
	subtask := func() string {
		n++
		return fmt.Sprintf(`{"subtaskId":"s%d","x":%s,"description":%s}`, n, value(t, 2), text(t))
	}
	members := []string{
		`"schemaVersion":"2.0"`, `"handoffId":"6f9619ff-8b86-4d01-b42d-00cf4fc964ff"`, `"taskId":"6f9619ff-8b86-4d01-b42d-00cf4fc964fe"`,
		`"parentHandoffId":null`, `"fromAgent":{"agentId":"a","agentVersion":"1.0.0","executionId":"6f9619ff-8b86-4d01-b42d-00cf4fc964fd"}`,
		`"toAgent":{"agentType":"b"}`, `"timestamp":"2026-06-12T09:30:00Z"`, `"taskDescription":"INITIAL"`,
		`"completedSubtasks":` + list(subtask), `"remainingSubtasks":` + list(subtask),
		`"currentState":{` + strings.Join(values(t, 3, true), " , ") + `}`,
		`"relevantContext":` + list(func() string { return `{"source":` + text(t) + `,"excerpt":` + text(t) + `}` }),
		`"constraints":["a:b"]`, `"costTracking":{"costSpentSoFarUSD":0.10,"costBudgetRemainingUSD":1e2,"tokenSpent":{"prompt":0,"completion":0}}`,
		`"conversationHistorySummary":` + text(t),
		`"conversationHistoryVerbatim":` + list(func() string { return `{"role":"user", "content":` + text(t) + `, "n": ` + value(t, 3) + `}` }),
		`"toolCallHistory":` + list(func() string { return `{"tool":` + text(t) + `,"calledAt":"2026-06-12T09:00:00Z"}` }),
		`"traceparent":"00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01"`,
	}
	for i := range rapid.IntRange(0, 3).Draw(t, "others") {
		members = append(members, fmt.Sprintf(`"other%d":%s`, i, value(t, 3)))
	}
	if rapid.Bool().Draw(t, "extensions") {
		members = append(members, `"extensions": {`+strings.Join(values(t, 2, true), ",")+`}`)
	}
	members = rapid.Permutation(members).Draw(t, "order")
	return "{" + strings.Join(members, rapid.SampledFrom([]string{",", ",\n ", " , "}).Draw(t, "space")) + "}"
}
