package convert

import (
	"strings"
	"testing"

	"github.com/eaapl/handoff/pkg/format"
	"github.com/eaapl/handoff/pkg/internal/tree"
	"github.com/eaapl/handoff/pkg/provider"
)

// TestGeminiAndOpenAIChat checks the features that OpenAI's Chat API and Gemini have in common.
func TestGeminiAndOpenAIChat(t *testing.T) {
	for _, tt := range []struct {
		name         string
		chat, gemini string
		oneWay       bool // the conversion back has another result
	}{
		{
			name:   "instructions and texts",
			chat:   `{"messages":[{"role":"system","content":"Be brief."},{"role":"user","content":"Hi"},{"role":"assistant","content":"Hello"}]}`,
			gemini: `{"systemInstruction":{"parts":[{"text":"Be brief."}]},"contents":[{"role":"user","parts":[{"text":"Hi"}]},{"role":"model","parts":[{"text":"Hello"}]}]}`,
		},
		{
			name: "parallel calls and their results",
			chat: `{"messages":[{"role":"user","content":"Weather?"},{"role":"assistant","content":"I look.","tool_calls":[
				{"id":"c1","type":"function","function":{"name":"get","arguments":"{\"city\": \"Bonn\", \"n\": 9007199254740993}"}},
				{"id":"c2","type":"function","function":{"name":"get","arguments":"{}"}}]},
				{"role":"tool","tool_call_id":"c1","content":"18"},{"role":"tool","tool_call_id":"c2","content":"{\"b\":1,\"a\":2}"},{"role":"user","content":"And?"}]}`,
			gemini: `{"contents":[{"role":"user","parts":[{"text":"Weather?"}]},{"role":"model","parts":[{"text":"I look."},
				{"functionCall":{"id":"c1","name":"get","args":{"city":"Bonn","n":9007199254740993}}},{"functionCall":{"id":"c2","name":"get","args":{}}}]},
				{"role":"user","parts":[{"functionResponse":{"id":"c1","name":"get","response":{"output":"18"}}},{"functionResponse":{"id":"c2","name":"get","response":{"output":"{\"b\":1,\"a\":2}"}}},{"text":"And?"}]}]}`,
			oneWay: true,
		},
		{
			name:   "an image",
			chat:   `{"messages":[{"role":"user","content":[{"type":"text","text":"What?"},{"type":"image_url","image_url":{"url":"data:image/png;base64,iVBO"}}]}]}`,
			gemini: `{"contents":[{"role":"user","parts":[{"text":"What?"},{"inlineData":{"mimeType":"image/png","data":"iVBO"}}]}]}`,
		},
		{
			name: "a call of the current turn has what stands for its signature",
			chat: `{"messages":[{"role":"user","content":"Weather?"},{"role":"assistant","content":null,"tool_calls":[{"id":"c1","type":"function","function":{"name":"get","arguments":"{}"}}]},
				{"role":"tool","tool_call_id":"c1","content":"18"}]}`,
			gemini: `{"contents":[{"role":"user","parts":[{"text":"Weather?"}]},{"role":"model","parts":[{"functionCall":{"id":"c1","name":"get","args":{}},"thoughtSignature":"c2tpcF90aG91Z2h0X3NpZ25hdHVyZV92YWxpZGF0b3I="}]},
				{"role":"user","parts":[{"functionResponse":{"id":"c1","name":"get","response":{"output":"18"}}}]}]}`,
			oneWay: true,
		},
		{
			name:   "turns of one role are one content, and an empty one is none",
			chat:   `{"messages":[{"role":"user","content":"a"},{"role":"user","content":"b"},{"role":"assistant","content":""},{"role":"developer","content":"c"}]}`,
			gemini: `{"contents":[{"role":"user","parts":[{"text":"a"},{"text":"b"},{"text":"[developer] c"}]}]}`,
			oneWay: true,
		},
	} {
		t.Run(tt.name, func(t *testing.T) {
			check := func(source, want string, from, to format.Format) {
				t.Helper()
				bare := tree.Of(parsed(t, converted(t, []byte(source), from, to))).With("handoff", tree.None)
				mustEqual(t, bare.Compact(), []byte(want))
			}
			check(tt.chat, tt.gemini, format.OpenAIChat, format.Gemini)
			if !tt.oneWay {
				check(tt.gemini, tt.chat, format.Gemini, format.OpenAIChat)
			}
		})
	}
}

