package message_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"reflect"
	"strings"
	"testing"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/eaapl/handoff/pkg/jsonstream"
	"github.com/eaapl/handoff/pkg/message"
	"github.com/eaapl/handoff/schemas"
)

func parse(t testing.TB, text string) *message.Message {
	t.Helper()
	m, err := message.Parse([]byte(text), message.Options{})
	if err != nil {
		t.Fatalf("%.200s: %v", text, err)
	}
	return m
}

func example(t testing.TB) string {
	t.Helper()
	text, err := schemas.Example("message")
	if err != nil {
		t.Fatal(err)
	}
	return string(jsonstream.AppendCompact(nil, text))
}

// Later changes to the caller's buffer affect neither a message nor any string from it.
func TestParseCopies(t *testing.T) {
	text := example(t)
	buffer := []byte(text)
	m, err := message.Parse(buffer, message.Options{})
	if err != nil {
		t.Fatal(err)
	}
	id, task := m.HandoffID(), m.Root().Get("taskDescription").Text()
	for i := range buffer {
		buffer[i] = 'x'
	}
	if string(m.Raw()) != text || m.HandoffID() != id || id != parse(t, text).HandoffID() ||
		task != parse(t, text).Root().Get("taskDescription").Text() {
		t.Errorf("the message became %.100s", m.Raw())
	}
}

// Fields owns its data, even if the message was parsed in place.
func TestFieldsOwnTheirBytes(t *testing.T) {
	buffer := []byte(example(t))
	m, err := message.ParseInPlace(jsonstream.NewRaw(buffer), message.Options{})
	if err != nil {
		t.Fatal(err)
	}
	f, err := m.Fields()
	if err != nil {
		t.Fatal(err)
	}
	for i := range buffer {
		buffer[i] = 'x'
	}
	want, err := parse(t, example(t)).Fields()
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, f); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// Raw returns the bytes that were read. In Go values, the published example loses only the
// order of members in objects with unknown members.
func TestExampleSurvives(t *testing.T) {
	text := example(t)
	m := parse(t, text)
	if string(m.Raw()) != text {
		t.Error("Raw differs")
	}
	f, err := m.Fields()
	if err != nil {
		t.Fatal(err)
	}
	again, err := message.New(f)
	if err != nil {
		t.Fatal(err)
	}
	read, err := jsonstream.AppendCanonical(nil, m.Root(), jsonstream.CanonicalOptions{})
	if err != nil {
		t.Fatal(err)
	}
	written, err := jsonstream.AppendCanonical(nil, again.Root(), jsonstream.CanonicalOptions{})
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(read), string(written)); diff != "" {
		t.Errorf("(-read +written):\n%s", diff)
	}
	if got := m.HandoffID(); got != "6e7f936b-cafd-4624-8754-0bafc4e8acb3" || m.Root() != m.Document().Root() {
		t.Errorf("handoffId %q", got)
	}
}

// Unknown members of every object, unusual numbers and unusual strings pass through Fields and
// New.
func TestUnknownMembersAndNumbersSurvive(t *testing.T) {
	const odd = `"zz":{"n":[9007199254740993,1e400,0.10,-0,1E+2],"s":"\u00e9\/\ud83d\ude00","":null}`
	const text = `{"schemaVersion":"2.3","fromAgent":{"agentId":"a","agentVersion":"1.0.0","executionId":"x",` + odd + `},"toAgent":{"agentType":"b",` + odd + `},` +
		`"completedSubtasks":[{"subtaskId":"s","description":"d","result":0.10,` + odd + `}],"remainingSubtasks":[{"subtaskId":"r","description":"d",` + odd + `}],` +
		`"currentState":{` + odd + `},"relevantContext":[{"source":"s","excerpt":"e","relevanceScore":0.90,` + odd + `}],` +
		`"costTracking":{"costSpentSoFarUSD":0.10,"costBudgetRemainingUSD":1e-3,"tokenSpent":{"prompt":1e3,"completion":9007199254740993,` + odd + `},` + odd + `},` +
		`"conversationHistoryVerbatim":[{"role":"user","content":[{` + odd + `}],` + odd + `}],"toolCallHistory":[{"tool":"t","calledAt":"c","outputTokens":3.0,` + odd + `}],` + odd + `}`
	f, err := parse(t, text).Fields()
	if err != nil {
		t.Fatal(err)
	}
	again, err := message.New(f)
	if err != nil {
		t.Fatal(err)
	}
	for v := range parse(t, text).Root().All() {
		got := again.Root().At(v.Pointer())
		switch v.Kind() {
		case jsonstream.Object, jsonstream.Array:
			if got.Kind() != v.Kind() || v.Pointer() != "" && got.Len() != v.Len() {
				t.Errorf("%s: got %s, want %s", v.Pointer(), got.Raw(), v.Raw())
			}
		case jsonstream.Number:
			if !bytes.Equal(got.Raw(), v.Raw()) {
				t.Errorf("%s: got %s, want %s", v.Pointer(), got.Raw(), v.Raw())
			}
		default:
			if got.Kind() != v.Kind() || got.Text() != v.Text() {
				t.Errorf("%s: got %s, want %s", v.Pointer(), got.Raw(), v.Raw())
			}
		}
	}
}

