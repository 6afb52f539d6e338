package convert

import (
	"bytes"
	"errors"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/eaapl/handoff/pkg/format"
	"github.com/eaapl/handoff/pkg/jsonstream"
)

func TestRejected(t *testing.T) {
	tests := []struct {
		name string
		in   string
		to   format.Format
		want string // in the error
	}{
		{name: "unknown format", in: `{}`, to: format.EAAPL, want: "the format is unknown"},
		{name: "a response", in: `{"accepted":true,"rejection_reason":null}`, to: format.EAAPL, want: "is an answer, which has no context"},
		{name: "to a response", in: `{"input_history":[]}`, to: format.SW4RMResponse, want: "is an answer, which has no context"},
		{name: "to nothing", in: `{"input_history":[]}`, to: "xml", want: `"xml" is not a format`},
		{name: "context without state", in: `{"conversation_history":[],"metadata":{}}`, to: format.EAAPL, want: "/tool_state: is missing: the specification treats missing required fields as an error"},
		{name: "entry without content", in: `{"conversation_history":[{"role":"user"}],"tool_state":{},"metadata":{}}`, to: format.EAAPL, want: "/conversation_history/0/content: is missing"},
		{name: "request without a target", in: `{"from_agent":"a","reason":"r"}`, to: format.EAAPL, want: "/to_agent: is missing: a handoff request requires it"},
		{name: "snapshot of nothing", in: `{"from_agent":"a","to_agent":"b","reason":"r","context_snapshot":"?"}`, to: format.EAAPL, want: "/context_snapshot: expected base64 of a serialized context, or the context, found a string that is not base64"},
		{name: "snapshot with a member twice", in: `{"from_agent":"a","to_agent":"b","reason":"r","context_snapshot":"eyJhIjoxLCJhIjoyfQ=="}`, to: format.EAAPL, want: `base64 of a text that is not strict JSON: member name "a" appears twice`},
		{name: "snapshot of a list", in: `{"from_agent":"a","to_agent":"b","reason":"r","context_snapshot":"WzFd"}`, to: format.EAAPL, want: "base64 of JSON that is not an object: array"},
		{name: "snapshot without metadata", in: `{"from_agent":"a","to_agent":"b","reason":"r","context_snapshot":{"conversation_history":[],"tool_state":{}}}`, to: format.EAAPL, want: "/context_snapshot/metadata: is missing"},
		{name: "transcript without start", in: `{"protocol_version":"1.0","messages":[]}`, to: format.EAAPL, want: "rule 1, SESSION_ALREADY_EXISTS"},
		{name: "transcript without offer", in: `{"protocol_version":"1.0","messages":[{"message_type":"SessionStart","payload":{}}]}`, to: format.EAAPL, want: "rule 11, INVALID_ENVELOPE"},
		{name: "offer to nobody", in: `{"protocol_version":"1.0","messages":[{"message_type":"SessionStart","payload":{}},{"message_type":"HandoffOffer","payload":{"handoff_id":"h","target_participant":""}}]}`, to: format.EAAPL, want: "/messages/1/payload/target_participant: is empty: non-empty in an offer (rule 7, INVALID_ENVELOPE)"},
		{name: "history of a number", in: `{"input_history":1,"pre_handoff_items":[],"new_items":[]}`, to: format.EAAPL, want: "/input_history: expected string or array, found number"},
		{name: "items of no objects", in: `{"input_history":"x","pre_handoff_items":[],"new_items":["y"]}`, to: format.EAAPL, want: "/new_items/0: expected object, found string"},
		{name: "canonical without a task", in: `{"handoffId":"x"}`, to: format.OpenAI, want: "/taskId: is missing: required by the canonical schema (section 5.2)"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			_, err := Convert(parsed(t, []byte(tt.in)), tt.to, Options{})
			if err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Fatalf("error %v, want %s", err, tt.want)
			}
			var faults SourceErrors
			if !errors.As(err, &faults) {
				return
			}
			r, err := Convert(parsed(t, []byte(tt.in)), tt.to, Options{Lenient: true})
			if err != nil {
				t.Fatalf("lenient: %v", err)
			}
			if diff := cmp.Diff(faults, r.Report.Filled); diff != "" {
				t.Errorf("the lenient report differs: %s", diff)
			}
		})
	}
}