// TestGeminiToOpenAIChat checks that data that only Gemini has does not appear in messages of other
// formats, and that errors stay errors.
func TestGeminiToOpenAIChat(t *testing.T) {
	source := `{"system_instruction":"Be brief.","contents":[{"parts":[{"text":"Weather?"}]},
		{"role":"model","parts":[{"text":"hm","thought":true},{"function_call":{"name":"get","args":{"b":1,"a":[]}},"thought_signature":"CiQB"},{"function_call":{"name":"get"}}]},
		{"role":"function","parts":[{"function_response":{"name":"get","response":{"output":"18"}}},{"function_response":{"name":"get","response":{"error":"no city"}}}]},
		{"role":"model","parts":[{"executable_code":{"language":"PYTHON","code":"1+1"}},{"text":"18","thoughtSignature":"CiQC"}]}]}`
	want := `{"messages":[{"role":"system","content":"Be brief."},{"role":"user","content":"Weather?"},
		{"role":"assistant","content":null,"tool_calls":[{"id":"gemini_call_1","type":"function","function":{"name":"get","arguments":"{\"a\":[],\"b\":1}"}},
			{"id":"gemini_call_2","type":"function","function":{"name":"get","arguments":"{}"}}]},
		{"role":"tool","tool_call_id":"gemini_call_1","content":"18"},{"role":"tool","tool_call_id":"gemini_call_2","content":"no city"},
		{"role":"assistant","content":[{"type":"text","text":"Ran:\n1+1"},{"type":"text","text":"18"}]}]}`
	there := converted(t, []byte(source), format.Gemini, format.OpenAIChat)
	mustEqual(t, tree.Of(parsed(t, there)).With("handoff", tree.None).Compact(), []byte(want))
	mustEqual(t, converted(t, there, format.OpenAIChat, format.Gemini), []byte(source))
	// A call is written without an id if its response can be matched by name and order.
	edited := strings.Replace(string(there), `"content":"18"`, `"content":"19"`, 1)
	back := string(converted(t, []byte(edited), format.OpenAIChat, format.Gemini))
	if strings.Contains(back, `"id":"gemini_call_`) || !strings.Contains(back, `"output":"19"`) {
		t.Error(back)
	}
}

// TestGeminiAddsEvents checks that an added event has all members that ADK requires.
func TestGeminiAddsEvents(t *testing.T) {
	source := sample(t, format.Gemini)
	there := tree.Of(parsed(t, converted(t, source, format.Gemini, format.EAAPL)))
	for _, turn := range []string{
		`{"role":"user","content":"When?","timestamp":"2026-01-02T03:04:05.5Z"}`,
		`{"role":"assistant","content":"","tool_calls":[{"id":"c1","type":"function","function":{"name":"f","arguments":"{}"}}]}`,
		`{"role":"tool","tool_call_id":"c1","content":"now"}`,
	} {
		there = add("/conversationHistoryVerbatim", turn)(there)
	}
	back := tree.Of(parsed(t, converted(t, there.Compact(), format.EAAPL, format.Gemini)))
	if problems := conform(t, format.Gemini, back.Compact()); len(problems) > 0 {
		t.Fatal(problems)
	}
	events := tree.Elements(back.Get("events"))
	if len(events) != 7 {
		t.Fatalf("%d events: %s", len(events), back.Compact())
	}
	ids := map[string]bool{}
	for i, want := range []string{"user", "refunds", "refunds"} {
		e := events[4+i]
		if id := e.Get("id").Text(); id == "" || ids[id] {
			t.Errorf("id %q", id)
		} else {
			ids[id] = true
		}
		if got := e.Get("author").Text(); got != want {
			t.Errorf("the author of event %d is %q, want %q", 4+i, got, want)
		}
		if got := string(e.Get("timestamp").NumberText()); got != "1767323045.5" {
			t.Errorf("the time of event %d is %s", 4+i, got)
		}
		if got := e.Get("invocationId").Text(); got != "i-1" {
			t.Errorf("the invocation of event %d is %q", 4+i, got)
		}
	}
}

