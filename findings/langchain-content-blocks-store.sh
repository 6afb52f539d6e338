#!/bin/sh
# Package:  @langchain/core 1.4.0 (npm)
# Guess:    a message that is stored with mapChatMessagesToStoredMessages and read back with
#           mapStoredMessagesToChatMessages has the same content.
# Observed: a HumanMessage, SystemMessage or AIMessage that was made from contentBlocks is stored with
#           "content_blocks" and without "content". The reader knows only "content", so that the message
#           comes back empty, without an error.
set -eu
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
npm install --silent --no-audit --no-fund @langchain/core@1.4.0
cat >store.mjs <<'JS'
import * as m from "@langchain/core/messages";
for (const Message of [m.HumanMessage, m.SystemMessage, m.AIMessage]) {
  const made = new Message({ contentBlocks: [{ type: "text", text: "Refund order 17." }] });
  const stored = m.mapChatMessagesToStoredMessages([made]);
  const [back] = m.mapStoredMessagesToChatMessages(stored);
  console.log(Message.name, JSON.stringify(made.text), Object.keys(stored[0].data).filter((k) => k.startsWith("content")).join(), JSON.stringify(back.text));
}
JS
node store.mjs >observed
cat observed
cat >expected <<'TEXT'
HumanMessage "Refund order 17." content_blocks ""
SystemMessage "Refund order 17." content_blocks ""
AIMessage "Refund order 17." content_blocks ""
TEXT
diff expected observed
