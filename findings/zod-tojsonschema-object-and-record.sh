#!/bin/sh
# Package:  zod 4.6.7 (npm), z.toJSONSchema; ajv 8.20.0 compiles the result
# Guess:    the JSON Schema of an intersection accepts the values that the intersection parses and returns:
#           for two objects, it is merged into one object.
# Observed: an object and a record are not merged. The object keeps "additionalProperties": false within
#           allOf, so that no value with a further member is valid, which the record was added to allow.
set -eu
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
npm install --silent --no-audit --no-fund zod@4.6.7 ajv@8.20.0
cat >and.mjs <<'JS'
import { z } from "zod";
import { Ajv2020 } from "ajv/dist/2020.js";
const order = z.object({ order: z.number() });
for (const [name, schema] of [["object", order.and(z.object({ note: z.string() }))], ["record", order.and(z.record(z.string(), z.unknown()))]]) {
  const value = schema.parse({ order: 17, note: "damaged" });
  console.log(name, JSON.stringify(value), new Ajv2020().validate(z.toJSONSchema(schema), value));
}
JS
node and.mjs >observed
cat observed
cat >expected <<'TEXT'
object {"order":17,"note":"damaged"} true
record {"order":17,"note":"damaged"} false
TEXT
diff expected observed
