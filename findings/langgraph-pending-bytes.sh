#!/bin/sh
# Package:  @langchain/langgraph-checkpoint-sqlite 1.0.4 and @langchain/langgraph-checkpoint 1.2.2 with
#           @langchain/core 1.4.0 (npm)
# Guess:    both savers return the pending writes as they were stored, also bytes, for which the serializer has a type
#           of its own. list finds the same checkpoints by the same filter of metadata.
# Observed: SqliteSaver returns other bytes for those that are no UTF-8, such as an image's, without an error.
#           MemorySaver stores any bytes, and getTuple throws for the thread from then on. With a dot in the name of a
#           member, SqliteSaver finds nothing, because it takes the name for a path.
set -eu
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
npm install --silent --no-audit --no-fund @langchain/langgraph-checkpoint-sqlite@1.0.4 @langchain/langgraph-checkpoint@1.2.2 @langchain/core@1.4.0
cat >bytes.mjs <<'JS'
import { emptyCheckpoint, MemorySaver } from "@langchain/langgraph-checkpoint";
import { SqliteSaver } from "@langchain/langgraph-checkpoint-sqlite";
const show = (value) => (value instanceof Uint8Array ? `bytes ${[...value]}` : JSON.stringify(value));
for (const saver of [SqliteSaver.fromConnString(":memory:"), new MemorySaver()]) {
  const metadata = { source: "loop", step: 1, parents: {}, "tenant.id": 17, tenant: 17 };
  const values = { text: "lamp", word: new TextEncoder().encode("lamp"), image: new Uint8Array([137, 80, 78, 71, 255, 216]) };
  for (const [thread_id, value] of Object.entries(values)) {
    const config = await saver.put({ configurable: { thread_id, checkpoint_ns: "" } }, emptyCheckpoint(), metadata, {});
    await saver.putWrites(config, [["answer", value]], "task");
    const read = await saver.getTuple(config).then(({ pendingWrites }) => show(pendingWrites[0][2]), ({ name }) => name);
    console.log(saver.constructor.name, "written:", show(value), "read:", read);
  }
  for (const filter of [{ tenant: 17 }, { "tenant.id": 17 }]) {
    let found = 0;
    for await (const _ of saver.list({ configurable: { thread_id: "text" } }, { filter })) found++;
    console.log(saver.constructor.name, JSON.stringify(filter), "finds", found);
  }
}
JS
node bytes.mjs >observed
cat observed
cat >expected <<'TEXT'
SqliteSaver written: "lamp" read: "lamp"
SqliteSaver written: bytes 108,97,109,112 read: bytes 108,97,109,112
SqliteSaver written: bytes 137,80,78,71,255,216 read: bytes 239,191,189,80,78,71,239,191,189,239,191,189
SqliteSaver {"tenant":17} finds 1
SqliteSaver {"tenant.id":17} finds 0
MemorySaver written: "lamp" read: "lamp"
MemorySaver written: bytes 108,97,109,112 read: SyntaxError
MemorySaver written: bytes 137,80,78,71,255,216 read: SyntaxError
MemorySaver {"tenant":17} finds 1
MemorySaver {"tenant.id":17} finds 1
TEXT
diff expected observed
