#!/bin/sh
# Package:  @langchain/anthropic 1.5.11 and @langchain/google-genai 2.3.2 with @langchain/core 1.4.0 (npm)
# Guess:    a ToolMessage with status "error" is sent as a failed result: is_error to Anthropic, an error in
#           the response to Gemini.
# Observed: ChatAnthropic sends a result like any other, without is_error. ChatGoogleGenerativeAI sends an
#           error.
set -eu
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
npm install --silent --no-audit --no-fund @langchain/anthropic@1.5.11 @langchain/google-genai@2.3.2 @langchain/core@1.4.0
cat >error.mjs <<'JS'
import { ChatAnthropic } from "@langchain/anthropic";
import { ChatGoogleGenerativeAI } from "@langchain/google-genai";
import { AIMessage, HumanMessage, ToolMessage } from "@langchain/core/messages";
let request;
globalThis.fetch = async (url, options) => {
  request = JSON.parse(options.body);
  return new Response("{}", { status: 400, headers: { "content-type": "application/json" } });
};
const history = [
  new HumanMessage("Refund order 17."),
  new AIMessage({ content: "", tool_calls: [{ id: "call_1", name: "refund", args: { order: 17 } }] }),
  new ToolMessage({ tool_call_id: "call_1", name: "refund", content: "closed", status: "error" }),
];
await new ChatAnthropic({ apiKey: "key", model: "claude-sonnet-4-5", maxRetries: 0 }).invoke(history).catch(() => {});
console.log(JSON.stringify(request.messages.at(-1)));
await new ChatGoogleGenerativeAI({ apiKey: "key", model: "gemini-2.5-flash", maxRetries: 0 }).invoke(history).catch(() => {});
console.log(JSON.stringify(request.contents.at(-1)));
JS
node error.mjs >observed
cat observed
cat >expected <<'TEXT'
{"role":"user","content":[{"type":"tool_result","content":"closed","tool_use_id":"call_1"}]}
{"role":"user","parts":[{"functionResponse":{"name":"refund","response":{"error":{"details":"closed"}}}}]}
TEXT
diff expected observed
