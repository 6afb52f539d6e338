#!/bin/sh
# Package:  @langchain/langgraph-checkpoint 1.2.2 (npm), the serializer of MemorySaver and the other savers
# Guess:    a state with a BigInt is stored as a number or a text, or dumpsTyped throws as JSON.stringify does.
# Observed: the whole state is stored as a text about circular references, which it has none of. The other
#           members are lost, without an error.
set -eu
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
npm install --silent --no-audit --no-fund @langchain/langgraph-checkpoint@1.2.2 @langchain/core@1.4.0
cat >bigint.mjs <<'JS'
import { MemorySaver } from "@langchain/langgraph-checkpoint";
const { serde } = new MemorySaver();
for (const amount of [400, 400n]) console.log(await serde.loadsTyped(...(await serde.dumpsTyped({ order: 17, amount }))));
JS
node bigint.mjs >observed
cat observed
cat >expected <<'TEXT'
{ order: 17, amount: 400 }
[unable to serialize, circular reference is too complex to analyze]
TEXT
diff expected observed
