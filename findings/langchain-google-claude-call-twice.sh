#!/bin/sh
# Package:  @langchain/google-genai 2.3.2 and @langchain/anthropic 1.5.11 with @langchain/core 1.4.0 (npm);
#           @langchain/openai 1.5.13 as the reference
# Guess:    an answer of ChatAnthropic with the call of a tool is sent to Gemini with this call, and with its
#           reasoning or without it.
# Observed: the call is sent twice, with one result for both. Anthropic's signature of the reasoning is sent as the
#           thoughtSignature of Gemini. Neither is an error. ChatOpenAI sends the call once.
set -eu
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
npm install --silent --no-audit --no-fund --legacy-peer-deps @langchain/google-genai@2.3.2 @langchain/anthropic@1.5.11 @langchain/openai@1.5.13 @langchain/core@1.4.0
cat >call.mjs <<'JS'
import { ChatAnthropic } from "@langchain/anthropic";
import { HumanMessage, ToolMessage } from "@langchain/core/messages";
import { ChatGoogleGenerativeAI } from "@langchain/google-genai";
import { ChatOpenAI } from "@langchain/openai";
const claude = {
  type: "message", id: "1", model: "claude-sonnet-4-5", role: "assistant", stop_reason: "tool_use", usage: { input_tokens: 1, output_tokens: 1 },
  content: [{ type: "thinking", thinking: "I need the plan.", signature: "c2ln" }, { type: "text", text: "I look." }, { type: "tool_use", id: "toolu_1", name: "plan", input: { day: 2 } }],
};
let sent;
globalThis.fetch = async (url, { body }) => {
  sent = JSON.parse(body);
  if (`${url}`.includes("anthropic")) return Response.json(claude);
  if (`${url}`.includes("google")) return Response.json({ candidates: [{ content: { role: "model", parts: [{ text: "Done." }] }, finishReason: "STOP" }] });
  return Response.json({ id: "1", object: "chat.completion", created: 0, model: "gpt-4o", choices: [{ index: 0, message: { role: "assistant", content: "Done." }, finish_reason: "stop" }] });
};
const question = new HumanMessage("What is next?");
const answer = await new ChatAnthropic({ apiKey: "none", model: "claude-sonnet-4-5" }).invoke([question]);
const result = new ToolMessage({ content: "rest", tool_call_id: "toolu_1", name: "plan" });
console.log("tool_calls:", JSON.stringify(answer.tool_calls));
for (const model of [new ChatGoogleGenerativeAI({ apiKey: "none", model: "gemini-2.5-flash" }), new ChatOpenAI({ apiKey: "none", model: "gpt-4o" })]) {
  await model.invoke([question, answer, result]);
  for (const message of (sent.contents ?? sent.messages).slice(1)) console.log(model.constructor.name, JSON.stringify(message));
}
JS
node call.mjs >observed
cat observed
cat >expected <<'TEXT'
tool_calls: [{"name":"plan","args":{"day":2},"id":"toolu_1","type":"tool_call"}]
ChatGoogleGenerativeAI {"role":"model","parts":[{"text":"I need the plan.","thought":true,"thoughtSignature":"c2ln"},{"text":"I look."},{"functionCall":{"name":"plan","args":{"day":2}}},{"functionCall":{"name":"plan","args":{"day":2}}}]}
ChatGoogleGenerativeAI {"role":"user","parts":[{"functionResponse":{"name":"plan","response":{"result":"rest"}}}]}
ChatOpenAI {"role":"assistant","content":[{"type":"text","text":"I look."}],"tool_calls":[{"id":"toolu_1","type":"function","function":{"name":"plan","arguments":"{\"day\":2}"}}]}
ChatOpenAI {"role":"tool","content":"rest","name":"plan","tool_call_id":"toolu_1"}
TEXT
diff expected observed
