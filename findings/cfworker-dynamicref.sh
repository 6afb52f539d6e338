#!/bin/sh
# Package:  @cfworker/json-schema 4.1.6 (npm); ajv 8.20.0 as the reference
# Guess:    the validator for draft 2020-12 resolves $dynamicRef, which that draft added, or reports that it
#           does not know it.
# Observed: $dynamicRef is ignored, so that everything below it is valid. A $ref is resolved.
set -eu
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
npm install --silent --no-audit --no-fund @cfworker/json-schema@4.1.6 ajv@8.20.0
cat >dynamic.mjs <<'JS'
import { Validator } from "@cfworker/json-schema";
import { Ajv2020 } from "ajv/dist/2020.js";
const value = { task: "refund", subtasks: [{ task: 17 }] };
for (const items of [{ $ref: "#" }, { $dynamicRef: "#node" }]) {
  const schema = { $id: "https://example.com/tree", $dynamicAnchor: "node", type: "object", properties: { task: { type: "string" }, subtasks: { type: "array", items } } };
  console.log(JSON.stringify(items), "cfworker", new Validator(schema, "2020-12").validate(value).valid, "ajv", new Ajv2020().validate(schema, value));
}
JS
node dynamic.mjs >observed
cat observed
cat >expected <<'TEXT'
{"$ref":"#"} cfworker false ajv false
{"$dynamicRef":"#node"} cfworker true ajv false
TEXT
diff expected observed
