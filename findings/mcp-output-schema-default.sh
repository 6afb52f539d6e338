#!/bin/sh
# Package:  @modelcontextprotocol/sdk 1.32.2 with zod 4.6.7 (npm)
# Guess:    a server sends the structuredContent that its outputSchema has parsed, with defaults and without
#           unknown members, so that the client of the same SDK accepts what the server accepted.
# Observed: the server checks the content, and sends it as the handler made it. The client, which knows the
#           schema from tools/list, refuses the result of the same call that it accepted before the listing.
set -eu
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
npm install --silent --no-audit --no-fund @modelcontextprotocol/sdk@1.32.2 zod@4.6.7
cat >output.mjs <<'JS'
import { McpServer } from "@modelcontextprotocol/sdk/server/mcp.js";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { InMemoryTransport } from "@modelcontextprotocol/sdk/inMemory.js";
import { z } from "zod";
const server = new McpServer({ name: "shop", version: "1" });
server.registerTool("price", { inputSchema: {}, outputSchema: { amount: z.number(), currency: z.string().default("EUR") } }, async () => ({ content: [], structuredContent: { amount: 400, row: 3 } }));
const client = new Client({ name: "agent", version: "1" });
const [left, right] = InMemoryTransport.createLinkedPair();
await Promise.all([server.connect(left), client.connect(right)]);
const call = () => client.callTool({ name: "price", arguments: {} }).then((result) => console.log(JSON.stringify(result)), (error) => console.log(error.message));
await call();
await client.listTools();
await call();
JS
node output.mjs >observed
cat observed
cat >expected <<'TEXT'
{"content":[],"structuredContent":{"amount":400,"row":3}}
MCP error -32602: Structured content does not match the tool's output schema: data must have required property 'currency', data must NOT have additional properties
TEXT
diff expected observed
