package convert

import (
	"strings"
	"testing"

	"github.com/eaapl/handoff/pkg/format"
	"github.com/eaapl/handoff/pkg/internal/tree"
)

// TestMedia checks that convert writes media that the API of the target accepts, or else their names, and restores them. The
// sources are the types of the SDKs in testdata/oracles: openai 7.59.0 (ChatCompletionContentPart,
// ResponseInputContent), @anthropic-ai/sdk 1.14.0, @aws-sdk/client-bedrock-runtime 3.1164.0 (VideoSource,
// DocumentSource), and googleapis/js-genai#1369 for the name of a file.
func TestMedia(t *testing.T) {
	const text = `{"type":"text","text":"Look."}`
	ai := func(part string) string { return `[{"role":"user","content":[` + text + `,` + part + `]}]` }
	bedrock := func(block string) string {
		return `{"messages":[{"role":"user","content":[{"text":"Look."},` + block + `]}]}`
	}
	for _, tt := range []struct {
		name, in string
		from, to format.Format
		at, want string // the part
	}{
		{"MP3 by its registered name", ai(`{"type":"file","mediaType":"audio/mpeg","data":"QUJD"}`), format.AISDK, format.OpenAIChat,
			"/messages/0/content/1", `{"type":"input_audio","input_audio":{"data":"QUJD","format":"mp3"}}`},
		{"other audio", ai(`{"type":"file","mediaType":"audio/ogg","data":"QUJD"}`), format.AISDK, format.OpenAIChat,
			"/messages/0/content/1", `{"type":"text","text":"[audio audio/ogg]"}`},
		{"audio for the Responses API", ai(`{"type":"file","mediaType":"audio/wav","data":"QUJD"}`), format.AISDK, format.OpenAIResponses,
			"/input/0/content/1", `{"type":"input_text","text":"[audio audio/wav]"}`},
		{"a file at a URL", ai(`{"type":"file","mediaType":"application/pdf","data":"https://example.com/a.pdf"}`), format.AISDK, format.OpenAIChat,
			"/messages/0/content/1", `{"type":"text","text":"[file https://example.com/a.pdf]"}`},
		{"an image that OpenAI rejects", ai(`{"type":"file","mediaType":"image/heic","data":"QUJD"}`), format.AISDK, format.OpenAIChat,
			"/messages/0/content/1", `{"type":"text","text":"[image image/heic]"}`},
		{"an image that the Responses API rejects", ai(`{"type":"file","mediaType":"image/heic","data":"QUJD"}`), format.AISDK, format.OpenAIResponses,
			"/input/0/content/1", `{"type":"input_text","text":"[image image/heic]"}`},
		{"jpg for Anthropic", ai(`{"type":"image","mediaType":"image/jpg","image":"QUJD"}`), format.AISDK, format.Anthropic,
			"/messages/0/content/1", `{"type":"image","source":{"type":"base64","media_type":"image/jpeg","data":"QUJD"}}`},
		{"jpg for OpenAI", ai(`{"type":"image","mediaType":"image/jpg","image":"QUJD"}`), format.AISDK, format.OpenAIChat,
			"/messages/0/content/1", `{"type":"image_url","image_url":{"url":"data:image/jpeg;base64,QUJD"}}`},
		{"jpg for the Responses API", `[{"role":"user","content":[{"type":"input_image","image":"data:image/jpg;base64,QUJD"}]},{"type":"function_call","callId":"c","name":"f","arguments":"{}","status":"completed"}]`, format.OpenAIJS, format.OpenAIResponses,
			"/input/0/content/0/image_url", `"data:image/jpeg;base64,QUJD"`},
		{"a named file for Gemini", ai(`{"type":"file","mediaType":"application/pdf","data":"QUJD","filename":"a.pdf"}`), format.AISDK, format.Gemini,
			"/contents/0/parts/1", `{"inlineData":{"mimeType":"application/pdf","data":"QUJD"}}`},
		{"a file of Anthropic", ai(`{"type":"document","source":{"type":"file","file_id":"file_011"}}`), format.Anthropic, format.OpenAIResponses,
			"/input/0/content/1", `{"type":"input_text","text":"[file file_011]"}`},
		{"video of Bedrock", bedrock(`{"video":{"format":"mov","source":{"bytes":"QUJD"}}}`), format.BedrockConverse, format.Gemini,
			"/contents/0/parts/1", `{"inlineData":{"mimeType":"video/quicktime","data":"QUJD"}}`},
		{"audio of Bedrock", bedrock(`{"audio":{"format":"wav","source":{"bytes":"QUJD"}}}`), format.BedrockConverse, format.OpenAIChat,
			"/messages/0/content/1", `{"type":"input_audio","input_audio":{"data":"QUJD","format":"wav"}}`},
		{"an image in Amazon S3", bedrock(`{"image":{"format":"png","source":{"s3Location":{"uri":"s3://a/b.png"}}}}`), format.BedrockConverse, format.Anthropic,
			"/messages/0/content/1", `{"type":"text","text":"[image s3://a/b.png]"}`},
		{"the same for Gemini", bedrock(`{"image":{"format":"png","source":{"s3Location":{"uri":"s3://a/b.png"}}}}`), format.BedrockConverse, format.Gemini,
			"/contents/0/parts/1", `{"text":"[image s3://a/b.png]"}`},
		{"a document of chunks", bedrock(`{"document":{"format":"txt","name":"d","source":{"content":[{"text":"one"},{"text":"two"}]}}}`), format.BedrockConverse, format.Anthropic,
			"/messages/0/content/1", `{"type":"document","source":{"type":"text","media_type":"text/plain","data":"one\ntwo"},"title":"d"}`},
		{"a guarded image", bedrock(`{"guardContent":{"image":{"format":"jpeg","source":{"bytes":"QUJD"}}}}`), format.BedrockConverse, format.Anthropic,
			"/messages/0/content/1", `{"type":"image","source":{"type":"base64","media_type":"image/jpeg","data":"QUJD"}}`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			there := converted(t, []byte(tt.in), tt.from, tt.to)
			mustEqual(t, tree.Of(parsed(t, there)).At(tt.at).Compact(), []byte(tt.want))
			mustEqual(t, converted(t, there, tt.to, tt.from), []byte(tt.in))
		})
	}
}

