package macp

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestShape checks that structural faults of a transcript or a message are reported at the wrong member,
// with the rule shape.
func TestShape(t *testing.T) {
	full := example(start, offer, context, accept, commit)
	tests := []struct {
		name     string
		old, new string
		pointer  string
		want     string
	}{
		{name: "null for a text", old: `"reason":"ready to take ownership"`, new: `"reason":null`, pointer: "/messages/3/payload/reason",
			want: `expected the member reason to be a string, found null; write "" for an empty text`},
		{name: "a text left out", old: `,"scope":"frontend-ownership"`, new: ``, pointer: "/messages/1/payload",
			want: `expected the member scope to be a string, found nothing; write "" for an empty text`},
		{name: "both spellings", old: `"sender":"agent://bob"`, new: `"sender":"agent://bob","messageId":"m-4"`, pointer: "/messages/3/message_id",
			want: `expected one of message_id and messageId, found both; keep message_id: readers may use either`},
		{name: "no message_id", old: `"message_id":"m-2"`, new: `"message_id":""`, pointer: "/messages/1/message_id",
			want: `expected the member message_id to be a non-empty string, found ""; write a string`},
		{name: "no sender", old: `"sender":"agent://bob"`, new: `"sander":"agent://bob"`, pointer: "/messages/3",
			want: `expected the member sender to be a string, found nothing; write a non-empty string`},
		{name: "another session", old: `"message_id":"m-2","session_id":"s-1"`, new: `"message_id":"m-2","session_id":"s-2"`, pointer: "/messages/1/session_id",
			want: `expected session_id to be the id of the session, "s-1", found "s-2"; keep each session in its own transcript`},
		{name: "a payload that is a text", old: `"payload":{"handoff_id":"h1","accepted_by":"agent://bob","reason":"ready to take ownership"}`, new: `"payload":"e30="`, pointer: "/messages/3/payload",
			want: `expected the member payload to be an object, found "e30="; write the payload as an object`},
		{name: "context that is not base64", old: `"context":"eyJvcGVuSXNzdWVzIjoxMn0="`, new: `"context":"{}"`, pointer: "/messages/2/payload/context",
			want: `expected base64 (RFC 4648), found "{}"; encode the bytes, even if they are text`},
		{name: "base64 with a line break", old: `"context":"eyJvcGVuSXNzdWVzIjoxMn0="`, new: `"context":"eyJv\ncGVu"`, pointer: "/messages/2/payload/context",
			want: `expected base64 (RFC 4648), found "eyJv\ncGVu"; encode the bytes, even if they are text`},
		{name: "a time that is none", old: `"timestamp":"2026-03-14T09:20:11Z"`, new: `"timestamp":"yesterday"`, pointer: "/messages/1/timestamp",
			want: `expected the member timestamp to be a time (RFC 3339), found "yesterday"; write it as in 2026-03-14T09:20:00Z`},
		{name: "a time with a fraction of a millisecond", old: `"timestamp":"2026-03-14T09:20:11Z"`, new: `"timestamp_unix_ms":1.5`, pointer: "/messages/1/timestamp_unix_ms",
			want: `expected the member timestamp_unix_ms to be an integer, found 1.5; write an integer of at most 64 bits, without quotes`},
		{name: "a time of acceptance that is a text", old: `"timestamp":"2026-03-14T09:20:11Z"`, new: `"accepted_at_unix_ms":"1"`, pointer: "/messages/1/accepted_at_unix_ms",
			want: `expected the member accepted_at_unix_ms to be a number, found "1"; write an integer of at most 64 bits, without quotes`},
		{name: "implicit that is a text", old: `"reason":"ready to take ownership"`, new: `"reason":"","implicit":"no"`, pointer: "/messages/3/payload/implicit",
			want: `expected the member implicit to be a boolean, found "no"; write true or false`},
		{name: "one participant", old: `["agent://alice","agent://bob","agent://carol"]`, new: `["agent://alice"]`, pointer: "/messages/0/payload/participants",
			want: `expected at least two participants, found 1; name at least two participants, including the sender`},
		{name: "a participant twice", old: `["agent://alice","agent://bob","agent://carol"]`, new: `["agent://alice","agent://bob","agent://bob"]`, pointer: "/messages/0/payload/participants/2",
			want: `expected each participant once, found "agent://bob" at 1 and 2; remove one of them`},
		{name: "an empty participant", old: `["agent://alice","agent://bob","agent://carol"]`, new: `["agent://alice",""]`, pointer: "/messages/0/payload/participants/1",
			want: `expected a participant to be a non-empty string, found ""; name the participant`},
		{name: "without the sender", old: `["agent://alice","agent://bob","agent://carol"]`, new: `["agent://bob","agent://carol"]`, pointer: "/messages/0/payload/participants",
			want: `expected the sender to be among the participants, found "agent://alice"; add the sender to participants`},
		{name: "no mode_version", old: `"ttl_ms"`, new: `"mode_version":"","ttl_ms"`, pointer: "/messages/0/payload/mode_version",
			want: `expected the member mode_version to be a non-empty string, found ""; write a string`},
		{name: "no time to live", old: `"ttl_ms":60000`, new: `"ttl_ms":0`, pointer: "/messages/0/payload/ttl_ms",
			want: `expected the member ttl_ms to be at least 1, found 0; write such an integer`},
		{name: "more than 64 bits", old: `"ttl_ms":60000`, new: `"ttl_ms":9223372036854775808`, pointer: "/messages/0/payload/ttl_ms",
			want: `expected the member ttl_ms to be an integer, found 9223372036854775808; write an integer of at most 64 bits, without quotes`},
		{name: "a number that costs", old: `"ttl_ms":60000`, new: `"ttl_ms":1e999999999`, pointer: "/messages/0/payload/ttl_ms",
			want: `expected the member ttl_ms to be an integer, found 1e999999999; write an integer of at most 64 bits, without quotes`},
		{name: "an extension that is an object", old: `"ttl_ms":60000`, new: `"ttl_ms":60000,"extensions":{"x":{}}`, pointer: "/messages/0/payload/extensions/x",
			want: `expected an extension to be base64, found an object; encode the bytes of the value`},
		{name: "a root without uri", old: `"ttl_ms":60000`, new: `"ttl_ms":60000,"roots":[{"name":"x"}]`, pointer: "/messages/0/payload/roots/0",
			want: `expected the member uri to be a string, found nothing; write a non-empty string`},
		{name: "a blank reason of a commitment", old: `"reason":"bob took over"`, new: `"reason":" \t"`, pointer: "/messages/4/payload/reason",
			want: `expected the member reason to be a string that is not blank, found " \t"; write a string`},
		{name: "supersedes without a hash", old: `"outcome_positive":true`, new: `"outcome_positive":true,"supersedes":{"session_id":"s-0","commitment_hash":" "}`, pointer: "/messages/4/payload/supersedes/commitment_hash",
			want: `expected the member commitment_hash to be a string that is not blank, found " "; write a string`},
		{name: "supersedes null", old: `"outcome_positive":true`, new: `"outcome_positive":true,"supersedes":null`, pointer: "/messages/4/payload/supersedes",
			want: `expected the member supersedes to be an object, found null; write session_id and commitment_hash, or leave the member out`},
		{name: "no session_id", old: `"session_id": "s-1"`, new: `"session": "s-1"`, pointer: "",
			want: `expected the member session_id to be a string, found nothing; write a non-empty string`},
		{name: "a long text is cut", old: `"timestamp":"2026-03-14T09:20:11Z"`, new: `"timestamp":"` + strings.Repeat("é", 1000) + `"`, pointer: "/messages/1/timestamp",
			want: `expected the member timestamp to be a time (RFC 3339), found "` + strings.Repeat("é", 59) + `…"; write it as in 2026-03-14T09:20:00Z`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			text := full
			if tt.name == "no mode_version" {
				text = strings.Replace(text, `"mode_version":"1.0.0",`, "", 1)
			}
			doc := parse(t, strings.Replace(text, tt.old, tt.new, 1))
			found := Check(doc, Options{})
			if len(found) == 0 || found[0].Rule != shape || found[0].Reason != InvalidEnvelope {
				t.Fatalf("found %v", listed(found))
			}
			if diff := cmp.Diff([]string{tt.pointer, tt.want}, []string{found[0].Pointer, found[0].Message}); diff != "" {
				t.Error(diff)
			}
			if at := doc.Root().At(tt.pointer).Position(); at != found[0].Position() {
				t.Errorf("at %+v, want %+v", found[0].Position(), at)
			}
		})
	}
}

