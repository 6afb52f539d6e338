package wire_test

import (
	"bytes"
	"encoding/base64"
	"errors"
	"io"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/google/go-cmp/cmp"
	"google.golang.org/protobuf/encoding/protowire"

	"github.com/eaapl/handoff/pkg/formats/macp/wire"
	"github.com/eaapl/handoff/pkg/jsonstream"
)

// fields joins the fields of a message.
func fields(list ...[]byte) []byte { return bytes.Join(list, nil) }

// str is a field with text, or with bytes.
func str(number protowire.Number, text string) []byte {
	return protowire.AppendString(protowire.AppendTag(nil, number, protowire.BytesType), text)
}

// num is a field with a number.
func num(number protowire.Number, n uint64) []byte {
	return protowire.AppendVarint(protowire.AppendTag(nil, number, protowire.VarintType), n)
}

// delimited puts an envelope after its length.
func delimited(list ...[]byte) []byte { return protowire.AppendBytes(nil, fields(list...)) }

// enveloped is an envelope of session s-1 with a payload.
func enveloped(messageType, id string, payload ...[]byte) []byte {
	return delimited(str(1, "1.0"), str(2, "macp.mode.handoff.v1"), str(3, messageType), str(4, id), str(5, "s-1"),
		str(6, "agent://a"), num(7, 1700000000123), str(8, string(fields(payload...))))
}

const head = `{"protocol_version":"1.0","mode":"macp.mode.handoff.v1","session_id":"s-1","messages":[`

// inEnvelope returns the JSON of enveloped.
func inEnvelope(messageType, id, payload string) string {
	return `{"macp_version":"1.0","mode":"macp.mode.handoff.v1","message_type":"` + messageType + `","message_id":"` + id +
		`","session_id":"s-1","sender":"agent://a","timestamp_unix_ms":1700000000123,"payload":` + payload + `}`
}

func b64(data ...[]byte) string { return base64.StdEncoding.EncodeToString(fields(data...)) }

func parse(t testing.TB, text string) *jsonstream.Document {
	t.Helper()
	doc, err := jsonstream.Parse(jsonstream.NewRaw([]byte(text)), jsonstream.Limits{})
	if err != nil {
		t.Fatalf("%v in %s", err, text)
	}
	return doc
}