// TestMCPResponses checks the results of MCP tools in Gemini's function responses, as mcpToTool of @google/genai and
// the McpTool of ADK store them: they are text and media in other formats, and isError is a failed result.
func TestMCPResponses(t *testing.T) {
	const text, image = `{"type":"text","text":"a page"}`, `{"type":"image","data":"iVBORw0KGgo=","mimeType":"image/png"}`
	for _, tt := range []struct{ name, response, want string }{
		{"a text", `{"content":[` + text + `],"isError":false}`, `"content":"a page"`},
		{"an image", `{"content":[` + text + `,` + image + `],"structuredContent":{"a":1}}`, `"content":[` + text + `,{"type":"image","source":{"type":"base64","media_type":"image/png","data":"iVBORw0KGgo="}}]`},
		{"an error of the SDK", `{"error":{"content":[` + text + `],"isError":true}}`, `"content":"a page","is_error":true`},
		{"an error of ADK", `{"content":[` + text + `],"isError":true}`, `"content":"a page","is_error":true`},
		{"not of MCP", `{"content":[` + text + `],"page":1}`, `"content":"{\"content\":[{\"text\":\"a page\",\"type\":\"text\"}],\"page\":1}"`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			source := []byte(`{"contents":[{"role":"user","parts":[{"text":"Look."}]},{"role":"model","parts":[{"functionCall":{"id":"c1","name":"shot","args":{}}}]},{"role":"user","parts":[{"functionResponse":{"id":"c1","name":"shot","response":` + tt.response + `}}]}]}`)
			other := converted(t, source, format.Gemini, format.Anthropic)
			if want := `{"type":"tool_result","tool_use_id":"c1",` + tt.want + `}`; !strings.Contains(string(other), want) {
				t.Errorf("the result is not %s:\n%s", want, other)
			}
			mustEqual(t, converted(t, other, format.Anthropic, format.Gemini), source)
		})
	}
}