var (
	anyString = rapid.StringOfN(rapid.RuneFrom([]rune(`ab"\/ é😀~%`+"\t\u2028<")), 0, 6, -1)
	anyNumber = rapid.SampledFrom([]string{"0", "-0", "0.10", "1e400", "1E+2", "9007199254740993", "-1.50e-7", "1e5000000"})
)

// anyJSON draws a compact JSON text.
func anyJSON(t *rapid.T, depth int) string {
	kinds := 4
	if depth > 0 {
		kinds = 6
	}
	switch rapid.IntRange(0, kinds-1).Draw(t, "kind") {
	case 0:
		return rapid.SampledFrom([]string{"null", "true", "false"}).Draw(t, "literal")
	case 1:
		return anyNumber.Draw(t, "number")
	case 2, 3:
		text, err := jsontext.AppendQuote(nil, anyString.Draw(t, "string"))
		if err != nil {
			t.Fatal(err)
		}
		return string(text)
	case 4:
		var elements []string
		for range rapid.IntRange(0, 3).Draw(t, "elements") {
			elements = append(elements, anyJSON(t, depth-1))
		}
		return "[" + strings.Join(elements, ",") + "]"
	default:
		return anyObject(t, depth)
	}
}

func anyObject(t *rapid.T, depth int) string {
	var members []string
	for i := range rapid.IntRange(0, 4).Draw(t, "members") {
		name, err := jsontext.AppendQuote(nil, fmt.Sprint(anyString.Draw(t, "name"), i))
		if err != nil {
			t.Fatal(err)
		}
		members = append(members, string(name)+":"+anyJSON(t, depth-1))
	}
	return "{" + strings.Join(members, ",") + "}"
}

// Any document is written as it was read.
func TestRawIsLossless(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		text := anyObject(t, 4)
		m, err := message.Parse([]byte(text), message.Options{})
		if err != nil {
			t.Fatalf("%s: %v", text, err)
		}
		compact := jsonstream.AppendCompact(nil, m.Raw())
		if string(m.Raw()) != text || string(compact) != text {
			t.Fatalf("%s\nRaw %s\ncompact %s", text, m.Raw(), compact)
		}
	})
}