// TestMessages checks every message type in protobuf and in JSON, in both directions.
func TestMessages(t *testing.T) {
	odd := []byte{0x9a, 0x06, 0x01, 'x'} // field 99, bytes
	tests := []struct {
		name        string
		messageType string
		wire        []byte
		json        string
	}{
		{
			name: "start", messageType: "SessionStart",
			wire: fields(str(1, "migrate"), str(2, "agent://a"), str(2, "agent://b"), str(3, "1.0.0"), str(4, "c-1"), str(5, "p-1"), num(6, 60000),
				str(7, string(fields(str(1, "file:///x"), str(2, "x")))), str(7, ""), str(8, "ctx:1"),
				str(9, string(fields(str(1, "b"), str(2, "\x00\xff")))), str(9, string(fields(str(1, "a"), str(2, "")))), num(10, 5)),
			json: `{"intent":"migrate","participants":["agent://a","agent://b"],"mode_version":"1.0.0","configuration_version":"c-1","policy_version":"p-1","ttl_ms":60000,` +
				`"roots":[{"uri":"file:///x","name":"x"},{"uri":"","name":""}],"context_id":"ctx:1","extensions":{"b":"AP8=","a":""},"max_suspend_ms":5}`,
		},
		{
			name: "defaults are written out", messageType: "SessionStart",
			json: `{"intent":"","participants":[],"mode_version":"","configuration_version":"","policy_version":"","ttl_ms":0,"context_id":""}`,
		},
		{
			name: "offer", messageType: "HandoffOffer",
			wire: fields(str(1, "h1"), str(2, "agent://b"), str(4, "tired of \"it\"\n")),
			json: `{"handoff_id":"h1","target_participant":"agent://b","scope":"","reason":"tired of \"it\"\n"}`,
		},
		{
			name: "context", messageType: "HandoffContext",
			wire: fields(str(1, "h1"), str(2, "application/json"), str(3, `{"a":1}`)),
			json: `{"handoff_id":"h1","content_type":"application/json","context":"eyJhIjoxfQ=="}`,
		},
		{
			name: "accept", messageType: "HandoffAccept",
			wire: fields(str(1, "h1"), str(2, "agent://b"), num(4, 1)),
			json: `{"handoff_id":"h1","accepted_by":"agent://b","reason":"","implicit":true}`,
		},
		{
			name: "decline", messageType: "HandoffDecline",
			wire: fields(str(1, "h1"), str(3, "no bandwidth")),
			json: `{"handoff_id":"h1","declined_by":"","reason":"no bandwidth"}`,
		},
		{
			name: "commitment", messageType: "Commitment",
			wire: fields(str(1, "c1"), str(2, "handoff.accepted"), str(3, "team"), str(4, "done"), str(5, "1.0.0"), str(7, "c-1"), num(8, 1),
				str(9, string(fields(str(1, "s-0"), str(2, "sha256:00"))))),
			json: `{"commitment_id":"c1","action":"handoff.accepted","authority_scope":"team","reason":"done","mode_version":"1.0.0","policy_version":"",` +
				`"configuration_version":"c-1","outcome_positive":true,"supersedes":{"session_id":"s-0","commitment_hash":"sha256:00"}}`,
		},
		{
			name: "supersedes is there though it is empty", messageType: "Commitment",
			wire: str(9, ""),
			json: `{"commitment_id":"","action":"","authority_scope":"","reason":"","mode_version":"","policy_version":"",` +
				`"configuration_version":"","outcome_positive":false,"supersedes":{"session_id":"","commitment_hash":""}}`,
		},
		{
			name: "unknown fields", messageType: "HandoffDecline",
			wire: fields(str(1, "h1"), num(2, 7), odd, num(88, 1)), // field 2 is text: as a number it is unknown
			json: `{"handoff_id":"h1","declined_by":"","reason":"","unknown_fields":"` + b64(num(2, 7), odd, num(88, 1)) + `"}`,
		},
		{
			name: "unknown fields of nested messages", messageType: "SessionStart",
			wire: fields(str(7, string(fields(str(1, "u"), odd))), str(8, "x"), odd),
			json: `{"intent":"","participants":[],"mode_version":"","configuration_version":"","policy_version":"","ttl_ms":0,` +
				`"roots":[{"uri":"u","name":"","unknown_fields":"` + b64(odd) + `"}],"context_id":"x","unknown_fields":"` + b64(odd) + `"}`,
		},
		{
			name: "unknown message type", messageType: "Telepathy",
			wire: []byte("{not protobuf}"),
			json: `{"unknown_fields":"` + b64([]byte("{not protobuf}")) + `"}`,
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			stream := enveloped(tt.messageType, "m1", tt.wire)
			if len(tt.wire) == 0 {
				stream = delimited(str(1, "1.0"), str(2, "macp.mode.handoff.v1"), str(3, tt.messageType), str(4, "m1"), str(5, "s-1"),
					str(6, "agent://a"), num(7, 1700000000123))
			}
			transcripts, err := wire.Decode(iotest.OneByteReader(bytes.NewReader(stream)), jsonstream.Limits{})
			if err != nil {
				t.Fatal(err)
			}
			want := head + inEnvelope(tt.messageType, "m1", tt.json) + "]}"
			if diff := cmp.Diff([]wire.Transcript{{Text: []byte(want), Offsets: []int64{0}}}, transcripts); diff != "" {
				t.Fatalf("decoded (-want +got):\n%s", diff)
			}
			back, lost, err := wire.Encode(parse(t, want))
			if err != nil || len(lost) > 0 {
				t.Fatalf("encoded with error %v and losses %v", err, lost)
			}
			if !bytes.Equal(back, stream) {
				t.Errorf("encoded as\n%x, want\n%x", back, stream)
			}
		})
	}
}

