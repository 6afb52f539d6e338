package openai_test

import (
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/eaapl/handoff/pkg/formats/openai"
	"github.com/eaapl/handoff/pkg/jsonstream"
)

// jsData returns a HandoffInputData of the JavaScript SDK.
func jsData(history string, before, turn []string) string {
	return `{"inputHistory":` + history + `,"preHandoffItems":[` + strings.Join(before, ",") + `],"newItems":[` + strings.Join(turn, ",") + `]}`
}

// jsHandoff returns the call of a handoff and its output, as run items.
func jsHandoff(id, from, to string) []string {
	name := "transfer_to_" + strings.ReplaceAll(to, " ", "_")
	return []string{
		`{"type":"handoff_call_item","rawItem":{"type":"function_call","callId":"` + id + `","name":"` + name + `","arguments":"{}"},"agent":{"name":"` + from + `"}}`,
		`{"type":"handoff_output_item","rawItem":{"type":"function_call_result","callId":"` + id + `","name":"` + name + `","status":"completed","output":{"type":"text","text":"{\"assistant\":\"` + to + `\"}"}}}`,
	}
}

const (
	jsSaid    = `{"type":"message","role":"assistant","status":"completed","content":[{"type":"output_text","text":"One moment."}]}`
	jsSaidRun = `{"type":"message_output_item","rawItem":` + jsSaid + `,"agent":{"name":"Triage"}}`
)

// TestNestJavaScript checks that the summary is a message in the form of the JavaScript SDK, and that
// newItems is empty, because the next agent would otherwise get these items twice.
func TestNestJavaScript(t *testing.T) {
	summary := func(lines string) string {
		return `{"type":"message","role":"assistant","status":"completed","content":[{"type":"output_text","text":"For context, here is the conversation so far between the user and the previous agent:\n` +
			`\u003cCONVERSATION HISTORY>\n` + lines + `\n\u003c/CONVERSATION HISTORY>"}]}`
	}
	call := `1. {\"type\": \"function_call\", \"callId\": \"c1\", \"name\": \"transfer_to_Billing\", \"arguments\": \"{}\"}\n` +
		`2. {\"type\": \"function_call_result\", \"callId\": \"c1\", \"name\": \"transfer_to_Billing\", \"status\": \"completed\", \"output\": {\"type\": \"text\", \"text\": \"{\\\"assistant\\\":\\\"Billing\\\"}\"}}`
	handoff := jsHandoff("c1", "Triage", "Billing")
	for _, tt := range []struct {
		name, in, want string
		o              openai.NestOptions
	}{
		{name: "nested", in: jsData(`"Refund it."`, []string{jsSaidRun}, handoff),
			want: jsData(`[`+summary(`1. user: Refund it.\n2. assistant: One moment.\n3`+strings.Replace(call[1:], "\\n2", "\\n4", 1))+`]`, nil, nil)},
		{name: "what is forwarded", in: jsData(`[]`, nil, append([]string{jsSaidRun}, handoff...)),
			want: jsData(`[`+summary("(no previous turns recorded)")+","+jsSaid+","+summary(call)+`]`, nil, nil)},
		{name: "what is not for a model", in: jsData(`[{"type":"reasoning","content":[],"providerData":{"a":1}}]`, []string{`{"type":"tool_approval_item","rawItem":{"type":"function_call","callId":"c0","name":"f","arguments":"{}"}}`}, nil),
			want: jsData(`[`+summary(`1. {\"type\": \"reasoning\", \"content\": []}`)+`]`, nil, nil)},
		{name: "as the first releases", o: openai.NestOptions{Early: true}, in: jsData(`"Refund it."`, []string{jsSaidRun}, handoff),
			want: jsData(`[`+summary(`1. user: Refund it.\n2. assistant: One moment.\n3`+strings.Replace(call[1:], "\\n2", "\\n4", 1))+`]`, nil, handoff)},
	} {
		t.Run(tt.name, func(t *testing.T) {
			got, err := openai.Nest(nil, value(t, tt.in), tt.o)
			if diff := cmp.Diff(tt.want, strings.ReplaceAll(string(got), "<", `\u003c`)); err != nil || diff != "" {
				t.Error(err, diff)
			}
		})
	}
}

// TestUnnestJavaScript checks that the items of a summary are restored in the form of the JavaScript
// SDK, in the order of the conversation.
func TestUnnestJavaScript(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		seed := rapid.Uint64().Draw(t, "seed")
		random := rand.New(rand.NewPCG(seed, 0))
		data := parsed(t, jsData("["+strings.Join(jsRun(random, 4, false), ",")+"]", jsRun(random, 3, true), jsRun(random, 2, true)))
		nested, err := openai.Nest(nil, data, openai.NestOptions{})
		if err != nil {
			t.Fatal(err)
		}
		back, err := openai.Unnest(nil, parsed(t, string(nested)), openai.NestOptions{})
		if err != nil {
			t.Fatal(err)
		}
		if got, want := heard(parsed(t, string(back))), heard(data); !slices.Equal(got, want) {
			t.Fatalf("%s\n%s", cmp.Diff(want, got), nested)
		}
	})
}

