package sw4rm

import (
	"bytes"
	"encoding/base64"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/eaapl/handoff/internal/equal"
	"github.com/eaapl/handoff/pkg/finding"
	"github.com/eaapl/handoff/pkg/format"
	"github.com/eaapl/handoff/pkg/jsonstream"
)

// places returns problems as "rule pointer: message".
func places(problems []finding.Finding) []string {
	var list []string
	for _, p := range problems {
		list = append(list, strings.TrimSpace(strings.TrimPrefix(p.Rule, "sw4rm/")+" "+p.Pointer)+": "+p.Message)
	}
	return list
}

// TestSerialize checks that the output is UTF-8 with as few escapes as possible, that numbers and the
// order of members are kept, and that unknown members come last.
func TestSerialize(t *testing.T) {
	in := `{ "x" : 1e400, "metadata":{"b":0.10,"a":9007199254740993}, "tool_state" : {}, "conversation_history":[{"role":"user","content":"\u00e9\ud83d\ude00\u2028\/\"\n\u0001é"}] }`
	want := `{"conversation_history":[{"role":"user","content":"é😀` + "\u2028" + `/\"\n\u0001é"}],"tool_state":{},"metadata":{"b":0.10,"a":9007199254740993},"x":1e400}`
	c, problems := ReadContext(value(t, in))
	if problems != nil {
		t.Fatal(problems)
	}
	if diff := cmp.Diff(want, string(c.Serialize())); diff != "" {
		t.Error(diff)
	}
}

func TestReadRequest(t *testing.T) {
	r := mustRead(t, `{"request_id":"q","from_agent":"a","reason":"r","capabilities_required":["x","y","x"],"context_snapshot":`+emptyContext+`,"z":1}`)
	if r.ID != "q" || r.From != "a" || r.To != "" || !cmp.Equal(r.Capabilities, []string{"x", "y"}) || string(r.Context.Raw()) != emptyContext {
		t.Errorf("%+v", r)
	}
	for _, tt := range []struct {
		name, in string
		want     []string
	}{
		{"not an object", `[]`, []string{": not a HandoffRequest: expected an object, found an array"}},
		{"everything is wrong", `{"to_agent":1,"reason":null,"request_id":{},"capabilities_required":["x",2],"context_snapshot":true}`, []string{
			"/from_agent: missing required member: add it, as a string", "/to_agent: expected a string, found the number 1",
			"/reason: expected a string, found null", "/request_id: expected a string, found an object",
			"/capabilities_required/1: expected a string, found the number 2",
			"snapshot-encoding /context_snapshot: expected base64 of a serialized context, or the context itself, found a boolean"}},
		{"capabilities", `{"from_agent":"a","to_agent":null,"reason":"r","capabilities_required":"x"}`, []string{`/capabilities_required: expected an array of strings, found "x"`}},
		{"base64", `{"from_agent":"a","to_agent":"b","reason":"r","context_snapshot":"ab-_"}`, []string{
			"snapshot-encoding /context_snapshot: not base64: invalid character at index 2; write the serialized context in the standard alphabet, with its padding and on one line"}},
		{"base64 in lines", `{"from_agent":"a","to_agent":"b","reason":"r","context_snapshot":"eyJj\nb252"}`, []string{
			"snapshot-encoding /context_snapshot: not base64: invalid character at index 4; write the serialized context in the standard alphabet, with its padding and on one line"}},
		{"base64 with bits left over", `{"from_agent":"a","to_agent":"b","reason":"r","context_snapshot":"e31="}`, []string{
			"snapshot-encoding /context_snapshot: not base64: invalid character at index 3; write the serialized context in the standard alphabet, with its padding and on one line"}},
		{"cut off", snapshot(`{"a":`), []string{
			"snapshot-json /context_snapshot: the content is not JSON: line 1, column 6: " + cutOff(t)}},
		{"members of the context", snapshot(`{"metadata":[]}`), []string{
			"context-member /context_snapshot/conversation_history: missing required field of a HandoffContext: add it, at least as []",
			"context-member /context_snapshot/tool_state: missing required field of a HandoffContext: add it, at least as {}",
			"context-type /context_snapshot/metadata: expected an object, found an array"}},
	} {
		_, problems := ReadRequest(parse(t, tt.in), jsonstream.Limits{})
		if diff := cmp.Diff(tt.want, places(problems)); diff != "" {
			t.Errorf("%s: %s", tt.name, diff)
		}
	}
}