// TestNotCanonical decodes encodings that no encoder should write but every decoder must read.
func TestNotCanonical(t *testing.T) {
	first, second := str(9, string(str(1, "s-0"))), str(9, string(str(2, "hash")))
	stream := enveloped("Commitment", "m1", num(8, 2), first, str(1, "old"), second, str(1, "c1"))
	stream = append(stream, 0x80, 0x00) // an empty envelope, after a length of two bytes
	transcripts, err := wire.Decode(bytes.NewReader(stream), jsonstream.Limits{})
	if err != nil {
		t.Fatal(err)
	}
	if len(transcripts) != 2 {
		t.Fatalf("%d transcripts, want one of s-1 and one without a session", len(transcripts))
	}
	want := head + inEnvelope("Commitment", "m1", `{"commitment_id":"c1","action":"","authority_scope":"","reason":"","mode_version":"","policy_version":"",`+
		`"configuration_version":"","outcome_positive":true,"supersedes":{"session_id":"s-0","commitment_hash":"hash"}}`) + "]}"
	if diff := cmp.Diff(want, string(transcripts[0].Text)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// TestSessions shows that a stream of several sessions becomes one transcript each.
func TestSessions(t *testing.T) {
	of := func(session, id string) []byte { return delimited(str(1, "1.0"), str(4, id), str(5, session)) }
	stream := fields(of("b", "1"), of("a", "2"), of("b", "3"))
	transcripts, err := wire.Decode(bytes.NewReader(stream), jsonstream.Limits{})
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, s := range transcripts {
		for i, m := range parse(t, string(s.Text)).Root().Get("messages").Elements() {
			got = append(got, m.Get("session_id").Text()+m.Get("message_id").Text())
			if s.Offsets[i]%int64(len(of("a", "1"))) != 0 {
				t.Errorf("offset %d is not where an envelope begins", s.Offsets[i])
			}
		}
	}
	if diff := cmp.Diff([]string{"b1", "b3", "a2"}, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// TestNoTime shows that a message without a time has none in JSON.
func TestNoTime(t *testing.T) {
	stream := fields(delimited(str(5, "s"), str(6, "a")), delimited(str(5, "s"), num(7, 0)))
	transcripts, err := wire.Decode(bytes.NewReader(stream), jsonstream.Limits{})
	if err != nil {
		t.Fatal(err)
	}
	if text := string(transcripts[0].Text); strings.Contains(text, "timestamp") {
		t.Errorf("a time where there is none: %s", text)
	}
}

func TestDecodeErrors(t *testing.T) {
	good := enveloped("HandoffOffer", "m1", str(1, "h1"))
	tests := []struct {
		name   string
		stream []byte
		limit  int64
		want   string
		err    error
	}{
		{name: "cut in an envelope", stream: good[:len(good)-1], want: "the envelope ends after 73 of 74 bytes", err: io.ErrUnexpectedEOF},
		{name: "cut in a length", stream: []byte{0x80}, want: "ends inside the length", err: io.ErrUnexpectedEOF},
		{name: "endless length", stream: bytes.Repeat([]byte{0xff}, 20), want: "longer than 64 bits"},
		{name: "claims terabytes", stream: []byte{0xff, 0xff, 0xff, 0xff, 0xff, 0x7f}, want: "is 4398046511103 bytes", err: jsonstream.ErrTooLarge},
		{name: "json", stream: []byte(`{"protocol_version":"1.0"}`), want: "ends after 25 of 123 bytes", err: io.ErrUnexpectedEOF},
		{name: "no tag", stream: delimited([]byte{0}), want: "byte 0 is not"},
		{name: "cut in a field", stream: delimited([]byte{0x0a, 5}), want: "byte 0: the value of field 1 is damaged"},
		{name: "no UTF-8", stream: delimited(str(6, "\xff")), want: "sender: is not valid UTF-8"},
		{name: "bomb of short messages", stream: enveloped("SessionStart", "m1", bytes.Repeat(str(7, ""), 1000)), limit: 5000, want: "longer than a document may be", err: jsonstream.ErrTooLarge},
		{name: "bomb of empty envelopes", stream: make([]byte, 100), limit: 5000, want: "longer than a document may be", err: jsonstream.ErrTooLarge},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			_, err := wire.Decode(bytes.NewReader(tt.stream), jsonstream.Limits{MaxBytes: tt.limit})
			var e *wire.Error
			if !errors.As(err, &e) || !strings.Contains(err.Error(), tt.want) || tt.err != nil && !errors.Is(err, tt.err) {
				t.Errorf("error %v, want one that says %q and is %v", err, tt.want, tt.err)
			}
		})
	}
	t.Run("second envelope", func(t *testing.T) {
		_, err := wire.Decode(bytes.NewReader(fields(good, delimited([]byte{0}))), jsonstream.Limits{})
		var e *wire.Error
		if !errors.As(err, &e) || e.Envelope != 1 || e.Offset != int64(len(good)) {
			t.Errorf("error %+v, want one at envelope 1, byte %d", e, len(good))
		}
	})
	t.Run("reader", func(t *testing.T) {
		broken := errors.New("the disk is gone")
		if _, err := wire.Decode(io.MultiReader(bytes.NewReader(good[:9]), iotest.ErrReader(broken)), jsonstream.Limits{}); err != broken {
			t.Errorf("error %v, want the reader's", err)
		}
	})
}

// TestUndecodedPayload checks that a damaged payload is kept, and that the other messages of the session
// are read.
func TestUndecodedPayload(t *testing.T) {
	for _, tt := range []struct {
		payload []byte
		want    string
	}{
		{str(2, "\xff"), "not a SessionStart: participants: is not valid UTF-8, which protobuf strings require"},
		{str(9, string(fields(str(1, "k"), num(3, 1)))), "not a SessionStart: extensions: an entry has more than a key and a value"},
		{[]byte{0x0a, 5}, "not a SessionStart: byte 0: the value of field 1 is damaged or cut off"},
	} {
		stream := fields(enveloped("SessionStart", "m1", tt.payload), enveloped("HandoffOffer", "m2", str(1, "h1")))
		list, err := wire.Decode(bytes.NewReader(stream), jsonstream.Limits{})
		if err != nil || len(list) != 1 {
			t.Fatal(len(list), err)
		}
		doc, err := jsonstream.Parse(jsonstream.NewRaw(list[0].Text), jsonstream.Limits{})
		if err != nil {
			t.Fatal(err)
		}
		if got := doc.Root().At("/messages/0/payload/undecoded_problem").Text(); !strings.HasPrefix(got, tt.want) {
			t.Errorf("%q, want %q", got, tt.want)
		}
		if got := doc.Root().At("/messages/1/payload/handoff_id").Text(); got != "h1" {
			t.Errorf("the second message has %q", got)
		}
		back, lost, err := wire.Encode(doc)
		if err != nil || len(lost) > 0 || !bytes.Equal(back, stream) {
			t.Errorf("%x, lost %v, error %v; want %x", back, lost, err, stream)
		}
	}
}

// TestEncode checks the accepted forms of JSON, and the data that is lost.
func TestEncode(t *testing.T) {
	tests := []struct {
		name string
		json string
		want []byte
		lost []string
	}{
		{
			name: "camelCase",
			json: `{"protocolVersion":"1.0","mode":"","sessionId":"s","messages":[{"macpVersion":"1.0","sessionId":"s","messageType":"HandoffAccept","timestampUnixMs":5,"payload":{"handoffId":"h","acceptedBy":"b"}}]}`,
			want: delimited(str(1, "1.0"), str(3, "HandoffAccept"), str(5, "s"), num(7, 5), str(8, string(fields(str(1, "h"), str(2, "b"))))),
		},
		{
			name: "times become milliseconds",
			json: `{"messages":[{"timestamp":"2023-11-14T23:13:20.123+01:00"},{"timestamp":"1969-12-31T23:59:59.999Z"}]}`,
			want: fields(delimited(num(7, 1700000000123)), delimited(num(7, 1<<64-1))),
		},
		{
			name: "finer times are lost",
			json: `{"messages":[{"timestamp":"1970-01-01T00:00:00.0019Z"},{"timestamp":"1970-01-01T00:00:00Z","timestamp_unix_ms":7}]}`,
			want: fields(delimited(num(7, 1)), delimited(num(7, 7))),
			lost: []string{"/messages/0/timestamp", "/messages/1/timestamp"},
		},
		{
			name: "numbers compare by value",
			json: `{"messages":[{"timestamp_unix_ms":1.70e3},{"timestamp_unix_ms":-0},{"timestamp_unix_ms":0.0},{"timestamp_unix_ms":9223372036854775807},{"timestamp_unix_ms":-1e0}]}`,
			want: fields(delimited(num(7, 1700)), delimited(), delimited(), delimited(num(7, 1<<63-1)), delimited(num(7, 1<<64-1))),
		},
		{
			name: "members without a field are lost",
			json: `{"protocol_version":"2.0","mode":"","session_id":"","description":"d","messages":[{"macp_version":"1.0","accepted_at_unix_ms":5,"message_type":"Commitment",` +
				`"payload":{"reason":"x","note":1,"outcomePositive":false,"supersedes":{"why":2}}},{"message_type":"X","payload":{"a":1}}]}`,
			want: fields(delimited(str(1, "1.0"), str(3, "Commitment"), str(8, string(fields(str(4, "x"), str(9, ""))))), delimited(str(3, "X"))),
			lost: []string{"/protocol_version", "/description", "/messages/0/payload/supersedes/why", "/messages/0/payload/note",
				"/messages/0/accepted_at_unix_ms", "/messages/1/payload/a"},
		},
		{
			name: "an outcome that is not there becomes false",
			json: `{"messages":[{"message_type":"Commitment","payload":{"reason":"x"}}]}`,
			want: delimited(str(3, "Commitment"), str(8, string(str(4, "x")))),
			lost: []string{"/messages/0/payload/outcome_positive"},
		},
		{
			name: "0 is no time, and the epoch cannot be distinguished from it",
			json: `{"messages":[{"timestamp_unix_ms":0},{"timestamp":"1970-01-01T00:00:00Z"}]}`,
			want: fields(delimited(), delimited()),
			lost: []string{"/messages/1/timestamp"},
		},
		{
			name: "base64 of any kind",
			json: `{"messages":[{"message_type":"HandoffContext","payload":{"context":"_-8="}},{"message_type":"HandoffContext","payload":{"context":"YR"}}]}`,
			want: fields(delimited(str(3, "HandoffContext"), str(8, string(str(3, "\xff\xef")))), delimited(str(3, "HandoffContext"), str(8, string(str(3, "a"))))),
		},
		{
			name: "of two spellings the wire's counts",
			json: `{"messages":[{"sender":"a","message_id":"1","messageId":"2"}]}`,
			want: delimited(str(4, "1"), str(6, "a")),
			lost: []string{"/messages/0/messageId"},
		},
		{name: "no messages", json: `{"mode":"","messages":[]}`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got, lost, err := wire.Encode(parse(t, tt.json))
			if err != nil {
				t.Fatal(err)
			}
			if !bytes.Equal(got, tt.want) {
				t.Errorf("got\n%x, want\n%x", got, tt.want)
			}
			var pointers []string
			for _, l := range lost {
				pointers = append(pointers, l.Pointer)
			}
			if diff := cmp.Diff(tt.lost, pointers); diff != "" {
				t.Errorf("lost (-want +got):\n%s", diff)
			}
		})
	}
}

func TestEncodeErrors(t *testing.T) {
	tests := []struct{ json, pointer, want string }{
		{`[]`, "", "found nothing"},
		{`{"messages":{}}`, "/messages", "found an object"},
		{`{"messages":[1]}`, "/messages/0", "must be an object: found a number"},
		{`{"messages":[{"sender":null}]}`, "/messages/0/sender", "must be a string: found null"},
		{`{"messages":[{"timestamp_unix_ms":"5"}]}`, "/messages/0/timestamp_unix_ms", "whole number: found a string"},
		{`{"messages":[{"timestamp_unix_ms":0.5}]}`, "/messages/0/timestamp_unix_ms", "64 bits"},
		{`{"messages":[{"timestamp_unix_ms":1e999999999999}]}`, "/messages/0/timestamp_unix_ms", "64 bits"},
		{`{"messages":[{"timestamp_unix_ms":9223372036854775808}]}`, "/messages/0/timestamp_unix_ms", "64 bits"},
		{`{"messages":[{"timestamp":"noon"}]}`, "/messages/0/timestamp", "RFC 3339"},
		{`{"messages":[{"payload":[]}]}`, "/messages/0/payload", "found an array"},
		{`{"messages":[{"message_type":"Commitment","payload":{"outcome_positive":"true"}}]}`, "/messages/0/payload/outcome_positive", "true or false"},
		{`{"messages":[{"message_type":"SessionStart","payload":{"participants":"a"}}]}`, "/messages/0/payload/participants", "must be an array"},
		{`{"messages":[{"message_type":"SessionStart","payload":{"participants":[1]}}]}`, "/messages/0/payload/participants/0", "must be a string"},
		{`{"messages":[{"message_type":"SessionStart","payload":{"extensions":[]}}]}`, "/messages/0/payload/extensions", "must be an object"},
		{`{"messages":[{"message_type":"SessionStart","payload":{"extensions":{"a":"?"}}}]}`, "/messages/0/payload/extensions/a", "base64"},
		{`{"messages":[{"message_type":"HandoffContext","payload":{"context":"YQ==\n"}}]}`, "/messages/0/payload/context", `base64 (RFC 4648): found "YQ==\n"`},
		{`{"messages":[{"timestamp":"2026-03-14T9:20:00Z"}]}`, "/messages/0/timestamp", `found "2026-03-14T9:20:00Z"`},
		{`{"messages":[{"timestamp":5}]}`, "/messages/0/timestamp", "must be a string: found a number"},
		{`{"messages":[{"unknown_fields":"AA=="}]}`, "/messages/0/unknown_fields", "not the beginning of a protobuf field"},
		{`{"messages":[{"unknown_fields":"` + b64(str(6, "mallory")) + `"}]}`, "/messages/0/unknown_fields", "contains field 6, which is a known field: write the member sender instead"},
	}
	for _, tt := range tests {
		_, _, err := wire.Encode(parse(t, tt.json))
		var e *wire.MemberError
		if !errors.As(err, &e) || e.Pointer != tt.pointer || !strings.Contains(e.Problem, tt.want) {
			t.Errorf("%s: error %v, want one at %q that says %q", tt.json, err, tt.pointer, tt.want)
		}
	}
}
