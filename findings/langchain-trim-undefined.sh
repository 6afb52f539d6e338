#!/bin/sh
# Package:  @langchain/core 1.4.0 (npm)
# Guess:    trimMessages with includeSystem returns the system message, or no message, if the last request
#           does not fit into maxTokens.
# Observed: it returns one element, undefined, in place of the system message, which would fit by itself.
set -eu
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
npm install --silent --no-audit --no-fund @langchain/core@1.4.0
cat >trim.mjs <<'JS'
import { AIMessage, HumanMessage, SystemMessage, trimMessages } from "@langchain/core/messages";
const history = [new SystemMessage("Be brief."), new HumanMessage("Refund order 17."), new AIMessage("Done.")];
const tokenCounter = (messages) => messages.length; // a token a message
for (const maxTokens of [3, 2, 1]) {
  const kept = await trimMessages(history, { maxTokens, tokenCounter, strategy: "last", startOn: "human", includeSystem: true });
  console.log(maxTokens, kept.map((message) => message?.type));
}
JS
node trim.mjs >observed
cat observed
cat >expected <<'TEXT'
3 [ 'system', 'human', 'ai' ]
2 [ undefined ]
1 [ undefined ]
TEXT
diff expected observed
