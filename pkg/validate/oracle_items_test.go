package validate

import (
	"encoding/json"
	"slices"
	"testing"

	"github.com/eaapl/handoff/internal/oracle"
	"github.com/eaapl/handoff/pkg/finding"
	"github.com/eaapl/handoff/pkg/format"
	"github.com/eaapl/handoff/pkg/internal/chatgen"
	"github.com/eaapl/handoff/pkg/jsonstream"
)

// itemQuestions are about items of the Responses API, as the Agents SDK and Codex write them.
var itemQuestions = []question{
	{
		// We read the items that it generates.
		name: "openai-agents", format: format.OpenAIResponses, forms: chatgen.Forms(format.OpenAIResponses), part: agentItems,
		says: func(_ *testing.T, a oracle.Answer) (string, bool) {
			return "", a.Checks["schema"] == "" && a.Checks["state"] == "" && a.Checks["responses"] == "" && a.Checks["read"] == ""
		},
		finds: func(t *testing.T, _ *jsonstream.Document, a oracle.Answer) []finding.Finding {
			found := schemaOf(format.OpenAIResponses).Check(sent(t, a, "responses").Root())
			// It sends reasoning without an ID and without encrypted_content, which the API could not
			// identify.
			return slices.DeleteFunc(found, func(f finding.Finding) bool { return f.Rule == "schema/anyOf" })
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
		lines = append(lines, map[string]any{"timestamp": at, "type": "response_item", "payload": item})
	}
	return encoded(lines)
}

// agentItems returns the items of a history in the form of the Agents SDK for JavaScript.
func agentItems(whole jsonstream.Value) []byte {
	items, names := itemsOf(whole), map[any]any{}
	for _, item := range items {
		if id, ok := item["call_id"]; ok {
			item["callId"] = id
			delete(item, "call_id")
		}
		switch item["type"] {
		case "message":
			agentMessage(item)
		case "function_call":
			names[item["callId"]] = item["name"]
		case "function_call_output":
			item["type"], item["name"], item["status"] = "function_call_result", names[item["callId"]], "completed"
		case "reasoning":
			var content []any
			for _, part := range item["summary"].([]any) {
				content = append(content, map[string]any{"type": "input_text", "text": part.(map[string]any)["text"]})
			}
			item["content"], item["providerData"] = content, map[string]any{"encrypted_content": item["encrypted_content"]}
			delete(item, "summary")
			delete(item, "encrypted_content")
		}
	}
	return encoded(items)
}

func agentMessage(item map[string]any) {
	parts := item["content"].([]any)
	for _, part := range parts {
		part := part.(map[string]any)
		delete(part, "annotations")
		if url, ok := part["image_url"]; ok {
			part["image"] = url
			delete(part, "image_url")
		}
	}
	switch item["role"] {
	case "assistant":
		item["status"] = "completed"
	case "system", "developer":
		item["role"], item["content"] = "system", parts[0].(map[string]any)["text"]
	}
}

func encoded(v any) []byte {
	text, err := json.Marshal(v)
	if err != nil {
		panic(err) // it consists of maps, lists and strings
	}
	return text
}
