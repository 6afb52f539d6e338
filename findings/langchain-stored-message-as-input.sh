#!/bin/sh
# Package:  @langchain/core 1.4.0 (npm)
# Guess:    a model accepts messages in the form that mapChatMessagesToStoredMessages writes, {type, data}, as
#           it accepts {type, content}, or rejects them.
# Observed: it takes the messages of the user, the system and the assistant for empty ones: "data" is ignored.
#           Only a tool's result is rejected.
set -eu
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
npm install --silent --no-audit --no-fund @langchain/core@1.4.0
cat >stored.mjs <<'JS'
import * as m from "@langchain/core/messages";
const tool_calls = [{ id: "call_1", name: "refund", args: { order: 17 } }];
const stored = m.mapChatMessagesToStoredMessages([new m.SystemMessage("Be brief."), new m.HumanMessage("Refund order 17."), new m.AIMessage({ content: "Yes.", tool_calls }), new m.ToolMessage({ tool_call_id: "call_1", content: "done" })]);
for (const message of [{ type: "human", content: "Refund order 17." }, ...stored]) {
  try {
    const read = m.coerceMessageLikeToMessage(message);
    console.log(message.type, JSON.stringify(read.text), "calls:", read.tool_calls?.length);
  } catch (error) {
    console.log(message.type, error.message.split(":")[0]);
  }
}
JS
node stored.mjs >observed
cat observed
cat >expected <<'TEXT'
human "Refund order 17." calls: undefined
system "" calls: undefined
human "" calls: undefined
ai "" calls: 0
tool Unable to coerce message from array
TEXT
diff expected observed