// cutOff returns the error for a truncated text.
func cutOff(t *testing.T) string {
	t.Helper()
	_, err := jsonstream.Parse(jsonstream.NewRaw([]byte(`{"a":`)), jsonstream.Limits{})
	if err == nil {
		t.Fatal("it was read")
	}
	return err.(*jsonstream.SyntaxError).Problem
}

// TestSnapshotLimits checks that the limits apply to a snapshot too.
func TestSnapshotLimits(t *testing.T) {
	doc := parse(t, snapshot(`{"metadata":{"a":`+nest(20)+`}}`))
	if _, problems := ReadRequest(doc, jsonstream.Limits{MaxDepth: 10}); len(problems) != 1 || problems[0].Rule != "sw4rm/snapshot-json" {
		t.Errorf("%+v", problems)
	}
}

func TestFill(t *testing.T) {
	encoded := func(text string) string { return base64.StdEncoding.EncodeToString([]byte(text)) }
	for _, tt := range []struct {
		name, in, want string
		format         format.Format
		pointers       []string
	}{
		{"nothing is missing", emptyContext, emptyContext, format.SW4RMContext, nil},
		{"an empty object", `{ }`, `{ "conversation_history":[],"tool_state":{},"metadata":{}}`, format.SW4RMContext, []string{"/conversation_history", "/tool_state", "/metadata"}},
		{"the rest stays as it is", `{"metadata": null, "n":1.0}`, `{"metadata": null, "n":1.0,"conversation_history":[],"tool_state":{}}`, format.SW4RMContext, []string{"/conversation_history", "/tool_state"}},
		{"no object", `[]`, `[]`, format.SW4RMContext, nil},
		{"a request without a context", `{"from_agent":"a"}`, `{"from_agent":"a"}`, format.SW4RMRequest, nil},
		{"a snapshot that is broken", `{"context_snapshot":"?"}`, `{"context_snapshot":"?"}`, format.SW4RMRequest, nil},
		{"an inline context", `{"context_snapshot":{"tool_state":{},"metadata":{}}, "z":1}`, `{"context_snapshot":{"tool_state":{},"metadata":{},"conversation_history":[]}, "z":1}`,
			format.SW4RMRequest, []string{"/context_snapshot/conversation_history"}},
		{"a snapshot", `{"context_snapshot":"` + encoded(`{"conversation_history":[],"metadata":{}}`) + `"}`,
			`{"context_snapshot":"` + encoded(`{"conversation_history":[],"metadata":{},"tool_state":{}}`) + `"}`, format.SW4RMRequest, []string{"/context_snapshot/tool_state"}},
	} {
		got, pointers, err := Fill(parse(t, tt.in), tt.format, jsonstream.Limits{})
		if err != nil || string(got.Root().Raw()) != tt.want || !cmp.Equal(pointers, tt.pointers) {
			t.Errorf("%s: %s, %s, %v", tt.name, got.Root().Raw(), pointers, err)
		}
	}
}

func TestWithTarget(t *testing.T) {
	for in, want := range map[string]string{
		`{"from_agent":"a", "to_agent":"", "reason":"r","priority":1.0}`: `{"from_agent":"a", "to_agent":"b\"", "reason":"r","priority":1.0}`,
		`{"from_agent":"a", "reason":"r"}`:                               `{"from_agent":"a", "reason":"r","to_agent":"b\""}`,
	} {
		if got, err := mustRead(t, in).WithTarget(`b"`); err != nil || string(got) != want {
			t.Errorf("%s, %v", got, err)
		}
	}
}

