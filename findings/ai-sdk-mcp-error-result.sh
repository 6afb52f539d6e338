#!/bin/sh
# Package:  @ai-sdk/mcp 2.0.99, ai 7.0.173, @ai-sdk/anthropic 4.0.105 and @modelcontextprotocol/sdk 1.32.2 (npm)
# Guess:    a result with isError of an MCP tool is sent to Anthropic with is_error, as the error of a tool that
#           throws is.
# Observed: it is a successful result in the steps of generateText, and is sent without is_error.
set -eu
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
npm install --silent --no-audit --no-fund @ai-sdk/mcp@2.0.99 ai@7.0.173 @ai-sdk/anthropic@4.0.105 @modelcontextprotocol/sdk@1.32.2 zod@4.6.7
cat >mcp.mjs <<'JS'
import { generateText, stepCountIs, tool } from "ai";
import { createAnthropic } from "@ai-sdk/anthropic";
import { createMCPClient } from "@ai-sdk/mcp";
import { InMemoryTransport } from "@modelcontextprotocol/sdk/inMemory.js";
import { McpServer } from "@modelcontextprotocol/sdk/server/mcp.js";
import { z } from "zod";
const server = new McpServer({ name: "shop", version: "1" });
server.registerTool("refund", { inputSchema: {} }, async () => ({ isError: true, content: [{ type: "text", text: "closed" }] }));
const [left, right] = InMemoryTransport.createLinkedPair();
await server.connect(left);
const client = await createMCPClient({ transport: right });
const throwing = tool({ inputSchema: z.object({}), execute: async () => { throw new Error("closed"); } });
for (const tools of [{ refund: throwing }, await client.tools()]) {
  const fetch = async (url, options) => {
    const last = JSON.parse(options.body).messages.at(-1).content[0];
    if (last.type === "tool_result") console.log("is_error", last.is_error, JSON.stringify(last.content));
    const content = last.type === "tool_result" ? [{ type: "text", text: "No." }] : [{ type: "tool_use", id: "toolu_1", name: "refund", input: {} }];
    const body = { id: "msg_1", type: "message", role: "assistant", model: "claude-sonnet-4-5", content, stop_reason: last.type === "tool_result" ? "end_turn" : "tool_use", stop_sequence: null, usage: { input_tokens: 1, output_tokens: 1 } };
    return new Response(JSON.stringify(body), { headers: { "content-type": "application/json" } });
  };
  const { steps } = await generateText({ model: createAnthropic({ apiKey: "key", fetch })("claude-sonnet-4-5"), tools, prompt: "Refund order 17.", stopWhen: stepCountIs(2) });
  console.log(steps[0].content.at(-1).type);
}
await client.close();
JS
node mcp.mjs >observed
cat observed
cat >expected <<'TEXT'
is_error true "Error: closed"
tool-error
is_error undefined [{"type":"text","text":"closed"}]
tool-result
TEXT
diff expected observed
