#!/bin/sh
# Package:  typebox 1.4.3 (npm)
# Guess:    Value.Patch(a, Value.Diff(a, b)) is b: the paths of the edits are JSON Pointers, in which "/" and
#           "~" of a name are escaped.
# Observed: names are not escaped, but read as if they were. An edit of a member with "/" in its name throws,
#           and an edit of "a~1b" changes another member, "a/b".
set -eu
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
npm install --silent --no-audit --no-fund typebox@1.4.3
cat >patch.mjs <<'JS'
import Value from "typebox/value";
for (const name of ["order", "text/plain", "a~1b"]) {
  const edits = Value.Diff({ [name]: 1 }, { [name]: 2 });
  try {
    console.log(edits[0].path, JSON.stringify(Value.Patch({ [name]: 1 }, edits)));
  } catch (error) {
    console.log(edits[0].path, error.message);
  }
}
JS
node patch.mjs >observed
cat observed
cat >expected <<'TEXT'
/order {"order":2}
/text/plain Cannot set value
/a~1b {"a~1b":1,"a/b":2}
TEXT
diff expected observed