// anyFields draws fields with unknown members in every object.
func anyFields(t *rapid.T) *message.Fields {
	object := func(depth int) json.RawMessage { return json.RawMessage(anyObject(t, depth)) }
	value := func() json.RawMessage { return json.RawMessage(anyJSON(t, 2)) }
	text := func() string { return anyString.Draw(t, "text") }
	number := func() message.Number { return message.Number(anyNumber.Draw(t, "number")) }
	id := text()
	f := &message.Fields{
		SchemaVersion: "2.0", HandoffID: text(), TaskID: text(), TaskDescription: text(), Timestamp: text(),
		FromAgent:         message.FromAgent{AgentID: text(), Unknown: object(1)},
		ToAgent:           message.ToAgent{AgentType: text(), AgentVersion: text(), Unknown: object(1)},
		ReceiverList:      []message.ToAgent{{AgentType: text()}},
		CompletedSubtasks: []message.CompletedSubtask{{SubtaskID: text(), Result: value(), Unknown: object(1)}},
		RemainingSubtasks: []message.RemainingSubtask{{Description: text(), Unknown: object(1)}, {}},
		CurrentState:      object(3),
		RelevantContext:   []message.ContextItem{{Excerpt: text(), RelevanceScore: number(), Unknown: object(1)}},
		Constraints:       []string{text(), text()},
		CostTracking: message.CostTracking{CostSpentSoFarUSD: number(), CostBudgetRemainingUSD: number(),
			TokenSpent: message.TokenSpent{Prompt: number(), Completion: number(), Unknown: object(1)}, Unknown: object(1)},
		ConversationHistoryVerbatim: []message.Turn{{Role: text(), Content: value(), Unknown: object(2)}},
		ToolCallHistory:             []message.ToolCall{{Tool: text(), OutputTokens: number()}},
		Extensions:                  object(2), Unknown: object(2),
	}
	if rapid.Bool().Draw(t, "parent") {
		f.ParentHandoffID = &id
	}
	return f
}

// The fields of any message, with unknown members, give a message with the same fields.
func TestFieldsRoundTrip(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		f := anyFields(t)
		m, err := message.New(f)
		if err != nil {
			t.Fatal(err)
		}
		got, err := m.Fields()
		if err != nil {
			t.Fatalf("%s: %v", m.Raw(), err)
		}
		again, err := message.New(got)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(string(m.Raw()), string(again.Raw())); diff != "" {
			t.Fatalf("(-first +second):\n%s", diff)
		}
		for pointer, want := range map[string]json.RawMessage{
			"/currentState": f.CurrentState, "/completedSubtasks/0/result": f.CompletedSubtasks[0].Result, "/extensions": f.Extensions,
			"/costTracking/costBudgetRemainingUSD": json.RawMessage(f.CostTracking.CostBudgetRemainingUSD),
		} {
			if got := m.Root().At(pointer).Raw(); !bytes.Equal(got, want) {
				t.Fatalf("%s: got %s, want %s", pointer, got, want)
			}
		}
	})
}

