package history

import (
	"encoding/base64"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/eaapl/handoff/pkg/format"
	"github.com/eaapl/handoff/pkg/jsonstream"
)

func transcript(contexts ...string) string {
	return `{"protocol_version":"1.0","messages":[{"message_type":"SessionStart","payload":{}}` + strings.Join(contexts, "") + `]}`
}

func macpContext(contentType, context string) string {
	return `,{"message_type":"HandoffContext","payload":{"content_type":"` + contentType + `","context":"` +
		base64.StdEncoding.EncodeToString([]byte(context)) + `"}}`
}

// TestTranscript checks that the conversation of a transcript is in the last context with a place for
// turns.
func TestTranscript(t *testing.T) {
	const turns = `{"conversationHistoryVerbatim":[{"role":"user","content":"a"}]}`
	for _, tt := range []struct {
		name, in string
		inner    format.Format
		carrier  string
		want     []string
	}{
		{"canonical members", transcript(macpContext("application/json", turns)),
			format.EAAPL, "/messages/1/payload/context", []string{"/conversationHistoryVerbatim/0"}},
		{"SW4RM", transcript(macpContext("application/json", twoTurns)),
			format.SW4RMContext, "/messages/1/payload/context", []string{"/conversation_history/0", "/conversation_history/1"}},
		{"OpenAI, another JSON type", transcript(macpContext("Application/vnd.x+JSON; v=1", `{"input_history":"hi","new_items":[{}]}`)),
			format.OpenAI, "/messages/1/payload/context", []string{"/input_history", "/new_items/0"}},
		{"members in camelCase", `{"protocolVersion":"1.0","messages":[{"messageType":"HandoffContext","payload":{"contentType":"application/json","context":"` +
			base64.StdEncoding.EncodeToString([]byte(turns)) + `"}}]}`, format.EAAPL, "/messages/0/payload/context", []string{"/conversationHistoryVerbatim/0"}},
		{"of several, the last", transcript(macpContext("application/json", twoTurns), macpContext("application/json", turns)),
			format.EAAPL, "/messages/2/payload/context", []string{"/conversationHistoryVerbatim/0"}},
		{"what has no turns is passed over", transcript(macpContext("application/json", turns), macpContext("text/plain", twoTurns),
			macpContext("application/json", `{"repository":"acme"}`), macpContext("text/plain", `no`), `,{"message_type":"HandoffAccept"}`, `,7`),
			format.EAAPL, "/messages/1/payload/context", []string{"/conversationHistoryVerbatim/0"}},
		{"a place for turns, and none", transcript(macpContext("application/json", turns), macpContext("application/json", `{"conversation_history":[]}`)),
			format.SW4RMContext, "/messages/2/payload/context", nil},
		{"beside members of other formats", transcript(macpContext("application/json", `{"taskId":"t","from_agent":"a","conversation_history":[{}]}`)),
			format.SW4RMContext, "/messages/1/payload/context", []string{"/conversation_history/0"}},
		{"a request inside", transcript(macpContext("application/json", encodedRequest(twoTurns))), "", "", nil},
		{"not base64, and not JSON either", `{"messages":[{"message_type":"HandoffContext","payload":{"content_type":"text/plain","context":"{}"}}]}`, "", "", nil},
		{"in front of one with turns, what cannot be read", transcript(macpContext("application/json", `no`), macpContext("application/json", turns)),
			format.EAAPL, "/messages/2/payload/context", []string{"/conversationHistoryVerbatim/0"}},
		{"no context", transcript(), "", "", nil},
		{"a context that says more", `{"accepted":true,"conversation_history":[{}]}`, format.SW4RMContext, "", []string{"/conversation_history/0"}},
		{"an SW4RM response", `{"accepted":true,"input_history":[{}]}`, "", "", nil},
	} {
		t.Run(tt.name, func(t *testing.T) {
			h := read(t, tt.in)
			var got []string
			got = append(got, h.Pointers()...)
			if h.ContextFormat != tt.inner || h.Carrier().Pointer() != tt.carrier {
				t.Errorf("a context in %q at %q", h.ContextFormat, h.Carrier().Pointer())
			}
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Error(diff)
			}
			again, err := h.Message(h.Context().Raw().Bytes)
			if err != nil || string(again) != tt.in {
				t.Errorf("put back: %s, %v", again, err)
			}
		})
	}
}

// TestUnreadableContext checks that an unreadable context with a JSON content type is an error, because
// it may contain the turns.
func TestUnreadableContext(t *testing.T) {
	for _, tt := range []struct{ name, in, want string }{
		{"not base64", `{"messages":[{"message_type":"HandoffContext","payload":{"content_type":"application/json","context":"{}"}}]}`,
			"/messages/0/payload/context: not base64 of a context: "},
		{"no JSON", transcript(macpContext("application/json", twoTurns), macpContext("application/json", "{\n no")),
			"/messages/2/payload/context: the content is not JSON, at 2:2 in it: "},
		{"too deep", transcript(macpContext("application/json", strings.Repeat("[", 513)+strings.Repeat("]", 513))),
			"/messages/1/payload/context: the content is not JSON, at 1:513 in it: "},
		{"a snapshot", `{"context_snapshot":"%"}`, "/context_snapshot: not base64 of a context: "},
	} {
		_, err := Of(parse(t, tt.in), "", jsonstream.Limits{})
		carrier := (*CarrierError)(nil)
		if !errors.As(err, &carrier) || !strings.HasPrefix(err.Error(), tt.want) {
			t.Errorf("%s: got %v", tt.name, err)
		} else if at := parse(t, tt.in).Root().At(carrier.Pointer).Position(); carrier.Position != at {
			t.Errorf("%s: at %v, want %v", tt.name, carrier.Position, at)
		}
	}
}