func TestNoTranscript(t *testing.T) {
	tests := []struct{ text, want string }{
		{`7`, `expected a transcript, an object, found 7; write protocol_version, mode, session_id and messages`},
		{`{"protocol_version":"1.0","mode":"macp.mode.handoff.v1","session_id":"s"}`,
			`expected the member messages to be an array, found nothing; write the messages of the session as an array`},
		{`{"protocol_version":"1.0","mode":"macp.mode.handoff.v1","session_id":"s","messages":[7]}`,
			`expected a message, an object, found 7; write macp_version, mode, message_type, message_id, session_id, sender and payload`},
	}
	for _, tt := range tests {
		found := Check(parse(t, tt.text), Options{})
		if len(found) != 1 || found[0].Message != tt.want {
			t.Errorf("%s: %+v", tt.text, found)
		}
	}
}

// TestTolerated checks other notations of the same messages.
func TestTolerated(t *testing.T) {
	full := example(start, offer, context, accept, commit)
	tests := []struct {
		name     string
		old, new string
	}{
		{name: "members that nobody knows", old: `"ttl_ms":60000`, new: `"ttl_ms":60000,"x_note":{"a":[1,null]}`},
		{name: "an integer with an exponent", old: `"ttl_ms":60000`, new: `"ttl_ms":6.0e4`},
		{name: "no timestamp", old: `,"timestamp":"2026-03-14T09:20:11Z"`, new: ``},
		{name: "a timestamp in milliseconds", old: `"timestamp":"2026-03-14T09:20:11Z"`, new: `"timestamp_unix_ms":1773480011000`},
		{name: "both timestamps", old: `"timestamp":"2026-03-14T09:20:11Z"`, new: `"timestamp":"2026-03-14T09:20:11+00:00","timestamp_unix_ms":1773480011000`},
		{name: "base64 without padding", old: `eyJvcGVuSXNzdWVzIjoxMn0=`, new: `eyJvcGVuSXNzdWVzIjoxMn0`},
		{name: "base64 for URLs", old: `eyJvcGVuSXNzdWVzIjoxMn0=`, new: `_-8`},
		{name: "no bytes", old: `eyJvcGVuSXNzdWVzIjoxMn0=`, new: ``},
		{name: "what SessionStart may have", old: `"ttl_ms":60000`,
			new: `"ttl_ms":60000,"context_id":"","extensions":{"x":"e30="},"roots":[{"uri":"macp://x","name":""}],"max_suspend_ms":5`},
		{name: "supersedes", old: `"outcome_positive":true`, new: `"outcome_positive":true,"supersedes":{"session_id":"s-0","commitment_hash":"ab"}`},
		{name: "accepted_by empty", old: `"accepted_by":"agent://bob"`, new: `"accepted_by":""`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			text := edit(full, tt.old, tt.new)
			for _, text := range []string{text, camelCased(text)} {
				if found := Check(parse(t, text), Options{}); found != nil {
					t.Errorf("%s\n%+v", text, found)
				}
			}
		})
	}
}

