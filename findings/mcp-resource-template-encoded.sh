#!/bin/sh
# Package:  @modelcontextprotocol/sdk 1.32.2 (npm), ResourceTemplate and UriTemplate
# Guess:    the handler of a resource template gets the variables from which the same template makes the URI, and
#           those of a query, as in {?tag,page}, are optional, as the expansion of RFC 6570 leaves them out.
# Observed: it gets them percent-encoded: "two words" as "two%20words", and "a/b" as "a%2Fb". A URI without one of
#           the variables of the query is no resource.
set -eu
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
npm install --silent --no-audit --no-fund @modelcontextprotocol/sdk@1.32.2
cat >template.mjs <<'JS'
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { InMemoryTransport } from "@modelcontextprotocol/sdk/inMemory.js";
import { McpServer, ResourceTemplate } from "@modelcontextprotocol/sdk/server/mcp.js";
import { UriTemplate } from "@modelcontextprotocol/sdk/shared/uriTemplate.js";
const server = new McpServer({ name: "notes", version: "1" });
const note = "note://{name}", notes = "notes://all{?tag,page}";
for (const template of [note, notes])
  server.registerResource(template, new ResourceTemplate(template, { list: undefined }), {}, (uri, variables) => ({ contents: [{ uri: uri.href, text: JSON.stringify(variables) }] }));
const client = new Client({ name: "reader", version: "1" });
const [one, other] = InMemoryTransport.createLinkedPair();
await Promise.all([server.connect(one), client.connect(other)]);
for (const [template, variables] of [[note, { name: "lamp" }], [note, { name: "two words" }], [note, { name: "a/b" }], [notes, { tag: "x", page: "2" }], [notes, { tag: "x" }]]) {
  const uri = new UriTemplate(template).expand(variables);
  const read = await client.readResource({ uri }).then((result) => result.contents[0].text, (error) => error.message);
  console.log(JSON.stringify(variables), uri, read);
}
JS
node template.mjs >observed
cat observed
cat >expected <<'TEXT'
{"name":"lamp"} note://lamp {"name":"lamp"}
{"name":"two words"} note://two%20words {"name":"two%20words"}
{"name":"a/b"} note://a%2Fb {"name":"a%2Fb"}
{"tag":"x","page":"2"} notes://all?tag=x&page=2 {"tag":"x","page":"2"}
{"tag":"x"} notes://all?tag=x MCP error -32602: MCP error -32602: Resource notes://all?tag=x not found

diff expected observed
