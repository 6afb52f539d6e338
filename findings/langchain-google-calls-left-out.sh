#!/bin/sh
# Package:  @langchain/google 0.2.6 with @langchain/core 1.4.0 (npm); @langchain/google-genai 2.3.2 as the reference
# Guess:    ChatGoogle sends the tool_calls of an AIMessage in the history with their results, as every chat model does,
#           whether another model or the program made the message.
# Observed: it sends the result without the call, and a model's turn that has only calls is gone. There is no warning.
#           The calls are sent if response_metadata says output_version v1. ChatGoogleGenerativeAI sends them.
set -eu
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
npm install --silent --no-audit --no-fund --legacy-peer-deps @langchain/google@0.2.6 @langchain/google-genai@2.3.2 @langchain/core@1.4.0
cat >calls.mjs <<'JS'
import { AIMessage, HumanMessage, ToolMessage } from "@langchain/core/messages";
import { ChatGoogle } from "@langchain/google";
import { ChatGoogleGenerativeAI } from "@langchain/google-genai";
let sent;
globalThis.fetch = async (input, init) => {
  sent = JSON.parse(init?.body ?? (await input.text()));
  return Response.json({ candidates: [{ content: { role: "model", parts: [{ text: "Done." }] }, finishReason: "STOP" }] });
};
const tool_calls = [{ id: "call_1", name: "plan", args: { day: 2 } }];
for (const model of [new ChatGoogle({ apiKey: "none", model: "gemini-2.5-flash" }), new ChatGoogleGenerativeAI({ apiKey: "none", model: "gemini-2.5-flash" })]) {
  for (const response_metadata of [{}, { output_version: "v1" }]) {
    if (model instanceof ChatGoogleGenerativeAI && response_metadata.output_version) continue;
    const history = [new HumanMessage("What is next?"), new AIMessage({ content: "", tool_calls, response_metadata }), new ToolMessage({ content: "rest", tool_call_id: "call_1", name: "plan" })];
    await model.invoke(history);
    console.log(model.constructor.name, JSON.stringify(response_metadata));
    for (const content of sent.contents.slice(1)) console.log(" ", JSON.stringify(content));
  }
}
JS
node calls.mjs >observed
cat observed
cat >expected <<'TEXT'
ChatGoogle {}
  {"role":"user","parts":[{"functionResponse":{"id":"call_1","name":"plan","response":{"result":"rest"}}}]}
ChatGoogle {"output_version":"v1"}
  {"role":"model","parts":[{"functionCall":{"name":"plan","args":{"day":2}}}]}
  {"role":"user","parts":[{"functionResponse":{"id":"call_1","name":"plan","response":{"result":"rest"}}}]}
ChatGoogleGenerativeAI {}
  {"role":"model","parts":[{"functionCall":{"name":"plan","args":{"day":2}}}]}
  {"role":"user","parts":[{"functionResponse":{"name":"plan","response":{"result":"rest"}}}]}
TEXT
diff expected observed
