#!/bin/sh
# Package:  fast-json-stringify 7.3.10 (npm), which writes the responses of Fastify
# Guess:    a schema with the types string and array writes both as JSON.stringify does, in any order of the types,
#           as with anyOf: a message's content is a text or an array of parts.
# Observed: if "string" is one of the types before "array", an array is written as one text: its parts as
#           "[object Object]", without an error. It is written as an array with "array" first, and with anyOf.
set -eu
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
npm install --silent --no-audit --no-fund fast-json-stringify@7.3.10
cat >types.mjs <<'JS'
import build from "fast-json-stringify";
const part = { type: "object", properties: { type: { type: "string" }, text: { type: "string" } } };
const parts = [{ type: "text", text: "Refund order 17." }, { type: "text", text: "Now." }];
for (const content of [
  { type: ["string", "array"], items: part },
  { type: ["array", "string"], items: part },
  { anyOf: [{ type: "string" }, { type: "array", items: part }] },
]) {
  const write = build({ type: "object", properties: { content } });
  console.log(content.type?.join(" or ") ?? "anyOf", write({ content: "Refund order 17." }), write({ content: parts }));
}
const tags = build({ type: ["string", "array"], items: { type: "string" } });
console.log(tags("lamp"), tags(["lamp", "red, large"]));
JS
node types.mjs >observed
cat observed
cat >expected <<'TEXT'
string or array {"content":"Refund order 17."} {"content":"[object Object],[object Object]"}
array or string {"content":"Refund order 17."} {"content":[{"type":"text","text":"Refund order 17."},{"type":"text","text":"Now."}]}
anyOf {"content":"Refund order 17."} {"content":[{"type":"text","text":"Refund order 17."},{"type":"text","text":"Now."}]}
"lamp" "lamp,red, large"
TEXT
diff expected observed
