#!/bin/sh
# Package:  json-canonicalize 3.0.1 and canonicalize 5.1.0 (npm), both RFC 8785
# Guess:    both write the members of a JSON object sorted, whatever their names are.
# Observed: json-canonicalize writes an object that has a member "toJSON", a text, in the order of its
#           input, so that equal objects have different canonical forms and signatures. canonicalize sorts it.
set -eu
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
npm install --silent --no-audit --no-fund json-canonicalize@3.0.1 canonicalize@5.1.0
cat >sort.mjs <<'JS'
import * as one from "json-canonicalize";
import two from "canonicalize";
for (const text of ['{"b":1,"a":2}', '{"toJSON":"yes","b":1,"a":2}', '{"a":2,"b":1,"toJSON":"yes"}']) {
  const value = JSON.parse(text);
  console.log(one.canonicalize(value), two(value));
}
JS
node sort.mjs >observed
cat observed
cat >expected <<'TEXT'
{"a":2,"b":1} {"a":2,"b":1}
{"toJSON":"yes","b":1,"a":2} {"a":2,"b":1,"toJSON":"yes"}
{"a":2,"b":1,"toJSON":"yes"} {"a":2,"b":1,"toJSON":"yes"}
TEXT
diff expected observed
