#!/bin/sh
# Package:  zod 4.6.7 (npm), z.fromJSONSchema; ajv 8.20.0 as the reference
# Guess:    a const or an enum with an object or an array accepts an equal value, or fromJSONSchema throws.
# Observed: the values are compared by identity, so that the schema rejects every value from JSON.
set -eu
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
npm install --silent --no-audit --no-fund zod@4.6.7 ajv@8.20.0
cat >const.mjs <<'JS'
import { z } from "zod";
import { Ajv2020 } from "ajv/dist/2020.js";
for (const [schema, value] of [
  [{ const: "approved" }, "approved"],
  [{ const: { state: "approved" } }, { state: "approved" }],
  [{ enum: [["refund", 17], null] }, ["refund", 17]],
])
  console.log(JSON.stringify(schema), "zod", z.fromJSONSchema(schema).safeParse(value).success, "ajv", new Ajv2020().validate(schema, value));
JS
node const.mjs >observed
cat observed
cat >expected <<'TEXT'
{"const":"approved"} zod true ajv true
{"const":{"state":"approved"}} zod false ajv true
{"enum":[["refund",17],null]} zod false ajv true
TEXT
diff expected observed
