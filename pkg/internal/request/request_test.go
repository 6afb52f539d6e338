package request_test

import (
	"encoding/json"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/eaapl/handoff/pkg/format"
	"github.com/eaapl/handoff/pkg/formats"
	"github.com/eaapl/handoff/pkg/history"
	"github.com/eaapl/handoff/pkg/jsonstream"
)

// The details are those of a body, whatever the names of its members.
func TestDetails(t *testing.T) {
	for _, tt := range []struct {
		format   format.Format
		in, want string
	}{
		{format.OpenAIChat, `{"model":"m","messages":[{"role":"system","content":"é"},{"role":"developer","content":[{"type":"text","text":"ab"}]}],
			"tools":[{"type":"function","function":{"name":"f"}},{"type":"custom","custom":{"name":"c"}}],"functions":[{"name":"g"}],"max_completion_tokens":7,"max_tokens":8}`,
			`{"model":"m","instructions_characters":3,"tools":["f","c","g"],"max_tokens":7}`},
		{format.OpenAIChat, `[{"role":"user","content":"x"}]`, `{"model":"","instructions_characters":0,"tools":[],"max_tokens":null}`},
		{format.OpenAIChat, `{"model":5,"messages":[5],"tools":[5],"max_tokens":"8"}`, `{"model":"","instructions_characters":0,"tools":[""],"max_tokens":null}`},
		{format.Anthropic, `{"system":[{"type":"text","text":"ab"},{"type":"text","text":"c"}],"messages":[{"role":"user","content":"x"}],"tools":[{"type":"web_search_20250305","name":"web_search"}],"max_tokens":8}`,
			`{"model":"","instructions_characters":3,"tools":["web_search"],"max_tokens":8}`},
		{format.OpenAIResponses, `{"instructions":"ab","input":[{"role":"system","content":"c"},{"id":"x"},{"type":"reasoning"}],"tools":[{"type":"web_search"}],"max_output_tokens":8,"previous_response_id":"r"}`,
			`{"model":"","instructions_characters":3,"tools":["web_search"],"max_tokens":8,"previous_response_id":"r","items":[{"name":"message","count":1},{"name":"item_reference","count":1},{"name":"reasoning","count":1}]}`},
		{format.OpenAIResponses, `{"input":"x","output":[]}`, `{"model":"","instructions_characters":0,"tools":[],"max_tokens":null,"previous_response_id":"","items":[{"name":"message","count":1}]}`},
	} {
		doc, err := jsonstream.Parse(jsonstream.NewRaw([]byte(tt.in)), jsonstream.Limits{})
		if err != nil {
			t.Fatal(err)
		}
		h, err := history.Of(doc, tt.format, jsonstream.Limits{})
		if err != nil {
			t.Fatal(err)
		}
		got, err := json.Marshal(formats.Named(tt.format).Profile(doc, h.Root, h.Turns).Details)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(tt.want, string(got)); diff != "" {
			t.Errorf("%s: (-want +got)\n%s", tt.in, diff)
		}
	}
}
