#!/bin/sh
# Package:  @langchain/anthropic 1.5.11 with @langchain/core 1.4.0 (npm)
# Guess:    ChatAnthropic sends the blocks of its own answer again in the next request: the call of a tool of
#           the API, and its result.
# Observed: it does so for web_search. For web_fetch, and for code_execution with its own result type, it sends
#           the call without the result. Of a tool of an MCP server, it sends neither.
set -eu
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
npm install --silent --no-audit --no-fund @langchain/anthropic@1.5.11 @langchain/core@1.4.0
cat >again.mjs <<'JS'
import { ChatAnthropic } from "@langchain/anthropic";
import { HumanMessage } from "@langchain/core/messages";
const call = (name, input) => ({ type: "server_tool_use", id: `srvtoolu_${name}`, name, input });
const answers = {
  web_search: [
    call("web_search", { query: "tide" }),
    { type: "web_search_tool_result", tool_use_id: "srvtoolu_web_search",
      content: [{ type: "web_search_result", url: "https://tide.example", title: "Tide", encrypted_content: "YQ==", page_age: null }] },
  ],
  web_fetch: [
    call("web_fetch", { url: "https://tide.example" }),
    { type: "web_fetch_tool_result", tool_use_id: "srvtoolu_web_fetch",
      content: { type: "web_fetch_result", url: "https://tide.example", retrieved_at: null,
        content: { type: "document", title: null, citations: null, source: { type: "text", media_type: "text/plain", data: "Low at noon." } } } },
  ],
  code_execution: [
    call("code_execution", { code: "print(1)" }),
    { type: "code_execution_tool_result", tool_use_id: "srvtoolu_code_execution",
      content: { type: "code_execution_result", stdout: "1", stderr: "", return_code: 0, content: [] } },
  ],
  mcp: [
    { type: "mcp_tool_use", id: "mcptoolu_1", name: "tide", server_name: "sea", input: {} },
    { type: "mcp_tool_result", tool_use_id: "mcptoolu_1", is_error: false, content: [{ type: "text", text: "low" }] },
  ],
};
for (const [name, blocks] of Object.entries(answers)) {
  let request;
  globalThis.fetch = async (url, options) => {
    request = JSON.parse(options.body);
    return Response.json({
      id: "msg_1", type: "message", role: "assistant", model: "claude-sonnet-4-5", stop_reason: "end_turn", stop_sequence: null,
      usage: { input_tokens: 1, output_tokens: 1 }, content: [...blocks, { type: "text", text: "Low at noon." }],
    });
  };
  const model = new ChatAnthropic({ apiKey: "key", model: "claude-sonnet-4-5", maxRetries: 0 });
  const asked = new HumanMessage("When is low tide?");
  const answer = await model.invoke([asked]);
  await model.invoke([asked, answer, new HumanMessage("And tomorrow?")]);
  const types = (content) => content.map((block) => block.type).join(" ");
  console.log(`${name}: received ${types(answer.content)}; sent ${types(request.messages[1].content)}`);
}
JS
node again.mjs >observed
cat observed
cat >expected <<'TEXT'
web_search: received server_tool_use web_search_tool_result text; sent server_tool_use web_search_tool_result text
web_fetch: received server_tool_use web_fetch_tool_result text; sent server_tool_use text
code_execution: received server_tool_use code_execution_tool_result text; sent server_tool_use text
mcp: received mcp_tool_use mcp_tool_result text; sent text
TEXT
diff expected observed
