package openai_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/eaapl/handoff/pkg/formats/openai"
	"github.com/eaapl/handoff/pkg/jsonstream"
)

func value(t testing.TB, text string) jsonstream.Value {
	t.Helper()
	doc, err := jsonstream.Parse(jsonstream.NewRaw([]byte(text)), jsonstream.Limits{})
	if err != nil {
		t.Fatalf("%s: %v", text, err)
	}
	return doc.Root()
}

const (
	asked    = `{"role":"user","content":"Refund 4711"}`
	looked   = `{"type":"function_call","call_id":"c0","name":"find_order","arguments":"{}"}`
	found    = `{"type":"function_call_output","call_id":"c0","output":"1.0"}`
	said     = `{"role":"assistant","content":"Transferring."}`
	handed   = `{"type":"function_call","call_id":"c1","name":"transfer_to_billing","arguments":"{}"}`
	output   = `{"type":"function_call_output","call_id":"c1","output":"{\"assistant\": \"Billing\"}"}`
	answered = `{"role":"assistant","content":"Billing here."}`
)

func TestBuild(t *testing.T) {
	run := `{"type":"handoff_call_item","agent":{"name":"Triage"},"raw_item":{"type":"function_call","call_id":"c9","name":"go","arguments":"{}"}}`
	tests := []struct {
		name, run, call string
		want            string
		after           int
	}{
		{"one list", "[" + strings.Join([]string{asked, looked, found, said, handed, output, answered}, ",") + "]", "",
			`{"input_history":[` + asked + `],"pre_handoff_items":[` + looked + "," + found + `],"new_items":[` + said + "," + handed + "," + output + `]}`, 1},
		{"a result", `{"input":"Refund 4711","new_items":[` + looked + "," + found + "," + run + `]}`, "",
			`{"input_history":"Refund 4711","pre_handoff_items":[` + looked + "," + found + `],"new_items":[` + run + `]}`, 0},
		{"a result of the SDK for JavaScript", `{"input":[` + asked + `],"newItems":[` + handed + "," + output + `],"lastAgent":{}}`, "",
			`{"inputHistory":[` + asked + `],"preHandoffItems":[],"newItems":[` + handed + "," + output + `]}`, 0},
		{"another call", "[" + strings.Join([]string{asked, looked, found, handed}, ",") + "]", "c0",
			`{"input_history":[` + asked + `],"pre_handoff_items":[],"new_items":[` + looked + "," + found + `]}`, 1},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			built, err := openai.Run{Call: tt.call}.Build(value(t, tt.run))
			if err != nil || string(built.Text) != tt.want || built.After != tt.after {
				t.Errorf("got %s, %d after it, %v; want %s, %d", built.Text, built.After, err, tt.want, tt.after)
			}
		})
	}
	for _, text := range []string{`[]`, `[` + looked + `]`, `{"input":"x","new_items":[]}`} {
		if _, err := (openai.Run{}).Build(value(t, text)); !errors.Is(err, openai.ErrNoHandoff) {
			t.Errorf("%s: %v", text, err)
		}
	}
	for _, text := range []string{`5`, `{"input":5,"new_items":[]}`, `{"new_items":[]}`, `["x"]`} {
		if _, err := (openai.Run{}).Build(value(t, text)); err == nil || errors.Is(err, openai.ErrNoHandoff) {
			t.Errorf("%s: %v", text, err)
		}
	}
}

// FuzzBuild checks that the input of the next agent is the run up to the end of the turn.
func FuzzBuild(f *testing.F) {
	f.Add("[" + strings.Join([]string{asked, looked, found, said, handed, output, answered}, ",") + "]")
	f.Add(`[{"type":"tool_approval_item"},` + handed + `,{"call_id":"c1"}]`)
	f.Fuzz(func(t *testing.T, text string) {
		doc, err := jsonstream.Parse(jsonstream.NewRaw([]byte(text)), jsonstream.Limits{})
		if err != nil {
			return
		}
		built, err := openai.Run{}.Build(doc.Root())
		if err != nil {
			return
		}
		data := value(t, string(built.Text))
		if err := openai.CheckShape(data); err != nil {
			t.Fatalf("%s: %v", built.Text, err)
		}
		items := 0
		for _, list := range []string{"input_history", "pre_handoff_items", "new_items"} {
			items += data.Get(list).Len()
		}
		if run := doc.Root(); run.Kind() == jsonstream.Array && items+built.After != run.Len() {
			t.Errorf("%d items of %s, %d after them: %s", items, text, built.After, built.Text)
		}
	})
}