// TestDecode checks base64 in both alphabets, with and without padding.
func TestDecode(t *testing.T) {
	const text = `{"a":"?>~ÿ?>~"}`
	for _, encoding := range []*base64.Encoding{base64.StdEncoding, base64.RawStdEncoding, base64.URLEncoding, base64.RawURLEncoding} {
		for _, context := range []string{text, text + " ", text + "  "} {
			in := encoding.EncodeToString([]byte(context))
			doc, err := Decode(parse(t, `"`+in+`"`).Root(), jsonstream.Limits{})
			if err != nil || string(doc.Raw().Bytes) != context {
				t.Errorf("%s: %v", in, err)
			}
		}
	}
	for _, in := range []string{"e30", "e30=", "e3+_", "e30==", "e", "e30*"} {
		if _, err := Decode(parse(t, `"`+in+`"`).Root(), jsonstream.Limits{}); (err == nil) != (in == "e30" || in == "e30=") {
			t.Errorf("%s: %v", in, err)
		}
	}
}

// TestAll checks that all conversations of a transcript are found, the last one first.
func TestAll(t *testing.T) {
	const turns = `{"conversationHistoryVerbatim":[{"role":"user","content":"a"}]}`
	for _, tt := range []struct{ name, in, want string }{
		{"several", transcript(macpContext("application/json", turns), macpContext("application/json", "no"), macpContext("application/json", "{}"),
			macpContext("text/plain", turns), macpContext("application/json", twoTurns)), "/messages/5/payload/context 2, /messages/1/payload/context 1"},
		{"none", transcript(), " 0"},
		{"another format", twoTurns, " 2"},
		{"a request", encodedRequest(twoTurns), "/context_snapshot 2"},
	} {
		all, err := All(parse(t, tt.in), "", jsonstream.Limits{})
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, h := range all {
			got = append(got, fmt.Sprint(h.Carrier().Pointer(), " ", len(h.Turns)))
		}
		if diff := cmp.Diff(tt.want, strings.Join(got, ", ")); diff != "" {
			t.Errorf("%s: %s", tt.name, diff)
		}
	}
	if _, err := All(parse(t, `{"a":1}`), "", jsonstream.Limits{}); !errors.Is(err, ErrFormat) {
		t.Error(err)
	}
}

// TestMessageOfTranscript checks that a context is put back into its original place, as compact base64.
func TestMessageOfTranscript(t *testing.T) {
	h := read(t, transcript(macpContext("application/json", twoTurns), macpContext("text/plain", "x")))
	got, err := h.Message([]byte(`{}`))
	if err != nil {
		t.Fatal(err)
	}
	if want := transcript(macpContext("application/json", "{}"), macpContext("text/plain", "x")); string(got) != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

// TestFormatOf checks that a given format takes precedence over the detected one, and that the document
// must have a member with its turns.
func TestFormatOf(t *testing.T) {
	for _, tt := range []struct {
		in     string
		format format.Format
		want   string
	}{
		{`{"taskId":"t","messages":[]}`, format.MACP, ""},
		{`{"handoffId":"h","conversation_history":[]}`, format.SW4RMContext, ""},
		{`{"pre_handoff_items":[]}`, format.OpenAI, ""},
		{`{"conversation_history":[]}`, format.MACP, "not in the format macp: expected an object with messages, found none"},
		{`{"conversation_history":[]}`, format.OpenAI, "expected an object with input_history, pre_handoff_items, new_items or input_items, found none"},
		{`[]`, format.SW4RMContext, "expected an object with conversation_history or tool_state, found none"},
		{`{"accepted":true,"metadata":{}}`, format.SW4RMContext, "expected an object with conversation_history or tool_state, found none"},
		{`{}`, format.SW4RMRequest, "context_snapshot, from_agent or to_agent"},
		{`{}`, format.SW4RMResponse, "accepted or rejection_reason"},
		{`{}`, format.EAAPL, "handoffId, taskId, schemaVersion or conversationHistoryVerbatim"},
	} {
		h, err := Of(parse(t, tt.in), tt.format, jsonstream.Limits{})
		mismatch := (*MismatchError)(nil)
		switch {
		case tt.want == "" && (err != nil || h.Format != tt.format):
			t.Errorf("%s as %s: %v", tt.in, tt.format, err)
		case tt.want != "" && (!errors.As(err, &mismatch) || !strings.Contains(err.Error(), tt.want)):
			t.Errorf("%s as %s: %v", tt.in, tt.format, err)
		}
	}
}
