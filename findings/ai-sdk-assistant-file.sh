#!/bin/sh
# Package:  @ai-sdk/openai 4.0.118, @ai-sdk/anthropic 4.0.105 and @ai-sdk/google 4.0.121 with ai 7.0.173 (npm)
# Guess:    an image that Gemini made, which generateText has in response.messages, is sent to another provider
#           when the conversation goes on there, or a warning or an error says that the provider cannot take it.
# Observed: the providers of OpenAI and Anthropic leave it out without a warning. A message that is only an image
#           is not sent. Google's sends it.
set -eu
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
npm install --silent --no-audit --no-fund ai@7.0.173 @ai-sdk/openai@4.0.118 @ai-sdk/anthropic@4.0.105 @ai-sdk/google@4.0.121
cat >file.mjs <<'JS'
import { createAnthropic } from "@ai-sdk/anthropic";
import { createGoogleGenerativeAI } from "@ai-sdk/google";
import { createOpenAI } from "@ai-sdk/openai";
import { generateText } from "ai";
globalThis.AI_SDK_LOG_WARNINGS = false;
let sent;
const options = (answer) => ({ apiKey: "none", fetch: async (_, { body }) => ((sent = JSON.parse(body)), Response.json(answer)) });
const gemini = (...parts) => createGoogleGenerativeAI(options({ candidates: [{ content: { role: "model", parts }, finishReason: "STOP" }] }))("gemini-2.5-flash-image");
const usage = { input_tokens: 1, output_tokens: 1 };
const models = {
  openai: createOpenAI(options({ id: "1", created_at: 0, model: "gpt-5", output: [{ type: "message", id: "2", role: "assistant", content: [{ type: "output_text", text: "Blue.", annotations: [] }] }], usage }))("gpt-5"),
  anthropic: createAnthropic(options({ type: "message", id: "1", model: "claude-sonnet-4-5", role: "assistant", content: [{ type: "text", text: "Blue." }], stop_reason: "end_turn", usage }))("claude-sonnet-4-5"),
  google: gemini({ text: "Blue." }),
};
const text = { text: "Here it is." };
const image = { inlineData: { mimeType: "image/png", data: "iVBORw0KGgo=" } };
for (const [name, model] of Object.entries(models))
  for (const parts of [[text, image], [image]]) {
    const request = { role: "user", content: "Draw a lamp." };
    const { response } = await generateText({ model: gemini(...parts), messages: [request] });
    const { warnings } = await generateText({ model, messages: [request, ...response.messages, { role: "user", content: "Which colour has it?" }] });
    console.log(name, JSON.stringify((sent.input ?? sent.messages ?? sent.contents).slice(1, -1)), "warnings:", warnings?.length ?? 0);
  }
JS
node file.mjs >observed
cat observed
cat >expected <<'TEXT'
openai [{"role":"assistant","content":"Here it is."}] warnings: 0
openai [] warnings: 0
anthropic [{"role":"assistant","content":[{"type":"text","text":"Here it is."}]}] warnings: 0
anthropic [] warnings: 0
google [{"role":"model","parts":[{"text":"Here it is."},{"inlineData":{"mimeType":"image/png","data":"iVBORw0KGgo="}}]}] warnings: 0
google [{"role":"model","parts":[{"inlineData":{"mimeType":"image/png","data":"iVBORw0KGgo="}}]}] warnings: 0

diff expected observed
