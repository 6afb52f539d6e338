#!/bin/sh
# Package:  @langchain/core 1.4.0 (npm)
# Guess:    every message that mapChatMessagesToStoredMessages writes can be read back with
#           mapStoredMessagesToChatMessages.
# Observed: a RemoveMessage, by which a LangGraph node deletes a message, is stored as the type "remove".
#           The reader throws, and returns none of the messages beside it.
set -eu
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
npm install --silent --no-audit --no-fund @langchain/core@1.4.0
cat >remove.mjs <<'JS'
import * as m from "@langchain/core/messages";
const stored = m.mapChatMessagesToStoredMessages([new m.HumanMessage("Refund order 17."), new m.RemoveMessage({ id: "m1" })]);
console.log(stored.map((s) => s.type).join());
try {
  console.log(m.mapStoredMessagesToChatMessages(stored).length);
} catch (error) {
  console.log(error.message);
}
JS
node remove.mjs >observed
cat observed
cat >expected <<'TEXT'
human,remove
Got unexpected type: remove
TEXT
diff expected observed
