#!/bin/sh
# Package:  zod 4.6.7 (npm), z.fromJSONSchema; ajv 8.20.0 as the reference
# Guess:    a schema without "type", such as the branches of an anyOf that say which members are required,
#           restricts the values of the type that its keywords apply to. What zod cannot express, it refuses.
# Observed: without "type", every keyword is ignored, and with it, a name in "required" that "properties"
#           does not have. No error tells it.
set -eu
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
npm install --silent --no-audit --no-fund zod@4.6.7 ajv@8.20.0
cat >untyped.mjs <<'JS'
import { z } from "zod";
import { Ajv2020 } from "ajv/dist/2020.js";
const ajv = new Ajv2020({ strict: false });
for (const [schema, value] of [
  [{ required: ["order"] }, {}],
  [{ properties: { order: { type: "integer" } } }, { order: "17" }],
  [{ minLength: 2 }, "a"],
  [{ type: "object", properties: { note: { type: "string" } }, anyOf: [{ required: ["order"] }, { required: ["note"] }] }, {}],
  [{ type: "object", properties: { note: { type: "string" } }, required: ["order"] }, { note: "x" }],
])
  console.log(JSON.stringify(schema), JSON.stringify(value), "zod", z.fromJSONSchema(schema).safeParse(value).success, "ajv", ajv.validate(schema, value));
JS
node untyped.mjs >observed
cat observed
cat >expected <<'TEXT'
{"required":["order"]} {} zod true ajv false
{"properties":{"order":{"type":"integer"}}} {"order":"17"} zod true ajv false
{"minLength":2} "a" zod true ajv false
{"type":"object","properties":{"note":{"type":"string"}},"anyOf":[{"required":["order"]},{"required":["note"]}]} {} zod true ajv false
{"type":"object","properties":{"note":{"type":"string"}},"required":["order"]} {"note":"x"} zod true ajv false
TEXT
diff expected observed
