#!/bin/sh
# Package:  zod 4.6.7 with ajv 8.20.0 and ajv-formats 3.0.1 (npm)
# Guess:    the schema of z.string().startsWith("ord_") is a text with a pattern, as that of regex is. "format" is used
#           where JSON Schema has such a format, as for z.uuid() and z.email().
# Observed: it also has the format "starts_with", which is Zod's own name for the check. So do endsWith, includes,
#           lowercase, uppercase, and formats such as nanoid and jwt. ajv refuses each of these schemas.
set -eu
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
npm install --silent --no-audit --no-fund zod@4.6.7 ajv@8.20.0 ajv-formats@3.0.1
cat >formats.mjs <<'JS'
import Ajv from "ajv/dist/2020.js";
import addFormats from "ajv-formats";
import { z } from "zod";
const text = z.string();
const schemas = {
  regex: text.regex(/^ord_/), uuid: z.uuid(), email: z.email(),
  startsWith: text.startsWith("ord_"), endsWith: text.endsWith(".pdf"), includes: text.includes("ord"),
  lowercase: text.lowercase(), uppercase: text.uppercase(), nanoid: z.nanoid(), jwt: z.jwt(),
};
for (const [name, schema] of Object.entries(schemas)) {
  const json = z.toJSONSchema(schema);
  const ajv = addFormats(new Ajv());
  let answer = "compiled";
  try {
    ajv.compile(json);
  } catch (error) {
    answer = error.message;
  }
  console.log(`${name}: format ${json.format}, ajv: ${answer}`);
}
JS
node formats.mjs >observed
cat observed
cat >expected <<'TEXT'
regex: format undefined, ajv: compiled
uuid: format uuid, ajv: compiled
email: format email, ajv: compiled
startsWith: format starts_with, ajv: unknown format "starts_with" ignored in schema at path "#"
endsWith: format ends_with, ajv: unknown format "ends_with" ignored in schema at path "#"
includes: format includes, ajv: unknown format "includes" ignored in schema at path "#"
lowercase: format lowercase, ajv: unknown format "lowercase" ignored in schema at path "#"
uppercase: format uppercase, ajv: unknown format "uppercase" ignored in schema at path "#"
nanoid: format nanoid, ajv: unknown format "nanoid" ignored in schema at path "#"
jwt: format jwt, ajv: unknown format "jwt" ignored in schema at path "#"
TEXT
diff expected observed
