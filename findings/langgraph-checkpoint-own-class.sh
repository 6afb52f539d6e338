#!/bin/sh
# Package:  @langchain/langgraph 1.7.3 (npm), MemorySaver
# Guess:    plain data in the state of a graph comes back as it was, or cannot be stored. That holds for the
#           JSON of an object of LangChain, {"lc": 1, "type": "constructor", …}, too, whatever its class.
# Observed: it is stored. Reading builds an object of the named class, and throws for a class that LangChain
#           does not know: the run ends well, and the thread cannot be read or continued any more.
set -eu
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
npm install --silent --no-audit --no-fund @langchain/langgraph@1.7.3 @langchain/core@1.4.0
cat >own.mjs <<'JS'
import { Annotation, END, MemorySaver, START, StateGraph } from "@langchain/langgraph";
const state = Annotation.Root({ log: Annotation() });
const log = { lc: 1, type: "constructor", id: ["shop", "tools", "Refund"], kwargs: { order: 17 } };
const graph = new StateGraph(state).addNode("refund", () => ({ log })).addEdge(START, "refund").addEdge("refund", END).compile({ checkpointer: new MemorySaver() });
const thread = { configurable: { thread_id: "1" } };
console.log("run", JSON.stringify(await graph.invoke({}, thread)));
for (const [name, read] of [["read", () => graph.getState(thread)], ["continue", () => graph.invoke({}, thread)]])
  await read().then(() => console.log(name, "ok"), (error) => console.log(name, error.message));
JS
node own.mjs >observed
cat observed
cat >expected <<'TEXT'
run {"log":{"lc":1,"type":"constructor","id":["shop","tools","Refund"],"kwargs":{"order":17}}}
read Invalid namespace: $ -> {"lc":1,"type":"constructor","id":["shop","tools","Refund"],"kwargs":{"order":17}}
continue Invalid namespace: $ -> {"lc":1,"type":"constructor","id":["shop","tools","Refund"],"kwargs":{"order":17}}
TEXT
diff expected observed
