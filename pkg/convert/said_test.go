package convert

import (
	"testing"

	"github.com/eaapl/handoff/pkg/format"
	"github.com/eaapl/handoff/pkg/internal/tree"
)

// TestSaid checks that results of tools, exit codes and signed reasoning reach the next model, and are restored. Sources
// of the forms: langchain-anthropic (_compat.py, 2026) and @langchain/core 1.4.0 for reasoning, and
// @openai/agents-core 0.20.0 for audio and citations.
func TestSaid(t *testing.T) {
	const user = `{"role":"user","content":"Do it."}`
	items := func(list string) string { return `{"input":[` + user + `,` + list + `]}` }
	const patch = `{"type":"apply_patch_call","id":"apc_1","call_id":"call_p","status":"completed","operation":{"type":"delete_file","path":"a"}},`
	const shell = `{"type":"shell_call","id":"sh_1","call_id":"call_s","status":"completed","action":{"commands":["make"],"timeout_ms":null,"max_output_length":null}},`
	agents := func(part string) string {
		return `[` + user + `,{"type":"message","role":"assistant","status":"completed","content":[` + part + `]},{"role":"user","content":"Good."}]`
	}
	thought := func(signature, provider string) string {
		return `{"messages":[{"type":"human","content":"Do it."},{"type":"ai","content":[{"type":"reasoning","reasoning":"Hm.",` + signature +
			`},{"type":"text","text":"Yes."}],"response_metadata":{"output_version":"v1","model_provider":"` + provider + `"}},{"type":"human","content":"Good."}]}`
	}
	server := func(id, name, input, result, content string) string { // the blocks of @anthropic-ai/sdk 1.14.0
		return `{"max_tokens":9,"messages":[{"role":"user","content":"Do it."},{"role":"assistant","content":[{"type":"server_tool_use","id":"` + id + `","name":"` + name + `","input":` + input +
			`},{"type":"` + result + `","tool_use_id":"` + id + `","content":` + content + `}]}]}`
	}
	result := func(part string) string { // of AI SDK 7
		return `[{"role":"user","content":"Do it."},{"role":"assistant","content":[{"type":"tool-call","toolCallId":"c1","toolName":"f","input":{}}]},` +
			`{"role":"tool","content":[{"type":"tool-result","toolCallId":"c1","toolName":"f","output":{"type":"content","value":[` + part + `]}}]}]`
	}
	for _, tt := range []struct {
		name, in string
		from, to format.Format
		at, want string
	}{
		{"a fetched page", server("srvtoolu_1", "web_fetch", `{"url":"https://e.test"}`, "web_fetch_tool_result",
			`{"type":"web_fetch_result","url":"https://e.test","content":{"type":"document","title":"T","source":{"type":"text","media_type":"text/plain","data":"Page."}},"retrieved_at":null}`),
			format.Anthropic, format.OpenAIChat, "/messages/1/content", `[{"type":"text","text":"Opened https://e.test"},{"type":"text","text":"Result:\n- https://e.test\nT\nPage."}]`},
		{"a fetched PDF", server("srvtoolu_1", "web_fetch", `{"url":"https://e.test"}`, "web_fetch_tool_result",
			`{"type":"web_fetch_result","url":"https://e.test","content":{"type":"document","title":"T","source":{"type":"base64","media_type":"application/pdf","data":"JVBERi0="}},"retrieved_at":null}`),
			format.Anthropic, format.OpenAIChat, "/messages/1/content/1/text", `"Result:\n- https://e.test\nT"`},
		{"a search for tools", server("srvtoolu_1", "tool_search_tool_bm25", `{"query":"mail"}`, "tool_search_tool_result",
			`{"type":"tool_search_tool_search_result","tool_references":[{"type":"tool_reference","tool_name":"send"}]}`),
			format.Anthropic, format.OpenAIChat, "/messages/1/content", `[{"type":"text","text":"Searched for tools: mail"},{"type":"text","text":"Result:\n- send"}]`},
		{"an edit of a file", server("srvtoolu_1", "text_editor_code_execution", `{"command":"create","path":"a.txt","file_text":"A"}`, "text_editor_code_execution_tool_result",
			`{"type":"text_editor_code_execution_create_result","is_file_update":false}`),
			format.Anthropic, format.OpenAIChat, "/messages/1/content/0/text", `"Called the tool text_editor_code_execution: {\"command\":\"create\",\"file_text\":\"A\",\"path\":\"a.txt\"}"`},
		{"results after a message", items(`{"type":"function_call","call_id":"c1","name":"f","arguments":"{}"},{"type":"function_call","call_id":"c2","name":"g","arguments":"{}"},{"type":"function_call_output","call_id":"c1","output":"1"},` +
			`{"role":"developer","content":"Be brief."},{"role":"user","content":"Hurry."},{"type":"function_call_output","call_id":"c2","output":"2"},{"role":"assistant","content":"Done."}`),
			format.OpenAIResponses, format.OpenAIChat, "/messages/3", `{"role":"tool","tool_call_id":"c2","content":"2"}`},
		{"results after a message, for LangChain", items(`{"type":"function_call","call_id":"c1","name":"f","arguments":"{}"},{"role":"user","content":"Hurry."},{"type":"function_call_output","call_id":"c1","output":"1"},{"role":"assistant","content":"Done."}`),
			format.OpenAIResponses, format.LangChain, "/messages/2", `{"type":"tool","content":"1","tool_call_id":"c1"}`},
		{"results after a message, for Pydantic AI", items(`{"type":"function_call","call_id":"c1","name":"f","arguments":"{}"},{"role":"user","content":"Hurry."},{"type":"function_call_output","call_id":"c1","output":"1"},{"role":"assistant","content":"Done."}`),
			format.OpenAIResponses, format.PydanticAI, "/messages/2/parts", `[{"tool_name":"f","content":"1","tool_call_id":"c1","part_kind":"tool-return"},{"content":"Hurry.","part_kind":"user-prompt"}]`},
		{"a result at the end", items(`{"type":"function_call","call_id":"c1","name":"f","arguments":"{}"},{"role":"user","content":"Hurry."},{"type":"function_call_output","call_id":"c1","output":"1"}`),
			format.OpenAIResponses, format.OpenAIChat, "/messages/2", `{"role":"tool","tool_call_id":"c1","content":"1"}`},
		{"new instructions with a result", `[{"parts":[{"content":"Do it.","part_kind":"user-prompt"}],"instructions":"A","kind":"request"},{"parts":[{"tool_name":"f","args":"{}","tool_call_id":"c1","part_kind":"tool-call"}],"kind":"response"},` +
			`{"parts":[{"tool_name":"f","content":"1","tool_call_id":"c1","part_kind":"tool-return"}],"instructions":"B","kind":"request"}]`,
			format.PydanticAI, format.OpenAIChat, "/messages/3", `{"role":"tool","tool_call_id":"c1","content":"1"}`},
		{"files in a result", `{"max_tokens":9,"messages":[{"role":"user","content":"Do it."},{"role":"assistant","content":[{"type":"tool_use","id":"t","name":"f","input":{}}]},{"role":"user","content":[{"type":"tool_result","tool_use_id":"t","content":[` +
			`{"type":"image","source":{"type":"url","url":"https://e.test/a.png"}},{"type":"document","source":{"type":"url","url":"https://e.test/b"},"title":"B"},{"type":"image","source":{"type":"file","file_id":"file_1"}}]}]}]}`,
			format.Anthropic, format.OpenAIChat, "/messages/2/content", `"[image https://e.test/a.png]\n[file B https://e.test/b]\n[image file_1]"`},
		{"files that Codex does not read", items(`{"role":"user","content":[{"type":"input_file","filename":"b.pdf","file_data":"data:application/pdf;base64,JVBERi0="},{"type":"input_image","file_id":"file-1","detail":"auto"}]}`),
			format.OpenAIResponses, format.Codex, "/3/payload/content", `[{"type":"input_text","text":"[file b.pdf]"},{"type":"input_text","text":"[image file-1]"}]`},
		{"a search of Gemini", `{"contents":[{"role":"user","parts":[{"text":"Do it."}]},{"role":"model","parts":[{"toolCall":{"id":"t1","toolType":"GOOGLE_SEARCH_WEB","args":{"queries":["trams"]}}},{"toolResponse":{"id":"t1","toolType":"GOOGLE_SEARCH_WEB","response":{"results":[{"title":"T","url":"https://e.test"}]}}}]}]}`,
			format.Gemini, format.OpenAIChat, "/messages/1/content", `[{"type":"text","text":"Searched the web for: trams"},{"type":"text","text":"Result:\n- T: https://e.test"}]`},
		{"an image of the model", items(`{"type":"image_generation_call","id":"ig_1","status":"completed","result":"iVBORw0KGgo=","revised_prompt":"A red cat"}`),
			format.OpenAIResponses, format.OpenAIChat, "/messages/1/content", `"Generated an image: A red cat"`},
		{"a patch that failed", items(patch + `{"type":"apply_patch_call_output","call_id":"call_p","status":"failed","output":"no file"}`),
			format.OpenAIResponses, format.Anthropic, "/messages/2/content/0", `{"type":"tool_result","tool_use_id":"call_p","content":"no file","is_error":true}`},
		{"a patch", items(patch + `{"type":"apply_patch_call_output","call_id":"call_p","status":"completed","output":"done"}`),
			format.OpenAIResponses, format.Anthropic, "/messages/2/content/0", `{"type":"tool_result","tool_use_id":"call_p","content":"done"}`},
		{"a command that failed", items(shell + `{"type":"shell_call_output","call_id":"call_s","max_output_length":null,"output":[{"stdout":"a","stderr":"b","outcome":{"type":"exit","exit_code":2}},{"stdout":"","stderr":"","outcome":{"type":"timeout"}}]}`),
			format.OpenAIResponses, format.OpenAIChat, "/messages/2/content", `"a\nb\nExit code: 2\nTimed out."`},
		{"a command without output", items(shell + `{"type":"shell_call_output","call_id":"call_s","max_output_length":null,"output":[{"stdout":"","stderr":"","outcome":{"type":"exit","exit_code":0}}]}`),
			format.OpenAIResponses, format.OpenAIChat, "/messages/2/content", `"Exit code: 0"`},
		{"a hosted tool that Codex lacks", items(`{"type":"mcp_call","id":"mcp_1","server_label":"s","name":"find","arguments":"{}","output":"17"}`),
			format.OpenAIResponses, format.Codex, "/3/payload/content", `[{"type":"output_text","text":"Called the tool find: {}\n17"}]`},
		{"reasoning of an open model", items(`{"type":"reasoning","id":"rs_1","summary":[],"content":[{"type":"reasoning_text","text":"Hm."}]},{"role":"assistant","content":"Yes."}`),
			format.OpenAIResponses, format.Gemini, "/contents/1/parts/0", `{"text":"Hm.","thought":true}`},
		{"audio of the Agents SDK", agents(`{"type":"audio","audio":"QUJD","format":"wav","transcript":"Yes."}`),
			format.OpenAIJS, format.Anthropic, "/messages/1/content", `[{"type":"text","text":"Yes."}]`},
		{"citations of the Agents SDK", agents(`{"type":"output_text","text":"Yes.","providerData":{"annotations":[{"type":"url_citation","url":"https://example.com","title":"T","start_index":0,"end_index":3}]}}`),
			format.OpenAIJS, format.Anthropic, "/messages/1/content", `[{"type":"text","text":"Yes.\n\nSources:\n- T: https://example.com"}]`},
		{"signed reasoning of LangChain for Python", thought(`"extras":{"signature":"Eq1"}`, "anthropic"),
			format.LangChain, format.Anthropic, "/messages/1/content/0", `{"type":"thinking","thinking":"Hm.","signature":"Eq1"}`},
		{"signed reasoning of LangChain for JavaScript", thought(`"signature":"Eq1"`, "anthropic"),
			format.LangChain, format.Anthropic, "/messages/1/content/0", `{"type":"thinking","thinking":"Hm.","signature":"Eq1"}`},
		{"agents that the API runs", items(`{"type":"multi_agent_call","call_id":"c1","action":"spawn_agent","arguments":"{\"task_name\":\"mill\"}"},{"type":"multi_agent_call_output","call_id":"c1","action":"spawn_agent","output":[{"type":"output_text","text":"/root/mill"}]},` +
			`{"type":"agent_message","author":"/root/mill","recipient":"/root","content":[{"type":"input_text","text":"Ground."}]},{"role":"assistant","content":"Done."}`),
			format.OpenAIResponses, format.OpenAIChat, "/messages", `[{"role":"user","content":"Do it."},{"role":"assistant","content":"Called the tool spawn_agent: {\"task_name\":\"mill\"}"},{"role":"assistant","content":"Result:\n/root/mill"},` +
				`{"role":"user","content":"Message from /root/mill:\nGround."},{"role":"assistant","content":"Done."}]`},
		{"settings", items(`{"type":"additional_tools","role":"developer","tools":[]},{"role":"assistant","content":"Done."}`),
			format.OpenAIResponses, format.OpenAIChat, "/messages", `[{"role":"user","content":"Do it."},{"role":"assistant","content":"Done."}]`},
		{"an image in the store of a provider", result(`{"type":"file","mediaType":"image/png","data":{"type":"reference","reference":{"anthropic":"file_2"}}}`),
			format.AISDK, format.Anthropic, "/messages/2/content/0/content", `[{"type":"image","source":{"type":"file","file_id":"file_2"}}]`},
		{"a document in the store of a provider", result(`{"type":"file-reference","providerReference":{"anthropic":"file_2","openai":"file-1"}}`),
			format.AISDK, format.OpenAIResponses, "/input/2/output", `[{"type":"input_file","file_id":"file-1"}]`},
		{"an image with an id", result(`{"type":"image-file-id","fileId":"file-1"}`),
			format.AISDK, format.OpenAIResponses, "/input/2/output", `[{"type":"input_image","file_id":"file-1","detail":"auto"}]`},
		{"reasoning that another provider signed", thought(`"extras":{"signature":"Eq1"}`, "google_genai"),
			format.LangChain, format.Anthropic, "/messages/1/content", `[{"type":"text","text":"Yes."}]`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			there := converted(t, []byte(tt.in), tt.from, tt.to)
			mustEqual(t, tree.Of(parsed(t, there)).At(tt.at).Compact(), []byte(tt.want))
			mustEqual(t, converted(t, there, tt.to, tt.from), []byte(tt.in))
		})
	}
}
