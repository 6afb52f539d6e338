#!/bin/sh
# Package:  zod 4.6.7 and arktype 2.2.10, with valibot 1.5.0 and @valibot/to-json-schema 1.8.0, and ajv 8.20.0 (npm)
# Guess:    a regular expression with the flag i has a pattern without it that accepts the same texts, or cannot be
#           converted: JSON Schema has no flags, and toJSONSchema throws for what JSON Schema cannot express.
# Observed: Zod and ArkType leave the flag out without an error, so that the schema refuses texts that they accept. So
#           they do with the flags m and s. Valibot throws.
set -eu
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
npm install --silent --no-audit --no-fund zod@4.6.7 arktype@2.2.10 valibot@1.5.0 @valibot/to-json-schema@1.8.0 ajv@8.20.0
cat >flags.mjs <<'JS'
import { toJsonSchema } from "@valibot/to-json-schema";
import Ajv from "ajv/dist/2020.js";
import { type } from "arktype";
import * as v from "valibot";
import { z } from "zod";
for (const [pattern, text] of [[/^ord_/, "ord_17"], [/^ord_/i, "ORD_17"], [/^note$/m, "a\nnote"], [/^.$/s, "\n"]]) {
  const libraries = {
    zod: [() => z.toJSONSchema(z.string().regex(pattern)), () => z.string().regex(pattern).safeParse(text).success],
    arktype: [() => type(pattern).toJsonSchema(), () => type(pattern).allows(text)],
    valibot: [() => toJsonSchema(v.pipe(v.string(), v.regex(pattern)), { target: "draft-2020-12" }), () => v.is(v.pipe(v.string(), v.regex(pattern)), text)],
  };
  for (const [name, [schema, accepts]] of Object.entries(libraries)) {
    let answer;
    try {
      const json = schema();
      answer = `its schema with the pattern ${json.pattern} ${new Ajv().compile(json)(text)}`;
    } catch (error) {
      answer = error.message;
    }
    console.log(`${name} ${pattern} ${JSON.stringify(text)}: ${accepts()}, ${answer}`);
  }
}
JS
node flags.mjs >observed
cat observed
cat >expected <<'TEXT'
zod /^ord_/ "ord_17": true, its schema with the pattern ^ord_ true
arktype /^ord_/ "ord_17": true, its schema with the pattern ^ord_ true
valibot /^ord_/ "ord_17": true, its schema with the pattern ^ord_ true
zod /^ord_/i "ORD_17": true, its schema with the pattern ^ord_ false
arktype /^ord_/i "ORD_17": true, its schema with the pattern ^ord_ false
valibot /^ord_/i "ORD_17": true, RegExp flags are not supported by JSON Schema.
zod /^note$/m "a\nnote": true, its schema with the pattern ^note$ false
arktype /^note$/m "a\nnote": true, its schema with the pattern ^note$ false
valibot /^note$/m "a\nnote": true, RegExp flags are not supported by JSON Schema.
zod /^.$/s "\n": true, its schema with the pattern ^.$ false
arktype /^.$/s "\n": true, its schema with the pattern ^.$ false
valibot /^.$/s "\n": true, RegExp flags are not supported by JSON Schema.
TEXT
diff expected observed