func TestReadRegistry(t *testing.T) {
	for _, tt := range []struct {
		name, in string
		want     []string
	}{
		{"neither", `{"agent":[]}`, []string{`: not a registry: expected an array of agent records, or {"agents": []}`}},
		{"every fault is reported", `[{"agent_id":"a","capabilities":[],"state":"RUNNABLE"},7,{"capabilities":["x",1],"state":2},{"agent_id":"","capabilities":[],"state":"x"},` +
			`{"agent_id":"a","capabilities":[],"state":"RUNNABLE"},{"agent_id":"b"}]`, []string{
			"/1: not an agent record: expected an object with agent_id, capabilities and state, found the number 7",
			"/2/agent_id: missing required member: add it, as a string", "/2/capabilities/1: expected a string, found the number 1", "/2/state: expected a string, found the number 2",
			"/3/agent_id: agent_id is empty: give the agent a name", `/4/agent_id: the agent_id "a" is already used by record 0: give each agent its own`,
			"/5/state: missing required member: add it, as a string", "/5/capabilities: missing required member: add it, as an array of strings"}},
		{"in an object", `{"agents":[null]}`, []string{"/agents/0: not an agent record: expected an object with agent_id, capabilities and state, found null"}},
	} {
		_, problems := ReadRegistry(parse(t, tt.in))
		if diff := cmp.Diff(tt.want, places(problems)); diff != "" {
			t.Errorf("%s: %s", tt.name, diff)
		}
	}
}

func TestReadEvent(t *testing.T) {
	e, problems := ReadEvent(parse(t, `{"event":"request","request_id":"q","from_agent":"a","to_agent":"b","at":"noon"}`))
	if diff := cmp.Diff(Event{Submit, "q", "a", "b"}, e); diff != "" || problems != nil {
		t.Error(diff, problems)
	}
	for in, want := range map[string]string{
		`7`:                                     ": not an event: expected an object with event and request_id, found the number 7",
		`{"request_id":"q"}`:                    "/event: missing required member: add it, as a string",
		`{"event":"acept"}`:                     `/event: unknown event "acept": use one of request, accept, reject, complete, expire`,
		`{"event":"accept","request_id":["q"]}`: "/request_id: expected a string, found an array",
	} {
		if _, problems := ReadEvent(parse(t, in)); len(problems) != 1 || places(problems)[0] != want {
			t.Errorf("%s: %q", in, places(problems))
		}
	}
}

// TestSeededID checks that the same request always gets the same id, and that another request or seed
// gets another.
func TestSeededID(t *testing.T) {
	a, b := mustRead(t, `{"from_agent":"a","reason":"r"}`), mustRead(t, `{"from_agent":"b","reason":"r"}`)
	spaced := mustRead(t, `{ "from_agent" : "a","reason":"r"}`)
	id := SeededID("s", a)
	if !uuid4.MatchString(id) || id != SeededID("s", spaced) || id == SeededID("s", b) || id == SeededID("", a) {
		t.Error(id)
	}
}

func TestSeconds(t *testing.T) {
	for d, want := range map[time.Duration]string{30 * time.Second: "30s", time.Minute + 250*time.Millisecond: "60.25s", 1: "0.000000001s"} {
		if got := seconds(d); got != want {
			t.Errorf("%v: %s", d, got)
		}
	}
}

// anyJSON returns any JSON text.
func anyJSON(depth int) *rapid.Generator[string] {
	text := rapid.Map(rapid.String(), func(s string) string { return string(appendString(nil, s)) })
	leaf := rapid.OneOf(text, rapid.SampledFrom([]string{"null", "true", "0", "-0", "1e400", "0.10", "9007199254740993", `"\u00e9\/"`, `"\ud83d\ude00"`}))
	if depth == 0 {
		return leaf
	}
	list := rapid.Map(rapid.SliceOfN(anyJSON(depth-1), 0, 3), func(parts []string) string { return "[ " + strings.Join(parts, " ,") + "]" })
	return rapid.OneOf(leaf, list, rapid.Deferred(func() *rapid.Generator[string] { return object(depth - 1) }))
}

