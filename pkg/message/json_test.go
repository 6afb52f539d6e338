package message_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"reflect"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/eaapl/handoff/pkg/jsonstream"
	"github.com/eaapl/handoff/pkg/message"
)

// A tester is a *testing.T or a *rapid.T.
type tester interface {
	Helper()
	Fatal(...any)
	Fatalf(string, ...any)
}

// encoded returns the output of encoding/json, without its escapes for HTML.
func encoded(t tester, v any) string {
	t.Helper()
	var b bytes.Buffer
	encoder := json.NewEncoder(&b)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(v); err != nil {
		t.Fatal(err)
	}
	return string(bytes.TrimSuffix(b.Bytes(), []byte("\n")))
}

func canonical(t testing.TB, text []byte) string {
	t.Helper()
	out, err := jsonstream.AppendCanonical(nil, parse(t, string(text)).Root(), jsonstream.CanonicalOptions{})
	if err != nil {
		t.Fatal(err)
	}
	return string(out)
}

// checkJSON checks that encoding/json writes fields as the message that New makes of them, and
// reads that message as Message.Fields does.
func checkJSON(t tester, f *message.Fields) {
	t.Helper()
	m, err := message.New(f)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(m.Raw()), encoded(t, f)); diff != "" {
		t.Fatalf("(-New +encoding/json):\n%s", diff)
	}
	if diff := cmp.Diff(string(m.Raw()), encoded(t, *f)); diff != "" {
		t.Fatalf("not a pointer (-New +encoding/json):\n%s", diff)
	}
	want, err := m.Fields()
	if err != nil {
		t.Fatal(err)
	}
	got := message.Fields{TaskID: "from before", Unknown: json.RawMessage(`{"from":"before"}`)}
	if err := json.Unmarshal(m.Raw(), &got); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, &got); diff != "" {
		t.Fatalf("(-Fields +encoding/json):\n%s", diff)
	}
}

func TestJSONOfGeneratedFields(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) { checkJSON(t, anyFields(t)) })
}

func TestJSONOfExample(t *testing.T) {
	m := parse(t, example(t))
	f, err := m.Fields()
	if err != nil {
		t.Fatal(err)
	}
	checkJSON(t, f)
	text, err := json.Marshal(f)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(canonical(t, m.Raw()), canonical(t, text)); diff != "" {
		t.Errorf("(-read +written):\n%s", diff)
	}
}

// Each type has the same JSON alone as within a message.
func TestJSONOfParts(t *testing.T) {
	const unknown = `"<&>":[1e400,0.10,null]`
	for text, v := range map[string]any{
		`{"agentId":"a","agentVersion":"1.0.0","executionId":"x",` + unknown + `}`:                                       &message.FromAgent{},
		`{"agentType":"b",` + unknown + `}`:                                                                              &message.ToAgent{},
		`{"subtaskId":"s","description":"d","result":0.10,` + unknown + `}`:                                              &message.CompletedSubtask{},
		`{"subtaskId":"s","description":"d",` + unknown + `}`:                                                            &message.RemainingSubtask{},
		`{"source":"s","excerpt":"e","relevanceScore":0.90,` + unknown + `}`:                                             &message.ContextItem{},
		`{"prompt":1e3,"completion":9007199254740993,` + unknown + `}`:                                                   &message.TokenSpent{},
		`{"role":"user","content":[{"text":"t"}],` + unknown + `}`:                                                       &message.Turn{},
		`{"role":"assistant","content":null,"tool_calls":[]}`:                                                            &message.Turn{},
		`{"tool":"t","calledAt":"c","outputTokens":3,` + unknown + `}`:                                                   &message.ToolCall{},
		`{"costSpentSoFarUSD":0.10,"costBudgetRemainingUSD":1,"tokenSpent":{"prompt":0,"completion":0},` + unknown + `}`: &message.CostTracking{},
	} {
		if err := json.Unmarshal([]byte(text), v); err != nil {
			t.Errorf("%T: %v", v, err)
			continue
		}
		if got := encoded(t, v); got != text {
			t.Errorf("%T: got %s, want %s", v, got, text)
		}
		if got := encoded(t, reflect.ValueOf(v).Elem().Interface()); got != text {
			t.Errorf("%T: not a pointer: got %s, want %s", v, got, text)
		}
	}
	var budget struct {
		USD  message.Number
		None *message.Turn
	}
	if err := json.Unmarshal([]byte(`{"USD":0.10,"None":null}`), &budget); err != nil || encoded(t, budget) != `{"USD":0.10,"None":null}` {
		t.Errorf("got %+v, error %v", budget, err)
	}
}

// A value without JSON, and JSON that is not a message, give errors with the place.
func TestJSONErrors(t *testing.T) {
	for want, v := range map[string]any{
		`expected a number, found ""`:                                        message.Number(""),
		`expected a number, found "\"1\""`:                                   message.Number(`"1"`),
		`expected a number, found "1 "`:                                      message.Number("1 "),
		`/prompt: expected a number, found ""`:                               message.TokenSpent{},
		`/role: not valid UTF-8`:                                             message.Turn{Role: "\xff"},
		`the unknown members are not a JSON object`:                          message.Turn{Unknown: json.RawMessage(`null`)},
		`/role: is among the unknown members: set its field instead`:         message.Turn{Unknown: json.RawMessage(`{"role":"x"}`)},
		`/agentVersion: is among the unknown members: set its field instead`: message.ToAgent{Unknown: json.RawMessage(`{"agentVersion":"x"}`)},
		`/content: not a JSON value: found "," after the end of the document: put each document on its own line`: message.Turn{Content: json.RawMessage(`1,"x":2`)},
	} {
		_, err := json.Marshal(v)
		var field *message.FieldError
		if !errors.As(err, &field) || field.Error() != want {
			t.Errorf("got %v, want %s", err, want)
		}
	}
	for text, want := range map[string]string{
		`[]`: "expected an object, found array", `{"taskId":null}`: "/taskId: expected a string, found null",
		`{"constraints":["a",1]}`: "/constraints/1: expected a string, found number", `{"constraints":{}}`: "/constraints: expected an array, found object",
		`{"costTracking":{"tokenSpent":{"prompt":"1"}}}`: "/costTracking/tokenSpent/prompt: expected a number, found string",
	} {
		var f message.Fields
		if err := json.Unmarshal([]byte(text), &f); err == nil || err.Error() != want {
			t.Errorf("%s: got %v, want %s", text, err, want)
		}
	}
	var strict *jsonstream.SyntaxError
	if err := json.Unmarshal([]byte(`{"taskId":"a","taskId":"b"}`), new(message.Fields)); !errors.As(err, &strict) {
		t.Errorf("two members of one name: error %v", err)
	}
}
