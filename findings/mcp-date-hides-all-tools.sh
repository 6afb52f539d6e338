#!/bin/sh
# Package:  @modelcontextprotocol/sdk 1.32.2 with zod 4.6.7 (npm)
# Guess:    registerTool throws for an inputSchema that JSON Schema cannot express, such as z.date(), or leaves
#           out that tool.
# Observed: registerTool accepts it. Then every tools/list fails, and the client sees none of the server's
#           tools.
set -eu
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
npm install --silent --no-audit --no-fund @modelcontextprotocol/sdk@1.32.2 zod@4.6.7
cat >date.mjs <<'JS'
import { McpServer } from "@modelcontextprotocol/sdk/server/mcp.js";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { InMemoryTransport } from "@modelcontextprotocol/sdk/inMemory.js";
import { z } from "zod";
const server = new McpServer({ name: "shop", version: "1" });
const done = async () => ({ content: [{ type: "text", text: "done" }] });
server.registerTool("refund", { inputSchema: { order: z.number() } }, done);
const client = new Client({ name: "agent", version: "1" });
const [left, right] = InMemoryTransport.createLinkedPair();
await Promise.all([server.connect(left), client.connect(right)]);
const list = () => client.listTools().then((all) => console.log(all.tools.map((tool) => tool.name).join()), (error) => console.log(error.message));
await list();
server.registerTool("remind", { inputSchema: { when: z.date() } }, done);
console.log("registered");
await list();
console.log((await client.callTool({ name: "refund", arguments: { order: 17 } })).content[0].text);
JS
node date.mjs >observed
cat observed
cat >expected <<'TEXT'
refund
registered
MCP error -32603: Date cannot be represented in JSON Schema
done
TEXT
diff expected observed
