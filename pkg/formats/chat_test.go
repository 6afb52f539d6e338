package formats_test

import (
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/eaapl/handoff/pkg/format"
	"github.com/eaapl/handoff/pkg/formats"
	"github.com/eaapl/handoff/pkg/internal/chatgen"
	"github.com/eaapl/handoff/pkg/jsonstream"
	"github.com/eaapl/handoff/pkg/validate"
	"github.com/eaapl/handoff/schemas"
)

var chatSchemas = map[format.Format]string{
	format.OpenAIChat: schemas.OpenAIChat, format.OpenAIResponses: schemas.OpenAIResponses, format.Anthropic: schemas.Anthropic,
}

// TestRecordedShapes checks that recorded requests and responses of APIs are detected and valid.
func TestRecordedShapes(t *testing.T) {
	for f, name := range chatSchemas {
		schema, err := validate.EmbeddedSchema(name)
		if err != nil {
			t.Fatal(err)
		}
		files, err := filepath.Glob("../../testdata/chat/" + string(f) + "/*.json")
		if err != nil || len(files) < 30 {
			t.Fatalf("%s: %d files, error %v", f, len(files), err)
		}
		for _, file := range files {
			text, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			root := parse(t, text).Root()
			if got, _ := formats.Detect(root); got != f {
				t.Errorf("%s: detected as %q", file, got)
			}
			if findings := schema.Check(root); len(findings) > 0 {
				t.Errorf("%s: %+v", file, findings)
			}
		}
	}
}

// TestMadeUpHistories checks that generated histories are valid in each form.
func TestMadeUpHistories(t *testing.T) {
	for f, name := range chatSchemas {
		schema, err := validate.EmbeddedSchema(name)
		if err != nil {
			t.Fatal(err)
		}
		for seed := range uint64(500) {
			text := chatgen.History(rand.New(rand.NewPCG(seed, 2)), f)
			if findings := schema.Check(parse(t, text).Root()); len(findings) > 0 {
				t.Fatalf("%s: %+v in %s", f, findings, text)
			}
		}
	}
}

