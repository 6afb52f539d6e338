package diff_test

import (
	"encoding/base64"
	"strings"
	"testing"

	"github.com/eaapl/handoff/pkg/diff"
	"github.com/eaapl/handoff/pkg/format"
)

func encoded(text string) string { return base64.StdEncoding.EncodeToString([]byte(text)) }

// The differences of messages that are not canonical.
func TestMeaningOfFormats(t *testing.T) {
	const turn, more = `{"role":"user","content":"a"}`, `{"role":"user","content":"a"},{"role":"assistant","content":"b"}`
	context := func(turns string) string {
		return `{"conversation_history":[` + turns + `],"tool_state":{},"metadata":{}}`
	}
	transcript := func(messages ...string) string {
		return `{"protocol_version":"1.0","messages":[` + strings.Join(messages, ",") + `]}`
	}
	sent := func(kind, id string) string { return `{"message_type":"` + kind + `","message_id":"` + id + `"}` }
	carrying := func(id, context string) string {
		return `{"message_type":"HandoffContext","message_id":"` + id + `","payload":{"content_type":"application/json","context":"` + encoded(context) + `"}}`
	}
	for _, tt := range []struct {
		name string
		a, b string
		want string
	}{
		{"SW4RM request: route and capabilities",
			`{"from_agent":"a","to_agent":"b","capabilities_required":["x","y"]}`, `{"from_agent":"a","to_agent":"c","capabilities_required":["z","x"]}`,
			"a>b is a>c, 1 capability dropped, 1 capability added"},
		{"SW4RM request: a turn more", `{"context_snapshot":"` + encoded(context(turn)) + `"}`, `{"context_snapshot":"` + encoded(context(more)) + `"}`,
			"1 turn added"},
		{"SW4RM request: a snapshot in base64 against one inline", `{"context_snapshot":"` + encoded(context(turn)) + `"}`, `{"context_snapshot":` + context(more) + `}`,
			"1 turn added"},
		{"SW4RM response: status", `{"accepted":true,"status":"ACCEPTED"}`, `{"accepted":true,"status":"COMPLETED"}`,
			"ACCEPTED is COMPLETED"},
		{"SW4RM response without a status", `{"accepted":true}`, `{"accepted":false}`, "ACCEPTED is REJECTED"},
		{"MACP: what was added", transcript(sent("SessionStart", "1")),
			transcript(sent("SessionStart", "1"), sent("HandoffOffer", "2"), sent("HandoffDecline", "3"), sent("HandoffOffer", "4"), sent("HandoffAccept", "5"), sent("Commitment", "6")),
			"2 handoff offered, 1 handoff accepted, 1 handoff declined, 1 commitment made, 5 message added"},
		{"MACP: messages are known by their ids", transcript(sent("HandoffOffer", "1"), sent("HandoffAccept", "2")),
			transcript(sent("HandoffDecline", "2"), sent("HandoffOffer", "1")),
			"1 message moved"},
		{"MACP: in camelCase", `{"protocolVersion":"1.0","messages":[{"messageId":"1","x":1}]}`, `{"protocolVersion":"1.0","messages":[{"messageId":"2","messageType":"HandoffAccept"},{"messageId":"1","x":2}]}`,
			"1 handoff accepted, 1 message added, 1 message changed"},
		{"MACP: inside a context", transcript(carrying("1", context(turn))), transcript(carrying("1", context(more))),
			"1 message changed, 1 turn added"},
		{"MACP: a context added", transcript(sent("HandoffOffer", "1")), transcript(sent("HandoffOffer", "1"), carrying("2", context(more))),
			"1 message added, 2 turn added"},
		{"MACP: a session in the other spelling, and one message more",
			`{"messages":[{"message_type":"HandoffOffer","message_id":"1","payload":{"handoff_id":"h"}},{"message_type":"HandoffAccept","message_id":"2"}]}`,
			`{"messages":[{"messageType":"HandoffOffer","messageId":"1","payload":{"handoffId":"h"}},{"messageType":"HandoffAccept","messageId":"2"},{"messageType":"Commitment","messageId":"3"}]}`,
			"1 commitment made, 1 message added, 2 message changed"},
		{"an array of messages", `[` + turn + `]`, `[` + more + `]`, "1 turn added"},
		{"an array of messages of another format since", `[` + turn + `]`, `[` + turn + `,{"role":"assistant","content":[{"type":"tool_use","id":"1","name":"f","input":{}}]}]`, "1 turn added"},
		{"an array, and back", `[` + turn + `,{"role":"assistant","content":[{"type":"tool_use","id":"1","name":"f","input":{}}]}]`, `[` + turn + `]`, "1 turn removed"},
		{"a result is known by its call", `[` + turn + `,{"role":"tool","tool_call_id":"1","content":"x"}]`, `[{"role":"tool","tool_call_id":"1","content":"y"}]`, "1 turn removed, 1 turn changed"},
		{"items", `{"input":[{"type":"function_call_output","call_id":"1","output":"x"},{"type":"function_call_output","call_id":"2","output":"z"}]}`,
			`{"input":[{"type":"function_call_output","call_id":"2","output":"y"}]}`, "1 turn removed, 1 turn changed"},
		{"a Command", `{"update":{"messages":[{"type":"human","content":"a","id":"1"}]},"goto":"b"}`, `{"update":{"messages":[{"type":"human","content":"quite another text","id":"1"},{"type":"ai","content":"b"}]},"goto":"c"}`, "1 turn added, 1 turn changed"},
		{"a state", `{"messages":[{"type":"human","content":"a"}],"active_agent":"b"}`, `{"messages":[{"type":"human","content":"a"},{"type":"ai","content":"b"}],"active_agent":"c"}`, "1 turn added"},
		{"contents", `{"contents":[{"role":"user","parts":[{"text":"a"}]}]}`, `{"contents":[{"role":"user","parts":[{"text":"a"}]},{"role":"model","parts":[{"text":"b"}]}]}`, "1 turn added"},
		{"UIMessages", `[{"id":"1","role":"user","parts":[{"type":"text","text":"a"}]}]`, `[{"id":"1","role":"user","parts":[{"type":"text","text":"b"}]}]`, "1 turn changed"},
		{"an A2A task", `{"id":"t","contextId":"c","history":[{"messageId":"1","role":"ROLE_USER","parts":[{"text":"a"}]}]}`, `{"id":"t","contextId":"c","history":[{"messageId":"2","role":"ROLE_USER","parts":[{"text":"a"}]},{"messageId":"1","role":"ROLE_USER","parts":[{"text":"c"}]}]}`, "1 turn added, 1 turn changed"},
		{"OpenAI: text against the turn that it stands for", `{"input_history":"a"}`, `{"input_history":[` + more + `]}`, "1 turn added"},
		{"OpenAI: and back", `{"input_history":[` + more + `]}`, `{"input_history":"a"}`, "1 turn removed"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			a, b := parse(t, tt.a), parse(t, tt.b)
			if got := words(diff.MeaningOf(a, b, diff.Compare(a, b, diff.Options{}), "")); got != tt.want {
				t.Errorf("got %q, want %q", got, tt.want)
			}
		})
	}
}