func TestStrict(t *testing.T) {
	_, err := Convert(parsed(t, sample(t, format.SW4RMContext)), format.EAAPL, Options{Strict: true})
	made := (*MadeUpError)(nil)
	if !errors.As(err, &made) {
		t.Fatalf("error %v", err)
	}
	var got []string
	for _, m := range made.MadeUp {
		got = append(got, m.Pointer)
	}
	want := []string{
		"/handoffId", "/taskId", "/toAgent/agentType", "/timestamp", "/taskDescription", "/costTracking",
		"/parentHandoffId", "/fromAgent/agentVersion", "/fromAgent/executionId", "/traceparent",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("made up: %s", diff)
	}
	for _, to := range []format.Format{format.SW4RMContext, format.SW4RMRequest, format.OpenAI} {
		if _, err := Convert(parsed(t, sample(t, format.EAAPL)), to, Options{Strict: true}); err != nil {
			t.Errorf("to %s: %v", to, err)
		}
	}
}

func TestSeed(t *testing.T) {
	source := sample(t, format.OpenAI)
	convert := func(seed string) []byte { return result(t, source, format.EAAPL, Options{Seed: seed}).Text }
	if !bytes.Equal(convert("a"), convert("a")) {
		t.Error("the same seed gives other values")
	}
	if bytes.Equal(convert("a"), convert("b")) {
		t.Error("another seed gives the same values")
	}
	mustEqual(t, result(t, convert("\xff"), format.OpenAI, Options{}).Text, source)
	back := result(t, convert("a"), format.OpenAI, Options{Seed: "b"})
	mustEqual(t, back.Text, source)
	if !back.Report.Restored {
		t.Error("not restored")
	}
}

func TestTimes(t *testing.T) {
	tests := []struct{ name, history, want string }{
		{name: "none", history: `[]`, want: `"1970-01-01T00:00:00Z"`},
		{name: "the latest", history: `[{"role":"user","content":"","timestamp":"2026-01-02T03:04:05+01:00"},{"role":"user","content":"","timestamp":1736937001},{"role":"user","content":""}]`, want: `"2025-01-15T10:30:01Z"`},
		{name: "a fraction", history: `[{"role":"user","content":"","timestamp":1736937000.5}]`, want: `"2025-01-15T10:30:00.5Z"`},
		{name: "an exponent", history: `[{"role":"user","content":"","timestamp":1.736937e9}]`, want: `"2025-01-15T10:30:00Z"`},
		{name: "a hostile exponent", history: `[{"role":"user","content":"","timestamp":1e999999999}]`, want: `"1970-01-01T00:00:00Z"`},
		{name: "out of range", history: `[{"role":"user","content":"","timestamp":9999999999999}]`, want: `"1970-01-01T00:00:00Z"`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			in := `{"conversation_history":` + tt.history + `,"tool_state":{},"metadata":{}}`
			r := result(t, []byte(in), format.EAAPL, Options{})
			if got := string(parsed(t, r.Text).Root().Get("timestamp").Raw()); got != tt.want {
				t.Errorf("%s, want %s", got, tt.want)
			}
		})
	}
}

// TestDepth checks that a message with the maximum depth can be converted, and converted back.
func TestDepth(t *testing.T) {
	deep := func(levels int) string { return strings.Repeat(`{"a":`, levels) + "1" + strings.Repeat("}", levels) }
	for _, levels := range []int{100, jsonstream.DefaultMaxDepth - 2} {
		for _, in := range []string{
			`{"input_history":[],"pre_handoff_items":[],"new_items":[{"role":"user","content":"x","id":` + deep(levels-2) + `}]}`,
			`{"input_history":[],"pre_handoff_items":[],"new_items":[],"further":` + deep(levels) + `}`,
		} {
			for _, to := range Formats()[:4] {
				there := result(t, []byte(in), to, Options{})
				mustEqual(t, result(t, there.Text, format.OpenAI, Options{}).Text, []byte(in))
			}
		}
		state := `{"conversation_history":[],"tool_state":` + deep(levels) + `,"metadata":{}}`
		for _, to := range []format.Format{format.EAAPL, format.SW4RMRequest, format.MACP, format.OpenAI} {
			there := result(t, []byte(state), to, Options{})
			mustEqual(t, result(t, there.Text, format.SW4RMContext, Options{}).Text, []byte(state))
		}
		brief := strings.Replace(string(sample(t, format.EAAPL)), `"tokenSpent": {`, `"deep":`+deep(levels-1)+`,"tokenSpent": {`, 1)
		for _, to := range Formats()[1:] {
			there := result(t, []byte(brief), to, Options{})
			mustEqual(t, result(t, there.Text, format.EAAPL, Options{}).Text, []byte(brief))
		}
	}
}