func TestInput(t *testing.T) {
	tests := []struct{ in, want string }{
		{`{"input_history":"Hi","pre_handoff_items":[{"type":"tool_call_item","raw_item":` + looked + `}],"new_items":[` + handed + `,{"type":"tool_approval_item"}]}`,
			`[{"role":"user","content":"Hi"},` + looked + "," + handed + `]`},
		{`{"input_history":[{"role":"user","content":1.0,"_agents_tool_title":"x"}],"pre_handoff_items":[],"new_items":[` + handed + `],"input_items":[]}`,
			`[{"role":"user","content":1.0}]`},
	}
	for _, tt := range tests {
		if got, err := openai.Input(nil, value(t, tt.in)); err != nil || string(got) != tt.want {
			t.Errorf("%s: got %s, %v; want %s", tt.in, got, err, tt.want)
		}
	}
	if _, err := openai.Input(nil, value(t, `[]`)); err == nil {
		t.Error("an array is a HandoffInputData")
	}
}

func TestFiltersOfLists(t *testing.T) {
	in := `{"input_history":[` + asked + "," + said + `],"pre_handoff_items":[` + looked + "," + found + `],"new_items":[` + said + "," + handed + "," + output + `],"input_items":[` + said + `]}`
	tests := []struct {
		name    string
		filters []openai.Filter
		want    string
	}{
		{"clear", []openai.Filter{openai.Clear("new_items"), openai.Clear("input_history")}, `{"input_history":[],"pre_handoff_items":[` + looked + "," + found + `],"new_items":[],"input_items":[` + said + `]}`},
		{"the last two of new_items, which input_items replaces", []openai.Filter{openai.In("new_items", openai.Last(2))},
			`{"input_history":[` + asked + "," + said + `],"pre_handoff_items":[` + looked + "," + found + `],"new_items":[` + handed + "," + output + `],"input_items":[` + said + `]}`},
		{"types", []openai.Filter{openai.Types("message", "handoff_call")},
			`{"input_history":[` + asked + "," + said + `],"pre_handoff_items":[],"new_items":[` + said + "," + handed + `],"input_items":[` + said + `]}`},
		{"types in a list", []openai.Filter{openai.In("input_history", openai.Types("reasoning"))},
			`{"input_history":[],"pre_handoff_items":[` + looked + "," + found + `],"new_items":[` + said + "," + handed + "," + output + `],"input_items":[` + said + `]}`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if got, err := openai.Apply(nil, value(t, in), tt.filters...); err != nil || string(got) != tt.want {
				t.Errorf("got %s, %v; want %s", got, err, tt.want)
			}
		})
	}
}

// TestMap checks that a mapper gets the conversation as a list with flattened summaries, and that its
// output becomes the history.
func TestMap(t *testing.T) {
	nested, err := openai.Nest(nil, value(t, `{"input_history":"Hi","pre_handoff_items":[],"new_items":[]}`), openai.NestOptions{})
	if err != nil {
		t.Fatal(err)
	}
	in := strings.Replace(string(nested), `"new_items":[]`, `"new_items":[`+handed+`,{"type":"tool_approval_item"}]`, 1)
	var asks string
	got, err := openai.Map(nil, value(t, in), openai.NestOptions{}, func(items []byte) (jsonstream.Value, error) {
		asks = string(items)
		return value(t, `[ {"role":"assistant","content":"so far: 1.0"} ]`), nil
	})
	if want := `[{"role":"user","content":"Hi"},` + handed + `]`; asks != want {
		t.Errorf("the mapper got %s, want %s", asks, want)
	}
	want := `{"input_history":[{"role":"assistant","content":"so far: 1.0"}],"pre_handoff_items":[],"new_items":[` + handed + `,{"type":"tool_approval_item"}],"input_items":[]}`
	if err != nil || string(got) != want {
		t.Errorf("got %s, %v; want %s", got, err, want)
	}
	for _, text := range []string{`5`, `[5]`} {
		if got, err := openai.Map([]byte("x"), value(t, in), openai.NestOptions{}, func([]byte) (jsonstream.Value, error) { return value(t, text), nil }); err == nil || string(got) != "x" {
			t.Errorf("a mapper that writes %q: got %s, %v", text, got, err)
		}
	}
}