// A given format takes precedence over the detected one.
func TestFormatGiven(t *testing.T) {
	a := parse(t, `{"taskId":"t","messages":[{"message_id":"1","a":"x"},{"message_id":"2","a":"y"}]}`)
	b := parse(t, `{"taskId":"t","messages":[{"message_id":"2","a":"x"}]}`)
	e := diff.Compare(a, b, diff.Options{Format: format.MACP})
	if got := words(diff.MeaningOf(a, b, e, format.MACP)); got != "1 message removed, 1 message changed" {
		t.Errorf("as MACP: %q", got)
	}
	e = diff.Compare(a, b, diff.Options{})
	if got := words(diff.MeaningOf(a, b, e, "")); got != "" {
		t.Errorf("as what it looks like: %q", got)
	}
}

// A string that holds a document, against the document.
func TestInsideAgainstInline(t *testing.T) {
	for _, tt := range []struct {
		name, a, b string
		same       bool
		inside     string // the pointer of a change inside
	}{
		{"the same", `{"a":"` + encoded(`{"x": 1}`) + `"}`, `{"a":{"x":1.0}}`, true, ""},
		{"and back, as JSON text", `{"a":[1]}`, `{"a":"[1]"}`, true, ""},
		{"changed", `{"a":"` + encoded(`{"x":1}`) + `"}`, `{"a":{"x":2}}`, false, "/x"},
		{"another thing", `{"a":"text"}`, `{"a":{"x":2}}`, false, ""},
		{"object and array", `{"a":{}}`, `{"a":[]}`, false, ""},
		{"number", `{"a":"1"}`, `{"a":1}`, false, ""},
	} {
		e := diff.Compare(parse(t, tt.a), parse(t, tt.b), diff.Options{})
		leaf := e.Edits[0]
		if leaf.Kind != diff.Changed || leaf.Edits != nil || leaf.SameInside != tt.same {
			t.Errorf("%s: %+v", tt.name, leaf)
		}
		inside := ""
		for l := range leaf.Inside.Leaves() {
			inside += l.Pointer()
		}
		if inside != tt.inside {
			t.Errorf("%s: changed inside: %q", tt.name, inside)
		}
	}
}
