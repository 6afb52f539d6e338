#!/bin/sh
# Package:  effect 4.1.0 with ajv 8.20.0 (npm)
# Guess:    what the JSON schema of toJsonSchemaDocument accepts, such as the arguments of a call that a model makes by
#           it, decodeUnknownSync with the same Schema accepts: the schema of Number is a number, and an optional text
#           is a text that may be missing.
# Observed: the JSON schema accepts the text "NaN" for a number, and null for an optional text. decodeUnknownSync refuses
#           both. They are of another schema, that of toCodecJson, which decodes them. Finite and optionalKey have none.
set -eu
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
npm install --silent --no-audit --no-fund effect@4.1.0 ajv@8.20.0
cat >values.mjs <<'JS'
import Ajv from "ajv/dist/2020.js";
import { Schema } from "effect";
const decodes = (schema, value) => {
  try {
    Schema.decodeUnknownSync(schema)(value);
    return "accepts";
  } catch {
    return "refuses";
  }
};
const schemas = {
  "Number, optional": Schema.Struct({ score: Schema.Number, note: Schema.optional(Schema.String) }),
  "Finite, optionalKey": Schema.Struct({ score: Schema.Finite, note: Schema.optionalKey(Schema.String) }),
};
for (const [name, schema] of Object.entries(schemas)) {
  const json = Schema.toJsonSchemaDocument(schema).schema;
  console.log(name, JSON.stringify(json.properties));
  for (const value of [{ score: 1 }, { score: "NaN" }, { score: 1, note: null }])
    console.log(`  ${JSON.stringify(value)}: JSON schema ${new Ajv().compile(json)(value) ? "accepts" : "refuses"}, decoder ${decodes(schema, value)}, codec ${decodes(Schema.toCodecJson(schema), value)}`);
}
JS
node values.mjs >observed
cat observed
cat >expected <<'TEXT'
Number, optional {"score":{"anyOf":[{"type":"number"},{"type":"string","enum":["Infinity","-Infinity","NaN"]}]},"note":{"anyOf":[{"type":"string"},{"type":"null"}]}}
  {"score":1}: JSON schema accepts, decoder accepts, codec accepts
  {"score":"NaN"}: JSON schema accepts, decoder refuses, codec accepts
  {"score":1,"note":null}: JSON schema accepts, decoder refuses, codec accepts
Finite, optionalKey {"score":{"type":"number"},"note":{"type":"string"}}
  {"score":1}: JSON schema accepts, decoder accepts, codec accepts
  {"score":"NaN"}: JSON schema refuses, decoder refuses, codec refuses
  {"score":1,"note":null}: JSON schema refuses, decoder refuses, codec refuses
TEXT
diff expected observed