// Required lists that are empty are written, absent options are not.
func TestNewWritesAllRequiredMembers(t *testing.T) {
	m, err := message.New(&message.Fields{CurrentState: json.RawMessage("{}"), CostTracking: message.CostTracking{
		CostSpentSoFarUSD: "0", CostBudgetRemainingUSD: "1", TokenSpent: message.TokenSpent{Prompt: "0", Completion: "0"}}})
	if err != nil {
		t.Fatal(err)
	}
	const want = `{"schemaVersion":"","handoffId":"","taskId":"","parentHandoffId":null,` +
		`"fromAgent":{"agentId":"","agentVersion":"","executionId":""},"toAgent":{"agentType":""},"timestamp":"","taskDescription":"",` +
		`"completedSubtasks":[],"remainingSubtasks":[],"currentState":{},"relevantContext":[],"constraints":[],` +
		`"costTracking":{"costSpentSoFarUSD":0,"costBudgetRemainingUSD":1,"tokenSpent":{"prompt":0,"completion":0}},` +
		`"conversationHistorySummary":"","conversationHistoryVerbatim":[],"toolCallHistory":[],"traceparent":""}`
	if diff := cmp.Diff(want, string(m.Raw())); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestNewErrors(t *testing.T) {
	for name, f := range map[string]*message.Fields{
		"a number that is none":             {CostTracking: message.CostTracking{CostSpentSoFarUSD: "ten"}},
		"no number where one is needed":     {},
		"unknown members are not an object": {Unknown: json.RawMessage("[1]")},
		"an unknown member that is known":   {Unknown: json.RawMessage(`{"taskId":"x"}`)},
		"a state that is not JSON":          {CurrentState: json.RawMessage("{")},
	} {
		if m, err := message.New(f); err == nil {
			t.Errorf("%s: got %s", name, m.Raw())
		}
	}
}

// Fields rejects values of another type; the message itself may contain any value.
func TestFieldsErrors(t *testing.T) {
	for _, text := range []string{`[]`, `"x"`, `{"taskId":1}`, `{"costTracking":{"costSpentSoFarUSD":"1"}}`, `{"completedSubtasks":{}}`} {
		m := parse(t, text)
		if _, err := m.Fields(); err == nil || !strings.HasPrefix(err.Error(), "decoding the message: ") {
			t.Errorf("%s: error %v", text, err)
		}
		if string(m.Raw()) != text {
			t.Errorf("%s became %s", text, m.Raw())
		}
	}
	if got := parse(t, `{"handoffId":1}`).HandoffID(); got != "" {
		t.Errorf("handoffId %q", got)
	}
}

// Set changes one place, and keeps all other bytes and the old message.
func TestSet(t *testing.T) {
	const text = `{ "taskId" : "a",  "constraints":[ 1e400 ] , "x" : 0.10 }`
	m := parse(t, text)
	for _, tt := range []struct{ pointer, value, want string }{
		{"/taskId", `"b"`, `{ "taskId" : "b",  "constraints":[ 1e400 ] , "x" : 0.10 }`},
		{"/constraints/-", `"c"`, `{ "taskId" : "a",  "constraints":[ 1e400 ,"c"] , "x" : 0.10 }`},
		{"/new", `{}`, `{ "taskId" : "a",  "constraints":[ 1e400 ] , "x" : 0.10 ,"new":{}}`},
		{"/a/b", `1`, ""}, {"taskId", `1`, ""}, {"/x", `{`, ""}, {"/x", `1,"x":2`, ""}, {"/constraints/5", `1`, ""},
	} {
		changed, err := m.Set(tt.pointer, []byte(tt.value))
		got := ""
		if err == nil {
			got = string(changed.Raw())
		}
		if got != tt.want || (err == nil) != (tt.want != "") {
			t.Errorf("%s: got %s, error %v; want %s", tt.pointer, got, err, tt.want)
		}
	}
	if string(m.Raw()) != text {
		t.Errorf("the old message became %s", m.Raw())
	}
}

// The Go types have the names of the published schema, in its order, at every level; optional
// members are omitted if they are empty.
func TestFieldsMatchSchema(t *testing.T) {
	text, err := schemas.Read(schemas.Message)
	if err != nil {
		t.Fatal(err)
	}
	document := parse(t, string(text)).Root()
	var compare func(at string, schema jsonstream.Value, typ reflect.Type)
	compare = func(at string, schema jsonstream.Value, typ reflect.Type) {
		if ref, ok := strings.CutPrefix(schema.Get("$ref").Text(), "#"); ok {
			schema = document.At(ref)
		}
		if items := schema.Get("items"); items.Exists() && typ.Kind() == reflect.Slice && typ != reflect.TypeFor[json.RawMessage]() {
			compare(at+"/0", items, typ.Elem())
			return
		}
		if typ.Kind() != reflect.Struct {
			return
		}
		if object := schema.Get("else"); object.Exists() && !schema.Get("properties").Exists() { // or it is a string
			compare(at, object, typ)
			return
		}
		required := map[string]bool{}
		for _, name := range schema.Get("required").Elements() {
			required[name.Text()] = true
		}
		fields := map[string]reflect.StructField{}
		var got, want []string
		for field := range typ.Fields() {
			name, _, _ := strings.Cut(field.Tag.Get("json"), ",")
			if name == "" {
				continue // Unknown
			}
			fields[name] = field
			got = append(got, name)
		}
		for name, property := range schema.Get("properties").Members() {
			want = append(want, name)
			if field, ok := fields[name]; ok {
				if omitted := strings.Contains(field.Tag.Get("json"), ",omitzero"); omitted == required[name] {
					t.Errorf("%s/%s: required %v, omitted when empty %v", at, name, required[name], omitted)
				}
				compare(at+"/"+name, property, field.Type)
			}
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s %s (-schema +type):\n%s", at, typ, diff)
		}
		if _, ok := typ.FieldByName("Unknown"); !ok {
			t.Errorf("%s %s cannot keep unknown members", at, typ)
		}
	}
	compare("", document, reflect.TypeFor[message.Fields]())
}
