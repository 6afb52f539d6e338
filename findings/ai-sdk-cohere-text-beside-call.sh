#!/bin/sh
# Package:  @ai-sdk/cohere 4.0.52 and @ai-sdk/openai-compatible 3.0.92 with ai 7.0.173 (npm)
# Guess:    an assistant's text beside a tool call is sent to Cohere, as content or as tool_plan, which is its
#           member for such a text, or a warning says that it is left out.
# Observed: it is left out without a warning. A text without a call is sent, and the provider for other
#           compatible APIs sends both.
set -eu
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
npm install --silent --no-audit --no-fund ai@7.0.173 @ai-sdk/cohere@4.0.52 @ai-sdk/openai-compatible@3.0.92
cat >text.mjs <<'JS'
import { createCohere } from "@ai-sdk/cohere";
import { createOpenAICompatible } from "@ai-sdk/openai-compatible";
import { generateText } from "ai";
globalThis.AI_SDK_LOG_WARNINGS = false;
let sent;
const answering = (answer) => async (_, { body }) => ((sent = JSON.parse(body).messages[1]), Response.json(answer));
const models = {
  cohere: createCohere({ apiKey: "none", fetch: answering({ message: { role: "assistant", content: [{ type: "text", text: "Done." }] }, finish_reason: "COMPLETE", usage: { billed_units: { input_tokens: 1, output_tokens: 1 }, tokens: { input_tokens: 1, output_tokens: 1 } } }) })("command-a-03-2025"),
  compatible: createOpenAICompatible({ name: "other", baseURL: "http://localhost", fetch: answering({ choices: [{ message: { role: "assistant", content: "Done." }, finish_reason: "stop" }] }) })("other"),
};
const text = { type: "text", text: "The invoice was paid twice, so I refund the second payment." };
const call = { type: "tool-call", toolCallId: "call_1", toolName: "refund", input: { payment: 2 } };
const result = { type: "tool-result", toolCallId: "call_1", toolName: "refund", output: { type: "text", value: "ok" } };
for (const [name, model] of Object.entries(models))
  for (const content of [[text], [text, call]]) {
    const messages = [{ role: "user", content: "Look at the invoice." }, { role: "assistant", content }, content[1] ? { role: "tool", content: [result] } : { role: "user", content: "Go on." }];
    const { warnings } = await generateText({ model, messages });
    console.log(name, "content:", sent.content?.length, "tool_plan:", sent.tool_plan?.length, "calls:", sent.tool_calls?.length, "warnings:", warnings?.length ?? 0);
  }
JS
node text.mjs >observed
cat observed
cat >expected <<'TEXT'
cohere content: 59 tool_plan: undefined calls: undefined warnings: 0
cohere content: undefined tool_plan: undefined calls: 1 warnings: 0
compatible content: 59 tool_plan: undefined calls: undefined warnings: 0
compatible content: 59 tool_plan: undefined calls: 1 warnings: 0
TEXT
diff expected observed