func object(depth int) *rapid.Generator[string] {
	return rapid.Custom(func(t *rapid.T) string {
		names := rapid.SliceOfNDistinct(rapid.StringN(0, 4, -1), 0, 3, func(s string) string { return s }).Draw(t, "names")
		text := []byte("{")
		for _, name := range names {
			text = append(appendName(text, name), anyJSON(depth).Draw(t, "value")...)
		}
		return string(append(text, '}'))
	})
}

// TestRoundTrip checks that deserialize_context(serialize_context(x)) is x, as a context and in a
// request.
func TestRoundTrip(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		history := rapid.SliceOfN(object(2), 0, 4).Draw(r, "history")
		text := `{"x":` + anyJSON(2).Draw(r, "other") + `, "metadata":` + object(2).Draw(r, "metadata") + `,"conversation_history":[` +
			strings.Join(history, ",\n") + `],"tool_state":` + object(2).Draw(r, "state") + `}`
		before := value(t, text)
		c, problems := ReadContext(before)
		if problems != nil {
			r.Fatalf("%+v", problems)
		}
		serialized := c.Serialize()
		after := value(t, string(serialized))
		if !(equal.Relation{Exact: true}).Equal(before, after) {
			r.Fatalf("%s became %s", text, serialized)
		}
		again, _ := ReadContext(after)
		if !bytes.Equal(again.Serialize(), serialized) {
			r.Fatalf("%s and then %s", serialized, again.Serialize())
		}
		request := mustRead(t, string(Draft{From: "a", To: "b", Reason: "r", Context: &c}.Append(nil)))
		if !bytes.Equal(request.Context.Raw(), serialized) {
			r.Fatalf("%s in a request became %s", serialized, request.Context.Raw())
		}
	})
}

// FuzzRead checks that any JSON can be read and checked, that a request that was read can be answered,
// and that the output is strict JSON.
func FuzzRead(f *testing.F) {
	for _, r := range Rules() {
		f.Add(r.Bad)
		f.Add(r.Good)
	}
	f.Add(`{"from_agent":"a","to_agent":"","reason":"r","capabilities_required":["x"],"context_snapshot":{"conversation_history":[{"role":"tool"}]}}`)
	f.Add(agents)
	f.Add(`{"event":"accept","request_id":"q"}`)
	f.Fuzz(func(t *testing.T, text string) {
		doc, err := jsonstream.Parse(jsonstream.NewRaw([]byte(text)), jsonstream.Limits{})
		if err != nil {
			return
		}
		for _, kind := range []format.Format{format.SW4RMContext, format.SW4RMRequest, format.SW4RMResponse} {
			for _, p := range Check(doc, kind, jsonstream.Limits{}) {
				if p.Line < 1 || p.Message == "" || strings.ContainsAny(p.Message, "\n\x1b") {
					t.Fatalf("%+v", p)
				}
			}
			filled, _, err := Fill(doc, kind, jsonstream.Limits{})
			if err != nil {
				t.Fatal(err)
			}
			if _, again, _ := Fill(filled, kind, jsonstream.Limits{}); again != nil {
				t.Fatalf("filled in again: %s", again)
			}
		}
		if c, problems := ReadContext(doc.Root()); problems == nil {
			value(t, string(c.Serialize()))
		}
		var ledger Ledger
		if e, problems := ReadEvent(doc); problems == nil {
			ledger.Apply(e)
		}
		g, problems := ReadRegistry(doc)
		if problems != nil {
			g = mustRegistry(t, agents)
		}
		if r, problems := ReadRequest(doc, jsonstream.Limits{}); problems == nil {
			for _, preferred := range [][]string{nil, {"busy", "second"}} {
				routing := g.Route(r, preferred, SeededID("", r))
				response := string(routing.Response.Append(nil))
				if problems := Check(parse(t, response), format.SW4RMResponse, jsonstream.Limits{}); problems != nil {
					t.Fatalf("%s: %+v", response, problems)
				}
			}
			if again, err := r.WithTarget("x"); err != nil || mustRead(t, string(again)).To != "x" {
				t.Fatalf("%s: %v", again, err)
			}
		}
	})
}