func parsed(t interface{ Fatal(...any) }, text string) jsonstream.Value {
	doc, err := jsonstream.Parse(jsonstream.NewRaw([]byte(text)), jsonstream.Limits{})
	if err != nil {
		t.Fatal(err)
	}
	return doc.Root()
}

// heard returns the items of a run without the data that summaries do not contain.
func heard(data jsonstream.Value) (all []string) {
	for item := range openai.Items(data, "", "") {
		text, content := "", item.Value.Get("content")
		one := content.Len() == 1 && content.Kind() == jsonstream.Array
		for _, part := range content.Elements() {
			one = one && part.Get("type").Text() == "output_text" && !strings.Contains(part.Get("text").Text(), "\n")
			text = part.Get("text").Text()
		}
		if content.Kind() == jsonstream.String {
			one, text = true, content.Text()
		}
		if one {
			all = append(all, item.Value.Get("role").Text()+": "+text)
			continue
		}
		var members []string
		for name, member := range item.Value.Members() {
			if name != "providerData" {
				members = append(members, name+"="+string(jsonstream.AppendCompact(nil, member.Raw())))
			}
		}
		all = append(all, strings.Join(members, ","))
	}
	return all
}

func TestCheckJavaScript(t *testing.T) {
	call := `{"type":"function_call","callId":"c1","name":"f","arguments":"{}"}`
	result := `{"type":"function_call_result","callId":"c1","name":"f","status":"completed","output":"x"}`
	loop := slices.Concat(jsHandoff("c1", "Triage", "Billing Team"), jsHandoff("c2", "Billing Team", "Triage"), jsHandoff("c3", "Triage", "Billing Team"))
	for _, tt := range []struct{ name, data, want string }{
		{"nothing", jsData(`[`+call+","+result+`]`, nil, jsHandoff("c2", "Triage", "Billing")), ""},
		{"a list that is missing", `{"inputHistory":[],"newItems":[]}`, "openai/shape : preHandoffItems is missing"},
		{"a call without a result", jsData(`[`+call+`]`, nil, nil), "openai/call-without-result /inputHistory/0/callId: "},
		{"a result without a call", jsData(`[`+result+`]`, nil, nil), "openai/result-without-call /inputHistory/0/callId: "},
		{"the id of Python", jsData(`[{"type":"function_call","call_id":"c1","name":"f","arguments":"{}"},`+result+`]`, nil, nil), "openai/shape /inputHistory/0: callId of a function_call"},
		{"a text by the assistant", jsData(`[{"role":"assistant","content":"One moment."}]`, nil, nil), "openai/shape /inputHistory/0/content: the content of an assistant message must be an array of parts in the JavaScript SDK, found string"},
		{"a role that it does not have", jsData(`[{"role":"developer","content":"Be brief."}]`, nil, nil), "openai/unknown-role /inputHistory/0/role: "},
		{"a run item of nothing", jsData(`[]`, nil, []string{`{"type":"message_output_item","agent":{"name":"A"}}`}), "openai/shape /newItems/0: rawItem of a run item"},
		{"a loop", jsData(`"Refund it."`, loop[:4], loop[4:]), `openai/loop /newItems/1/rawItem: the agents hand over in a loop: the task went "Billing Team" → "Triage" → "Billing Team"`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			doc, err := jsonstream.Parse(jsonstream.NewRaw([]byte(tt.data)), jsonstream.Limits{})
			if err != nil {
				t.Fatal(err)
			}
			var found []string
			for _, f := range openai.Check(doc, openai.CheckOptions{}) {
				found = append(found, f.Rule+" "+string(f.Pointer)+": "+f.Message)
			}
			if tt.want == "" && found == nil {
				return
			}
			if len(found) != 1 || !strings.HasPrefix(found[0], tt.want) {
				t.Errorf("found %q, want %q", found, tt.want)
			}
		})
	}
}

// TestListsJavaScript checks data with the list names of both SDKs.
func TestListsJavaScript(t *testing.T) {
	in := jsData(`[]`, []string{jsSaidRun}, []string{jsSaidRun})
	for _, name := range []string{"new_items", "newItems"} {
		got, err := openai.Apply(nil, value(t, in), openai.Clear(name), openai.In(name, openai.Last(0)))
		if want := jsData(`[]`, []string{jsSaidRun}, nil); err != nil || string(got) != want {
			t.Errorf("%s: got %s, %v", name, got, err)
		}
		if !openai.IsList(name) || openai.IsList("newitems") {
			t.Errorf("IsList(%q)", name)
		}
	}
}