// TestChatFindings checks that a finding is placed at the wrong member, and that there are no others.
func TestChatFindings(t *testing.T) {
	for _, tt := range []struct {
		format format.Format
		turn   string   // a turn, or a whole object
		want   []string // POINTER RULE: a part of the message
	}{
		{format.OpenAIChat, `{"role":"User","content":"x"}`, []string{`/0/role enum: found "User": did you mean "user"?`}},
		{format.OpenAIChat, `{"content":"x"}`, []string{`/0 required: the required member "role" is missing`}},
		{format.OpenAIChat, `{"role":"user","content":null}`, []string{"/0/content type: expected string or array: found null"}},
		{format.OpenAIChat, `{"role":"system"}`, []string{`/0 required: "content"`}},
		{format.OpenAIChat, `{"role":"assistant"}`, nil},
		{format.OpenAIChat, `{"role":"assistant","content":null,"function_call":null,"audio":null,"refusal":null,"reasoning_content":"x"}`, nil},
		{format.OpenAIChat, `{"role":"assistant","content":null,"audio":{"transcript":"x"}}`, []string{`/0/audio required: "id"`}},
		{format.OpenAIChat, `{"role":"assistant","content":null,"audio":{"id":1}}`, []string{"/0/audio/id type: expected string: found the number 1"}},
		{format.OpenAIChat, `{"role":"assistant","function_call":{"name":"f"}}`, []string{`/0/function_call required: "arguments"`}},
		{format.OpenAIChat, `{"role":"assistant","tool_calls":null}`, []string{"/0/tool_calls type: expected array: found null"}},
		{format.OpenAIChat, `{"role":"assistant","tool_calls":[{"type":"function","function":{"name":"f","arguments":{}}}]}`,
			[]string{`/0/tool_calls/0 required: "id"`, "/0/tool_calls/0/function/arguments type: expected string: found an object"}},
		{format.OpenAIChat, `{"role":"assistant","tool_calls":[{"id":"c","type":"function"}]}`, []string{`/0/tool_calls/0 required: "function"`}},
		{format.OpenAIChat, `{"role":"assistant","tool_calls":[{"id":"c","type":"custom","custom":{"name":"f","input":{}}},{"id":"d","type":"new"}]}`, []string{"/0/tool_calls/0/custom/input type: expected string"}},
		{format.OpenAIChat, `{"role":"tool","content":"x"}`, []string{`/0 required: "tool_call_id"`}},
		{format.OpenAIChat, `{"role":"tool","toolCallId":"c","content":"x"}`, []string{`/0/toolCallId required: did you mean "tool_call_id"?`}},
		{format.OpenAIChat, `{"role":"function","content":null,"name":"f"}`, nil},
		{format.OpenAIChat, `{"role":"user","content":[{"type":"text"},{"type":"image_url","image_url":"u"},{"type":"input_audio","input_audio":{"data":"x"}},{"type":"file"},{"text":"x"},{"type":"new"},"x"]}`,
			[]string{`/0/content/0 required: "text"`, "/0/content/1/image_url type: expected object", `/0/content/2/input_audio required: "format"`, `/0/content/3 required: "file"`, `/0/content/4 required: "type"`, "/0/content/6 type: expected object"}},
		{format.OpenAIChat, `"x"`, []string{"/0 type: expected object"}},

		{format.OpenAIResponses, `{"content":"x"}`, []string{`/0 required: "role"`}},
		{format.OpenAIResponses, `{}`, []string{`/0 anyOf: one of the members "role", "type" is required`}},
		{format.OpenAIResponses, `{"id":"msg_1"}`, nil},
		{format.OpenAIResponses, `{"role":"tool","content":"x"}`, []string{`/0/role enum: found "tool"`}},
		{format.OpenAIResponses, `{"type":"message","content":"x"}`, []string{`/0 required: "role"`}},
		{format.OpenAIResponses, `{"role":"user","content":[{"type":"input_text"},{"type":"output_text","text":null},{"type":"new"}]}`, []string{`/0/content/0 required: "text"`, "/0/content/1/text type: expected string: found null"}},
		{format.OpenAIResponses, `{"type":"function_call","id":"fc_1","name":"f","arguments":{}}`, []string{`/0 required: "call_id"`, "/0/arguments type: expected string"}},
		{format.OpenAIResponses, `{"type":"function_call_output","call_id":"c","output":{}}`, []string{"/0/output type: expected string or array"}},
		{format.OpenAIResponses, `{"type":"function_call_output","output":"x"}`, []string{`/0 required: "call_id"`}},
		{format.OpenAIResponses, `{"type":"reasoning","summary":[]}`, []string{`/0 anyOf: one of the members "id", "encrypted_content" is required`}},
		{format.OpenAIResponses, `{"type":"reasoning","id":"rs_1","summary":"x"}`, []string{"/0/summary type: expected array"}},
		{format.OpenAIResponses, `{"type":"mcp_approval_response","approval_request_id":"a","approve":"yes"}`, []string{"/0/approve type: expected boolean"}},
		{format.OpenAIResponses, `{"type":"additional_tools","role":"developer","tools":[]}`, nil},
		{format.OpenAIResponses, `{"type":"new_call","role":5}`, []string{"/0/role type: expected string"}},

		{format.Anthropic, `{"role":"tool","content":"x"}`, []string{`/0/role enum: found "tool"`}},
		{format.Anthropic, `{"role":"user"}`, []string{`/0 required: "content"`}},
		{format.Anthropic, `{"role":"user","content":{"type":"text","text":"x"}}`, []string{"/0/content type: expected string or array: found an object"}},
		{format.Anthropic, `{"role":"assistant","content":[{"type":"tool_use","id":"t","name":"f","input":"{}"}]}`, []string{`/0/content/0/input type: expected object: found "{}"`}},
		{format.Anthropic, `{"role":"assistant","content":[{"type":"thinking","thinking":"x"},{"type":"redacted_thinking"},{"type":"new"}]}`, []string{`/0/content/0 required: "signature"`, `/0/content/1 required: "data"`}},
		{format.Anthropic, `{"role":"user","content":[{"type":"tool_result","content":[{"type":"text"}],"is_error":"no"}]}`,
			[]string{`/0/content/0 required: "tool_use_id"`, `/0/content/0/content/0 required: "text"`, "/0/content/0/is_error type: expected boolean"}},
		{format.Anthropic, `{"role":"user","content":[{"type":"image"},{"type":"image","source":{"type":"base64","data":"x"}},{"type":"document","source":{"type":"url"}}]}`,
			[]string{`/0/content/0 required: "source"`, `/0/content/1/source required: "media_type"`, `/0/content/2/source required: "url"`}},
		{format.Anthropic, `{"role":"assistant","content":[{"type":"web_search_tool_result","tool_use_id":"t","content":"x"},{"type":"web_fetch_tool_result","tool_use_id":"t","content":[]}]}`,
			[]string{"/0/content/0/content type: expected array or object", "/0/content/1/content type: expected object"}},

		// The AI SDK takes texts alone as ids by provider, whatever their names.
		{format.AISDK, `{"role":"user","content":[{"type":"file","data":{"type":"text"},"mediaType":"image/png"},{"type":"file","data":{"type":"url"},"mediaType":"image/png"}]}`, nil},
		{format.AISDK, `{"role":"user","content":[{"type":"file","data":{"type":"text","text":5},"mediaType":"image/png"}]}`, []string{"/0/content/0/data/text type: expected string"}},

		{format.BedrockConverse, `{"role":"user","content":"x"}`, []string{"/0/content type: expected array"}},
		{format.BedrockConverse, `{"role":"tool","content":[]}`, []string{`/0/role enum: found "tool"`}},
		{format.BedrockConverse, `{"role":"assistant","content":[{"toolUse":{"name":"f","input":"{}"}},{"new":1}]}`,
			[]string{`/0/content/0/toolUse required: "toolUseId"`, "/0/content/0/toolUse/input type: expected object"}},
		{format.BedrockConverse, `{"role":"user","content":[{"toolResult":{"toolUseId":"t"}},{"image":{"source":{"bytes":"iVBO"}}},{"document":{"name":"a","source":{}}}]}`,
			[]string{`/0/content/0/toolResult required: "content"`, `/0/content/1/image required: "format"`, "/0/content/2/document/source minProperties: "}},

		{format.A2A, `{"messageId":"","role":"ROLE_USER","parts":[]}`, []string{"/0/messageId minLength: "}},
		{format.A2A, `{"kind":"message","messageId":"m","role":"user","parts":[{"text":"x"}]}`, []string{`/0/parts/0 required: "kind"`}},
	} {
		schema, err := validate.EmbeddedSchema(formats.Named(tt.format).Schema)
		if err != nil {
			t.Fatal(err)
		}
		findings := schema.Check(parse(t, []byte("["+tt.turn+"]")).Root())
		ok := len(findings) == len(tt.want)
		for i := 0; ok && i < len(findings); i++ {
			place, says, _ := strings.Cut(tt.want[i], ": ")
			ok = place == findings[i].Pointer+" "+strings.TrimPrefix(findings[i].Rule, "schema/") && strings.Contains(findings[i].Message, says)
		}
		if !ok {
			t.Errorf("%s: %s: got %+v, want %q", tt.format, tt.turn, findings, tt.want)
		}
	}
}

func parse(t *testing.T, text []byte) *jsonstream.Document {
	t.Helper()
	doc, err := jsonstream.Parse(jsonstream.NewRaw(text), jsonstream.Limits{})
	if err != nil {
		t.Fatal(err)
	}
	return doc
}
