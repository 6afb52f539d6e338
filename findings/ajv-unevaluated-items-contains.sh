#!/bin/sh
# Package:  ajv 8.20.0 (npm); @cfworker/json-schema 4.1.6 and typebox 1.4.3 as references
# Guess:    in draft 2020-12, contains evaluates the elements that match it, and unevaluatedItems applies to
#           the other ones (core, 11.2).
# Observed: in ajv, contains evaluates all elements, so that "unevaluatedItems": false accepts an element
#           that nothing allows.
set -eu
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
npm install --silent --no-audit --no-fund ajv@8.20.0 @cfworker/json-schema@4.1.6 typebox@1.4.3
cat >contains.mjs <<'JS'
import { Ajv2020 } from "ajv/dist/2020.js";
import { Validator } from "@cfworker/json-schema";
import { Check } from "typebox/schema";
const schema = { type: "array", contains: { type: "string" }, unevaluatedItems: false };
for (const value of [["a"], ["a", 1], [1]]) console.log(JSON.stringify(value), "ajv", new Ajv2020().validate(schema, value), "cfworker", new Validator(schema, "2020-12").validate(value).valid, "typebox", Check(schema, value));
JS
node contains.mjs >observed
cat observed
cat >expected <<'TEXT'
["a"] ajv true cfworker true typebox true
["a",1] ajv true cfworker false typebox false
[1] ajv false cfworker false typebox false
TEXT
diff expected observed
