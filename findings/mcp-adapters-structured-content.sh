#!/bin/sh
# Package:  @langchain/mcp-adapters 1.1.4 with @langchain/core 1.4.0 and @modelcontextprotocol/sdk 1.32.2 (npm)
# Guess:    the text of a tool's result is the content of the ToolMessage. structuredContent and _meta are in
#           the artifact, which models do not see.
# Observed: if the result has structuredContent or _meta, the content is the JSON of the MCP block, with the
#           text escaped in it and the metadata beside it, and the artifact repeats the metadata.
set -eu
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
npm install --silent --no-audit --no-fund @langchain/mcp-adapters@1.1.4 @langchain/core@1.4.0 @langchain/langgraph@1.7.3 @modelcontextprotocol/sdk@1.32.2
cat >adapters.mjs <<'JS'
import { McpServer } from "@modelcontextprotocol/sdk/server/mcp.js";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { InMemoryTransport } from "@modelcontextprotocol/sdk/inMemory.js";
import { loadMcpTools } from "@langchain/mcp-adapters";
const server = new McpServer({ name: "shop", version: "1" });
const content = [{ type: "text", text: '{"amount":400}' }];
server.registerTool("plain", { inputSchema: {} }, async () => ({ content }));
server.registerTool("structured", { inputSchema: {} }, async () => ({ content, structuredContent: { amount: 400 } }));
server.registerTool("meta", { inputSchema: {} }, async () => ({ content, _meta: { trace: "t1" } }));
const client = new Client({ name: "agent", version: "1" });
const [left, right] = InMemoryTransport.createLinkedPair();
await Promise.all([server.connect(left), client.connect(right)]);
for (const tool of await loadMcpTools("shop", client)) {
  const message = await tool.invoke({ type: "tool_call", id: "call_1", name: tool.name, args: {} });
  console.log(tool.name, message.content, JSON.stringify(message.artifact));
}
JS
node adapters.mjs >observed
cat observed
cat >expected <<'TEXT'
plain {"amount":400} []
structured {"type":"text","text":"{\"amount\":400}","structuredContent":{"amount":400}} [{"type":"mcp_structured_content","data":{"amount":400}}]
meta {"type":"text","text":"{\"amount\":400}","meta":{"trace":"t1"}} [{"type":"mcp_meta","data":{"trace":"t1"}}]
TEXT
diff expected observed
