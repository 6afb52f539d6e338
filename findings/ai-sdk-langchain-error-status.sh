#!/bin/sh
# Package:  @ai-sdk/langchain 3.0.99 with ai 7.0.173, @langchain/core 1.4.0, @langchain/langgraph 1.7.3 (npm)
# Guess:    a tool call that failed in the AI SDK becomes a ToolMessage of LangChain with status "error".
# Observed: toBaseMessages and convertModelMessages make a ToolMessage without a status, as of a call that
#           succeeded with the text of the error.
set -eu
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
npm install --silent --no-audit --no-fund @ai-sdk/langchain@3.0.99 ai@7.0.173 @langchain/core@1.4.0 @langchain/langgraph@1.7.3
cat >status.mjs <<'JS'
import { convertToModelMessages } from "ai";
import { convertModelMessages, toBaseMessages } from "@ai-sdk/langchain";
const tool = { type: "tool-refund", toolCallId: "call_1", input: { order: 17 } };
for (const state of [{ state: "output-available", output: "closed" }, { state: "output-error", errorText: "closed" }]) {
  const history = [{ id: "m1", role: "assistant", parts: [{ ...tool, ...state }] }];
  const sent = await convertToModelMessages(history);
  for (const message of [(await toBaseMessages(history)).at(-1), convertModelMessages(sent).at(-1)]) console.log(state.state, message.type, message.content, message.status);
}
JS
node status.mjs >observed
cat observed
cat >expected <<'TEXT'
output-available tool closed undefined
output-available tool closed undefined
output-error tool closed undefined
output-error tool closed undefined
TEXT
diff expected observed
