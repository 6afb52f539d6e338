#!/bin/sh
# Package:  @ai-sdk/amazon-bedrock 5.0.101, @ai-sdk/anthropic 4.0.105 and @ai-sdk/google 4.0.121 with ai 7.0.173 (npm)
# Guess:    the error of a tool that threw is sent to Bedrock with the status "error", which Converse has for it, as
#           it is sent to Anthropic with is_error and to Gemini as an error.
# Observed: it is sent without a status, as the result of a call that succeeded.
set -eu
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
npm install --silent --no-audit --no-fund ai@7.0.173 @ai-sdk/amazon-bedrock@5.0.101 @ai-sdk/anthropic@4.0.105 @ai-sdk/google@4.0.121
cat >error.mjs <<'JS'
import { createAmazonBedrock } from "@ai-sdk/amazon-bedrock";
import { createAnthropic } from "@ai-sdk/anthropic";
import { createGoogleGenerativeAI } from "@ai-sdk/google";
import { generateText, isStepCount, jsonSchema, tool } from "ai";
globalThis.AI_SDK_LOG_WARNINGS = false;
let sent;
const options = (answer) => ({ apiKey: "none", fetch: async (_, { body }) => ((sent = JSON.parse(body)), Response.json(answer)) });
const models = {
  bedrock: createAmazonBedrock({ ...options({ output: { message: { role: "assistant", content: [{ toolUse: { toolUseId: "call_1", name: "refund", input: {} } }] } }, stopReason: "tool_use", usage: { inputTokens: 1, outputTokens: 1, totalTokens: 2 } }), region: "us-east-1" })("anthropic.claude-sonnet-4-5-20250929-v1:0"),
  anthropic: createAnthropic(options({ type: "message", id: "1", model: "claude-sonnet-4-5", role: "assistant", content: [{ type: "tool_use", id: "call_1", name: "refund", input: {} }], stop_reason: "tool_use", usage: { input_tokens: 1, output_tokens: 1 } }))("claude-sonnet-4-5"),
  google: createGoogleGenerativeAI(options({ candidates: [{ content: { role: "model", parts: [{ functionCall: { id: "call_1", name: "refund", args: {} } }] }, finishReason: "STOP" }] }))("gemini-2.5-flash"),
};
const refund = tool({ inputSchema: jsonSchema({ type: "object" }), execute: () => { throw new Error("the account is closed"); } });
for (const [name, model] of Object.entries(models)) {
  await generateText({ model, prompt: "Refund the order.", tools: { refund }, stopWhen: isStepCount(2) });
  const { content, parts } = (sent.messages ?? sent.contents).at(-1);
  console.log(name, JSON.stringify(content ?? parts));
}
JS
node error.mjs >observed
cat observed
cat >expected <<'TEXT'
bedrock [{"toolResult":{"toolUseId":"call_1","content":[{"text":"Error: the account is closed"}]}}]
anthropic [{"type":"tool_result","tool_use_id":"call_1","content":"Error: the account is closed","is_error":true}]
google [{"functionResponse":{"id":"call_1","name":"refund","response":{"name":"refund","error":"Error: the account is closed"}}}]
TEXT
diff expected observed
