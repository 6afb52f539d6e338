package validate

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"github.com/eaapl/handoff/internal/oracle"
	"github.com/eaapl/handoff/pkg/conversation"
	"github.com/eaapl/handoff/pkg/finding"
	"github.com/eaapl/handoff/pkg/format"
	"github.com/eaapl/handoff/pkg/internal/chatgen"
	"github.com/eaapl/handoff/pkg/jsonstream"
)

// itemQuestions are about items of the Responses API, as the Agents SDK and Codex write them.
var itemQuestions = []question{
	{
		// We read the items that it takes, and those that it sends for them.
		name: "openai-agents", format: format.OpenAIJS, forms: []string{"array", "object"}, part: turns(format.OpenAIJS),
		says: func(_ *testing.T, a oracle.Answer) (string, bool) {
			return "", a.Checks["schema"] == "" && a.Checks["state"] == "" && a.Checks["responses"] == "" && a.Checks["read"] == ""
		},
		finds: func(t *testing.T, doc *jsonstream.Document, a oracle.Answer) []finding.Finding {
			request := sent(t, a, "responses").Root()
			// It sends reasoning without an ID and without encrypted_content, which the API could not
			// identify, and the data of hosted calls as they are.
			found := slices.DeleteFunc(schemaOf(format.OpenAIResponses).Check(request), func(f finding.Finding) bool {
				item := request.At(strings.Join(strings.Split(f.Pointer, "/")[:3], "/"))
				row := conversation.TypeNamed(item.Get("type").Text())
				return f.Rule == "schema/anyOf" || row != nil && row.Hosted
			})
			return append(found, schemaOf(format.OpenAIJS).Check(doc.Root())...)
		},
	},
	{
		name: "codex", format: format.OpenAIResponses, forms: chatgen.Forms(format.OpenAIResponses), part: rollout, says: answers("schema"),
		finds: func(_ *testing.T, doc *jsonstream.Document, _ oracle.Answer) []finding.Finding {
			return schemaOf(format.Codex).Check(doc.Root())
		},
		refuses: []difference{{"it is the schema of one version, and ours leaves open what others write", func(jsonstream.Value) bool { return true }}},
	},
}

// itemsOf returns the items of a history, decoded. Messages have their type, and parts as content.
func itemsOf(whole jsonstream.Value) (items []map[string]any) {
	if err := json.Unmarshal(turns(format.OpenAIResponses)(whole), &items); err != nil {
		panic(err)
	}
	for _, item := range items {
		if item["role"] == nil {
			continue
		}
		item["type"] = "message"
		if text, ok := item["content"].(string); ok {
			kind := "input_text"
			if item["role"] == "assistant" {
				kind = "output_text"
			}
			item["content"] = []any{map[string]any{"type": kind, "text": text}}
		}
	}
	return items
}

// rollout returns the lines of a session of Codex with the items of a history.
func rollout(whole jsonstream.Value) []byte {
	const at = "2026-11-02T10:00:00.000Z"
	lines := []any{map[string]any{"timestamp": at, "type": "session_meta", "payload": map[string]any{
		"id": "0199", "session_id": "0199", "timestamp": at, "cwd": "/work", "originator": "codex_cli_rs", "cli_version": "0.169.0",
	}}}
	for _, item := range itemsOf(whole) {
		switch item["type"] {
		case "message", "function_call", "function_call_output", "custom_tool_call", "custom_tool_call_output", "reasoning", "web_search_call", "image_generation_call":
		default: // of another program
			continue
		}
		lines = append(lines, map[string]any{"timestamp": at, "type": "response_item", "payload": item})
	}
	return encoded(lines)
}

func encoded(v any) []byte {
	text, err := json.Marshal(v)
	if err != nil {
		panic(err) // it consists of maps, lists and strings
	}
	return text
}
