package macp

import (
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestStart(t *testing.T) {
	text, err := Start("s-1", Step{MessageID: "m-1", Sender: alice, Timestamp: "2026-03-14T09:20:10Z", Payload: &SessionStart{
		Intent: "", Participants: []string{alice, bob}, ModeVersion: "1.0.0", ConfigurationVersion: "c", TTLMS: 5, ContextID: "ctx",
		Extensions: []Extension{{"x", []byte("{}")}}, Roots: []Root{{"macp://x", ""}}, MaxSuspendMS: 6,
	}}, Options{})
	if err != nil {
		t.Fatal(err)
	}
	want := `{
  "protocol_version": "1.0",
  "mode": "macp.mode.handoff.v1",
  "session_id": "s-1",
  "messages": [
    {"macp_version":"1.0","mode":"macp.mode.handoff.v1","message_type":"SessionStart","message_id":"m-1","session_id":"s-1","sender":"agent://alice","timestamp":"2026-03-14T09:20:10Z","payload":{"intent":"","participants":["agent://alice","agent://bob"],"mode_version":"1.0.0","configuration_version":"c","policy_version":"","ttl_ms":5,"context_id":"ctx","extensions":{"x":"e30="},"roots":[{"uri":"macp://x","name":""}],"max_suspend_ms":6}}
  ]
}
`
	if diff := cmp.Diff(want, string(text)); diff != "" {
		t.Error(diff)
	}
}

// TestAppendWrites checks that each appended step has the form of the example for its type.
func TestAppendWrites(t *testing.T) {
	steps := []Step{start, offer, context, accepts("h1", bob, ""), after(1, changed(func(c *Commitment) { c.Supersedes = &Supersedes{"s-0", "ab"} }))}
	for i := range steps {
		steps[i] = at("2026-03-14T09:20:10Z", with(steps[i], "m-"+string(rune('1'+i))))
	}
	got, err := Start("s-1", steps[0], Options{})
	for _, step := range steps[1:] {
		if err != nil {
			t.Fatal(err)
		}
		got, err = Append(parse(t, string(got)), step, Options{})
	}
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(example(steps...), string(got)); diff != "" {
		t.Error(diff)
	}
}

// TestAppendKeeps checks that the existing text is unchanged, whatever its formatting.
func TestAppendKeeps(t *testing.T) {
	oneLine := `{"messages":[MSG],"session_id":"s\u002d1","x":1.0e0,"mode":"macp.mode.handoff.v1","protocolVersion":"1.0"}`
	begin := strings.TrimSpace(strings.Split(example(start), "\n")[5])
	var w writer
	w.message("s-1", with(offer, "m-2"))
	message := string(w.out)
	tests := []struct{ name, text, want string }{
		{name: "compact", text: strings.Replace(oneLine, "MSG", begin, 1), want: strings.Replace(oneLine, "MSG", begin+","+message, 1)},
		{name: "camelCase", text: strings.Replace(oneLine, "MSG", camelCased(begin), 1), want: strings.Replace(oneLine, "MSG", camelCased(begin)+","+message, 1)},
		{name: "blanks", text: " " + strings.Replace(oneLine, "MSG", " "+begin+"\t", 1), want: " " + strings.Replace(oneLine, "MSG", " "+begin+", "+message+"\t", 1)},
		{name: "a message on a line", text: strings.Replace(oneLine, "MSG", "\r\n\t"+begin+"\r\n", 1), want: strings.Replace(oneLine, "MSG", "\r\n\t"+begin+",\r\n\t"+message+"\r\n", 1)},
		{name: "indented", text: strings.Replace(oneLine, "MSG", "\n  {\n    "+begin[1:], 1), want: strings.Replace(oneLine, "MSG", "\n  {\n    "+begin[1:]+`,
  {
    "macp_version": "1.0",
    "mode": "macp.mode.handoff.v1",
    "message_type": "HandoffOffer",
    "message_id": "m-2",
    "session_id": "s-1",
    "sender": "agent://alice",
    "payload": {
      "handoff_id": "h1",
      "target_participant": "agent://bob",
      "scope": "frontend-ownership",
      "reason": "moving to the backend team"
    }
  }`, 1)},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got, err := Append(parse(t, tt.text), with(offer, "m-2"), Options{})
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(tt.want, string(got)); diff != "" {
				t.Error(diff)
			}
		})
	}
	for _, messages := range []string{"", " ", "\n  "} {
		text := strings.Replace(oneLine, "MSG", messages, 1)
		got, err := Append(parse(t, text), with(start, "m-1"), Options{})
		if err != nil {
			t.Fatal(err)
		}
		if found := Check(parse(t, string(got)), Options{}); found != nil {
			t.Errorf("%s: %v", got, listed(found))
		}
	}
}