// TestGeminiContinuedResponses checks that the responses of a function that gives several are one result, in
// one content or in several, as other formats require.
func TestGeminiContinuedResponses(t *testing.T) {
	for _, tt := range []struct{ name, call, responses string }{
		{"in one content", `"id":"f1",`, `{"role":"user","parts":[R1,R2]}`},
		{"in two contents", `"id":"f1",`, `{"role":"user","parts":[R1]},{"role":"user","parts":[R2]}`},
		{"after a text of the model", `"id":"f1",`, `{"role":"user","parts":[R1]},{"role":"model","parts":[{"text":"One."}]},{"role":"user","parts":[R2]}`},
		{"without an id", ``, `{"role":"user","parts":[R1]},{"role":"user","parts":[R2]}`},
		{"without an id, after a text of the user", ``, `{"role":"user","parts":[R1]},{"role":"user","parts":[{"text":"And?"}]},{"role":"user","parts":[R2]}`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			first := `{"functionResponse":{` + tt.call + `"name":"count","response":{"output":"one"},"willContinue":true}}`
			second := `{"functionResponse":{` + tt.call + `"name":"count","response":{"output":"two"}}}`
			source := []byte(`{"contents":[{"role":"user","parts":[{"text":"Count."}]},{"role":"model","parts":[{"functionCall":{` + tt.call + `"name":"count","args":{}}}]},` +
				strings.NewReplacer("R1", first, "R2", second).Replace(tt.responses) + `,{"role":"model","parts":[{"text":"Done."}]}]}`)
			other := converted(t, source, format.Gemini, format.OpenAIChat)
			for _, code := range refused(t, format.OpenAIChat, other, provider.OpenAIChat) {
				t.Errorf("OpenAI refuses the messages: %s", code)
			}
			for _, want := range []string{"one", "two"} {
				if !strings.Contains(string(other), want) {
					t.Errorf("the response %q is lost: %s", want, other)
				}
			}
			mustEqual(t, converted(t, other, format.OpenAIChat, format.Gemini), source)
		})
	}
}

// TestGeminiPartInAnyOrder: the text that stands for a part without a name of its own does not depend on the order of
// its members, which is another one after a conversion there and back.
func TestGeminiPartInAnyOrder(t *testing.T) {
	for _, part := range []string{`{"thoughtSignature":"CiQB","functionCall":{"type":"text"}}`, `{"functionCall":{"type":"text"},"thoughtSignature":"CiQB"}`} {
		source := `[{"role":"user","parts":[{"text":"a"}]},{"role":"model","parts":[{"text":"b"},` + part + `]}]`
		options := Options{From: format.Gemini, Lenient: true}
		there, err := Convert(parsed(t, []byte(source)), format.EAAPL, options)
		if err != nil {
			t.Fatal(err)
		}
		back, err := Convert(parsed(t, there.Text), format.Gemini, Options{})
		if err != nil {
			t.Fatal(err)
		}
		mustEqual(t, back.Text, []byte(source))
	}
}

// TestMediaTypesOfAddresses: the type of a file at an address reaches formats with a place for it, and OpenAI's Chat API
// gets no member that it does not know.
func TestMediaTypesOfAddresses(t *testing.T) {
	source := []byte(`[{"role":"user","parts":[{"fileData":{"fileUri":"https://example.org/a.png","mimeType":"image/png"}},{"text":"What?"}]}]`)
	for to, want := range map[format.Format]string{
		format.AgentFramework: `{"type":"uri","uri":"https://example.org/a.png","media_type":"image/png"}`,
		format.LangChain:      `{"type":"image_url","image_url":{"url":"https://example.org/a.png"}}`,
		format.PydanticAI:     `"media_type":"image/png"`,
		format.OpenAIChat:     `{"type":"image_url","image_url":{"url":"https://example.org/a.png"}}`,
		format.AISDK:          `"mediaType":"image/png"`,
	} {
		if text := string(converted(t, source, format.Gemini, to)); !strings.Contains(text, want) {
			t.Errorf("%s: got %s, want %s", to, text, want)
		}
	}
	unknown := converted(t, []byte(`[{"role":"user","content":[{"type":"image_url","image_url":{"url":"https://example.org/a"}}]}]`), format.OpenAIChat, format.AgentFramework)
	if want := `"media_type":"image/*"`; !strings.Contains(string(unknown), want) {
		t.Errorf("got %s, want %s", unknown, want)
	}
}
