#!/bin/sh
# Package:  @langchain/core 1.4.0 (npm)
# Guess:    an AIMessageChunk whose tool call was cut off in the middle of its arguments, as by a token
#           limit or a lost connection, has the call in invalid_tool_calls.
# Observed: the arguments are completed. A call that was cut off in the number 400 is a valid call with
#           the number 4, in the chunk and in the AIMessage that is read back from a store. The pieces in
#           tool_call_chunks are stored, but not read back.
set -eu
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
npm install --silent --no-audit --no-fund @langchain/core@1.4.0
cat >cut.mjs <<'JS'
import * as m from "@langchain/core/messages";
const chunk = new m.AIMessageChunk({
  content: "",
  tool_call_chunks: [{ type: "tool_call_chunk", index: 0, id: "call_1", name: "refund", args: '{"order": 17, "amount": 4' }], // 400 was meant
});
const [back] = m.mapStoredMessagesToChatMessages(m.mapChatMessagesToStoredMessages([chunk]));
for (const message of [chunk, back])
  console.log(message.constructor.name, JSON.stringify(message.tool_calls[0]?.args), message.invalid_tool_calls.length, JSON.stringify(message.tool_call_chunks?.[0].args));
JS
node cut.mjs >observed
cat observed
cat >expected <<'TEXT'
AIMessageChunk {"order":17,"amount":4} 0 "{\"order\": 17, \"amount\": 4"
AIMessage {"order":17,"amount":4} 0 undefined
TEXT
diff expected observed