func TestAppendRejects(t *testing.T) {
	session := example(start, offer)
	tests := []struct {
		name string
		text string
		step Step
		want string
	}{
		{name: "rule 9", text: session, step: offers("h2", alice, carol),
			want: `rejected by macp/9 (INVALID_ENVELOPE): expected no offer while one is outstanding, found an offer while "h1" has no answer; wait until it is accepted or declined`},
		{name: "what would only follow", text: example(start, offers("h1", alice, mallory)), step: accept,
			want: `rejected by macp/11 (INVALID_ENVELOPE): expected the handoff_id of an earlier offer, found "h1"; offer the handoff first, or name a handoff that was offered`},
		{name: "rule 1", text: example(), step: offer,
			want: `rejected by macp/1 (SESSION_ALREADY_EXISTS): expected the first message of the session to be SessionStart, found "HandoffOffer"; start the session before anything else`},
		{name: "rule 20", text: session, step: implicit(accept),
			want: `rejected by macp/20 (INVALID_ENVELOPE): expected implicit to be false in an accept that a participant sends, found true; leave implicit out; if a runtime wrote the message, leave the whole message out: the offer counts as accepted at the commitment, after the policy's timeout`},
		{name: "an id that is taken", text: session, step: with(accept, "m-1"),
			want: `rejected by macp/3 (DUPLICATE_MESSAGE): expected a message_id that no earlier message has, found "m-1" of message 0; remove the copy, or give the other message its own id`},
		{name: "a transcript of another version", text: edit(session, `"protocol_version": "1.0"`, `"protocol_version": "2.0"`), step: accept,
			want: `rejected by macp/2 (UNSUPPORTED_PROTOCOL_VERSION): expected protocol_version to be "1.0", found "2.0"; write the version of the protocol`},
		{name: "no transcript", text: `[]`, step: accept,
			want: `rejected (INVALID_ENVELOPE): expected a transcript, an object, found an array; write protocol_version, mode, session_id and messages`},
		{name: "bytes that are no text", text: session, step: accepts("h1", bob, "\xff"),
			want: `rejected (INVALID_ENVELOPE): expected texts in UTF-8, found other bytes; send binary data as a context, in base64`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if tt.step.MessageID == "" {
				tt.step.MessageID = "m-new"
			}
			text, err := Append(parse(t, tt.text), tt.step, Options{})
			var rejected *RejectedError
			if !errors.As(err, &rejected) || text != nil {
				t.Fatalf("text %s, error %v", text, err)
			}
			if diff := cmp.Diff(tt.want, err.Error()); diff != "" {
				t.Error(diff)
			}
			if rejected.Violation.Line != 0 {
				t.Errorf("a position in a text that was not written: %+v", rejected.Violation.Finding)
			}
		})
	}
	if _, err := Append(parse(t, fixtures(t)["no-answer.json"]), accept, Options{}); !errors.Is(err, ErrFixture) {
		t.Errorf("a fixture: %v", err)
	}
	if _, err := Start("\xff", with(start, "m-1"), Options{}); err == nil {
		t.Error("a session_id in invalid UTF-8 was accepted")
	}
}