// TestReadableMedia checks that the readable text of media that a format has no place for is not lost: of a text file,
// and of audio with a transcript. The results of a tool of Agent Framework have files in their items.
func TestReadableMedia(t *testing.T) {
	const audio = `{"inlineData":{"mimeType":"audio/wav","data":"UklGRg=="},"audioTranscription":{"text":"Hello there","finished":true}}`
	for _, tt := range []struct {
		name, in string
		from, to format.Format
		want     string
	}{
		{"a text file in a result", `[{"role":"user","content":"Go."},{"role":"assistant","content":[{"type":"tool_use","id":"c","name":"f","input":{}}]},{"role":"user","content":[{"type":"tool_result","tool_use_id":"c","content":[{"type":"document","source":{"type":"text","media_type":"text/plain","data":"plain doc"}}]}]}]`,
			format.Anthropic, format.OpenAIChat, `{"role":"tool","tool_call_id":"c","content":"plain doc"}`},
		{"a text file for Codex", `[{"role":"user","content":[{"type":"document","source":{"type":"text","media_type":"text/plain","data":"plain doc"}}]}]`,
			format.Anthropic, format.Codex, `{"type":"input_text","text":"plain doc"}`},
		{"a transcript alone", `{"contents":[{"role":"user","parts":[{"text":"Listen."},{"audioTranscription":{"text":"Hello there","finished":true}}]}]}`, format.Gemini, format.Anthropic, `{"type":"text","text":"Hello there"}`},
		{"audio of the model", `{"contents":[{"role":"user","parts":[{"text":"Speak."}]},{"role":"model","parts":[` + audio + `]},{"role":"user","parts":[{"text":"On."}]}]}`, format.Gemini, format.Anthropic, `Hello there`},
		{"audio of the user", `{"contents":[{"role":"user","parts":[{"text":"Listen."},` + audio + `]}]}`, format.Gemini, format.OpenAIChat, `{"type":"input_audio","input_audio":{"data":"UklGRg==","format":"wav"}}`},
		{"a part of an unknown kind", `{"contents":[{"role":"user","parts":[{"text":"Listen."},{"gesture":{"x":1}}]}]}`, format.Gemini, format.Anthropic, `{"type":"text","text":"[gesture]"}`},
		{"an image in the result of a tool", `{"messages":[{"role":"user","contents":[{"type":"text","text":"Go."}]},{"role":"assistant","contents":[{"type":"function_call","call_id":"c","name":"f","arguments":"{}"}]},{"role":"tool","contents":[{"type":"function_result","call_id":"c","result":"a page","items":[{"type":"text","text":"a page"},{"type":"data","uri":"data:image/png;base64,iVBORw0KGgo=","media_type":"image/png"}]}]}]}`,
			format.AgentFramework, format.Anthropic, `"content":[{"type":"text","text":"a page"},{"type":"image","source":{"type":"base64","media_type":"image/png","data":"iVBORw0KGgo="}}]`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			other := converted(t, []byte(tt.in), tt.from, tt.to)
			if turns, _, _ := strings.Cut(string(other), `"handoff":{`); !strings.Contains(turns, tt.want) {
				t.Errorf("%s is not in\n%s", tt.want, other)
			}
			mustEqual(t, converted(t, other, tt.to, tt.from), []byte(tt.in))
		})
	}
}

// TestMCPResults checks that the content of an MCP tool's result in a UIMessage, as @ai-sdk/mcp stores it, is text and
// media in other formats, and that isError is a failed result. Converted back, the result is as it was.
func TestMCPResults(t *testing.T) {
	const begin = `[{"id":"1","role":"user","parts":[{"type":"text","text":"Look."}]},{"id":"2","role":"assistant","parts":[{"type":"step-start"},{"type":"dynamic-tool","toolName":"shot","toolCallId":"c1","state":"output-available","input":{},"output":`
	const end = `},{"type":"step-start"},{"type":"text","text":"Done.","state":"done"}]}]`
	const text, image, link = `{"type":"text","text":"a page"}`, `{"type":"image","data":"iVBORw0KGgo=","mimeType":"image/png"}`, `{"type":"resource_link","name":"a","uri":"file:///a"}`
	for _, tt := range []struct{ name, output, want string }{
		{"a text", `{"content":[` + text + `]}`, `"content":"a page"`},
		{"a text and data", `{"content":[` + text + `],"structuredContent":{"a":1},"isError":false}`, `"content":"a page"`},
		{"an image", `{"content":[` + text + `,` + image + `],"isError":false}`, `"content":[` + text + `,{"type":"image","source":{"type":"base64","media_type":"image/png","data":"iVBORw0KGgo="}}]`},
		{"an error", `{"content":[` + text + `],"isError":true}`, `"content":"a page","is_error":true`},
		{"a link", `{"content":[` + text + `,` + link + `]}`, `"content":[` + text + `,{"type":"text","text":"{\"name\":\"a\",\"type\":\"resource_link\",\"uri\":\"file:///a\"}"}]`},
		{"no content", `{"content":[],"structuredContent":{"a":1}}`, `"content":"{\"content\":[],\"structuredContent\":{\"a\":1}}"`},
		{"not of MCP", `{"content":[` + text + `],"page":1}`, `"content":"{\"content\":[{\"text\":\"a page\",\"type\":\"text\"}],\"page\":1}"`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			source := []byte(begin + tt.output + end)
			other := converted(t, source, format.AISDK, format.Anthropic)
			if want := `{"type":"tool_result","tool_use_id":"c1",` + tt.want + `}`; !strings.Contains(string(other), want) {
				t.Errorf("the result is not %s:\n%s", want, other)
			}
			mustEqual(t, converted(t, other, format.Anthropic, format.AISDK), source)
		})
	}
}