func TestReadPolicy(t *testing.T) {
	tests := []struct {
		name, text, want string
		policy           Policy
	}{
		{name: "all of it", text: `{"policy_id":"p","mode":"macp.mode.handoff.v1","schema_version":1,"description":"x","rules":{"commitment":{"authority":"designated_role","designated_roles":["a"]},"acceptance":{"implicit_accept_timeout_ms":5}}}`,
			policy: Policy{ID: "p", Authority: DesignatedRole, DesignatedRoles: []string{"a"}, ImplicitAcceptMS: 5}},
		{name: "camelCase", text: `{"policyId":"p","schemaVersion":1,"rules":{"acceptance":{"implicitAcceptTimeoutMs":5}}}`,
			policy: Policy{ID: "p", Authority: InitiatorOnly, ImplicitAcceptMS: 5}},
		{name: "no rule of this mode", text: `{"mode":"*","rules":{"voting":{}}}`, policy: Policy{Authority: InitiatorOnly}},
		{name: "no rules", text: `{"policy_id":"p"}`, want: `expected the member rules to be an object, found nothing; write the rules as an object`},
		{name: "not an object", text: `[]`, want: `expected a policy, an object, found an array; write policy_id, mode, schema_version and rules`},
		{name: "another mode", text: `{"mode":"macp.mode.task.v1","rules":{}}`, want: `expected a policy for the mode "macp.mode.handoff.v1", or for all modes ("*"), found "macp.mode.task.v1"; use a policy for this mode`},
		{name: "an authority nobody knows", text: `{"rules":{"commitment":{"authority":"everyone"}}}`,
			want: `expected authority to be initiator_only, any_participant or designated_role, found "everyone"; write one of them`},
		{name: "nobody designated", text: `{"rules":{"commitment":{"authority":"designated_role"}}}`,
			want: `expected designated_roles for the authority designated_role, found none; write the participants who may commit as an array of strings`},
		{name: "a negative time", text: `{"rules":{"acceptance":{"implicit_accept_timeout_ms":-1}}}`,
			want: `expected the member implicit_accept_timeout_ms to be at least 0, found -1; write such an integer`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			p, err := ReadPolicy(parse(t, tt.text).Root())
			if tt.want != "" {
				if err == nil || err.Error() != "policy: "+tt.want {
					t.Errorf("error %v", err)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(tt.policy, *p); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// TestUnknownTime checks that the time 0, which means no time in protobuf, is not used in measurements.
func TestUnknownTime(t *testing.T) {
	for _, with := range []string{`"timestamp_unix_ms":0`, `"timestamp_unix_ms":0,"timestamp":"2036-01-01T00:00:00Z"`, `"timestamp":"1970-01-01T00:00:00Z"`} {
		text := strings.Replace(example(start, offer), `"timestamp":"2026-03-14T09:20:10Z"`, with, 1)
		if found := Check(parse(t, text), Options{}); found != nil {
			t.Errorf("%s: %v", with, listed(found))
		}
	}
	transcript, _ := Read(parse(t, strings.Replace(example(start), `"timestamp":"2026-03-14T09:20:10Z"`, `"timestamp_unix_ms":0`, 1)))
	if got := Project(transcript, Options{}).TimeLine[0].Time; got != "" {
		t.Errorf("time %q, want none", got)
	}
}