// TestHostileResidue checks that invalid carried data is ignored, at a bounded cost.
func TestHostileResidue(t *testing.T) {
	long := strings.Repeat("/a", 1<<20)
	for name, residue := range map[string]string{
		"deep place":    `{"format":"sw4rm-context","members":[{"at":"` + long + `","value":1}]}`,
		"no pointer":    `{"format":"sw4rm-context","members":[{"at":"x~","value":1},{"at":1},2],"turns":[3,{"was":[4]},{"was":["a"],"nth":-1},{"put":[5]}]}`,
		"wrong types":   `{"format":"sw4rm-context","shape":1,"seed":{},"made":[],"members":{},"turns":"x","text":[],"place":"y"}`,
		"the root":      `{"format":"sw4rm-context","members":[{"at":"","was":"Ah-1ltuB5tAr89JYbuOYHw","value":1},{"at":""}]}`,
		"no budget":     `{"format":"sw4rm-context","seed":"\u0000","budget":"e"}`,
		"not a string":  `{"format":["sw4rm-context"]}`,
		"bad JSON text": `"{\"format\":\"sw4rm-context\""`,
	} {
		t.Run(name, func(t *testing.T) {
			in := bytes.Replace(sample(t, format.EAAPL), []byte(`"extensions": {`), []byte(`"extensions": {"sw4rm": `+residue+`,`), 1)
			there := result(t, in, format.SW4RMContext, Options{})
			mustEqual(t, result(t, there.Text, format.EAAPL, Options{}).Text, in)
		})
	}
}

func FuzzConvert(f *testing.F) {
	for _, format := range Formats() {
		f.Add(sample(f, format), uint8(0), uint8(1))
	}
	f.Fuzz(func(t *testing.T, in []byte, a, b uint8) {
		doc, err := jsonstream.Parse(jsonstream.NewRaw(in), jsonstream.Limits{MaxDepth: 100})
		if err != nil || doc.Root().Kind() != jsonstream.Object {
			return
		}
		from, to := Formats()[int(a)%5], Formats()[int(b)%5]
		there := converted(t, in, from, to)
		mustEqual(t, converted(t, there, to, from), in)
	})
}

// large returns a canonical message of about n bytes.
func large(b *testing.B, size int) []byte {
	turn := `{"role":"assistant","content":"The clause on liability was read and compared with the standard of the library.","timestamp":"2026-06-12T09:30:00Z"},`
	text := string(sample(b, format.EAAPL))
	const list = `"conversationHistoryVerbatim": [`
	return []byte(strings.Replace(text, list, list+strings.Repeat(turn, size/len(turn)), 1))
}

// BenchmarkConvert converts messages and converts them back. The time per byte must not grow with
// the size of the message.
func BenchmarkConvert(b *testing.B) {
	for _, size := range []int{1 << 20, 10 << 20} {
		source := large(b, size)
		for _, to := range Formats()[1:] {
			b.Run(string(to)+"/"+byteCount(size), func(b *testing.B) {
				b.SetBytes(int64(len(source)))
				for b.Loop() {
					there := result(b, source, to, Options{})
					result(b, there.Text, format.EAAPL, Options{})
				}
			})
		}
	}
}

func byteCount(n int) string { return strconv.Itoa(n>>20) + "MiB" }

// TestSameFormatIsChecked checks that a message that is already in the target format is checked like any
// other.
func TestSameFormatIsChecked(t *testing.T) {
	for f, text := range map[format.Format]string{format.EAAPL: `{"taskId":"t1"}`, format.OpenAI: `{"input_history":5}`, format.SW4RMContext: `{"conversation_history":{}}`} {
		doc, err := jsonstream.Parse(jsonstream.NewRaw([]byte(text)), jsonstream.Limits{})
		if err != nil {
			t.Fatal(err)
		}
		var wrong SourceErrors
		if _, err := Convert(doc, f, Options{}); !errors.As(err, &wrong) {
			t.Errorf("%s as %s: %v, want the faults of the source", text, f, err)
		}
		if r, err := Convert(doc, f, Options{Lenient: true}); err != nil || string(r.Text) != text {
			t.Errorf("%s as %s, lenient: %s, %v", text, f, r.Text, err)
		}
	}
}
