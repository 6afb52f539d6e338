#!/bin/sh
# Package:  @modelcontextprotocol/sdk 1.32.2 with zod 4.6.7 (npm)
# Guess:    a tool whose inputSchema is a z.union or a z.discriminatedUnion of objects is listed with the
#           branches, or registerTool throws.
# Observed: it is listed as an object without members, so that no model knows its arguments. A call is
#           checked against the union nevertheless.
set -eu
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
npm install --silent --no-audit --no-fund @modelcontextprotocol/sdk@1.32.2 zod@4.6.7
cat >union.mjs <<'JS'
import { McpServer } from "@modelcontextprotocol/sdk/server/mcp.js";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { InMemoryTransport } from "@modelcontextprotocol/sdk/inMemory.js";
import { z } from "zod";
const server = new McpServer({ name: "shop", version: "1" });
const branches = [z.object({ by: z.literal("order"), order: z.number() }), z.object({ by: z.literal("mail"), mail: z.string() })];
const find = async (input) => ({ content: [{ type: "text", text: JSON.stringify(input) }] });
server.registerTool("one", { inputSchema: branches[0] }, find);
server.registerTool("union", { inputSchema: z.union(branches) }, find);
server.registerTool("discriminated", { inputSchema: z.discriminatedUnion("by", branches) }, find);
const client = new Client({ name: "agent", version: "1" });
const [left, right] = InMemoryTransport.createLinkedPair();
await Promise.all([server.connect(left), client.connect(right)]);
for (const { name, inputSchema } of (await client.listTools()).tools) {
  const call = async (input) => Boolean((await client.callTool({ name, arguments: input })).isError);
  console.log(name, Object.keys(inputSchema.properties).join() || "no members", "anyOf" in inputSchema || "oneOf" in inputSchema, "errors:", await call({ by: "order", order: 17 }), await call({}));
}
JS
node union.mjs >observed
cat observed
cat >expected <<'TEXT'
one by,order false errors: false true
union no members false errors: false true
discriminated no members false errors: false true
TEXT
diff expected observed
