#!/bin/sh
# Package:  @anthropic-ai/sdk 1.14.0 (npm), mcpTool of helpers/beta/mcp
# Guess:    a resource_link in the result of an MCP tool becomes a text for the model, or is left out beside the
#           result's text: it is a reference, which MCP 2025-06-18 added for results that are too large.
# Observed: the tool throws, and the text beside the link is lost too. So does a text resource of the type
#           application/json, while text/markdown becomes a document.
set -eu
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
npm install --silent --no-audit --no-fund @anthropic-ai/sdk@1.14.0
cat >link.mjs <<'JS'
import { mcpTool } from "@anthropic-ai/sdk/helpers/beta/mcp";
const text = { type: "text", text: "2 orders" };
const resource = (mimeType) => ({ type: "resource", resource: { uri: "shop://orders", mimeType, text: "[17,18]" } });
for (const content of [[text], [text, { type: "resource_link", uri: "shop://orders", name: "orders" }], [text, resource("text/markdown")], [text, resource("application/json")]]) {
  const tool = mcpTool({ name: "orders", inputSchema: { type: "object" } }, { callTool: async () => ({ content }) });
  await Promise.resolve(tool.run({})).then((blocks) => console.log(blocks.map((block) => block.type).join()), (error) => console.log(error.constructor.name + ":", error.message));
}
JS
node link.mjs >observed
cat observed
cat >expected <<'TEXT'
text
UnsupportedMCPValueError: Unsupported MCP content type: resource_link
text,document
UnsupportedMCPValueError: Unsupported MIME type "application/json" for resource: shop://orders
TEXT
diff expected observed
