#!/bin/sh
# Package:  @ai-sdk/groq 4.0.84, @ai-sdk/openai 4.0.118 (chat) and @ai-sdk/xai 5.0.12 with ai 7.0.173 (npm)
# Guess:    a tool result with the output "content", as a tool of MCP makes it, is sent to every provider with its
#           text as the text. An image in it is sent as an image, or a warning says that it is not.
# Observed: to Groq, and to OpenAI's chat completions, the JSON of the AI SDK's own parts is sent as the text, with
#           the image in base64 in it, without a warning. xAI gets the text and the image. All get the text of the
#           output "text".
set -eu
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
npm install --silent --no-audit --no-fund ai@7.0.173 @ai-sdk/groq@4.0.84 @ai-sdk/openai@4.0.118 @ai-sdk/xai@5.0.12
cat >result.mjs <<'JS'
import { createGroq } from "@ai-sdk/groq";
import { createOpenAI } from "@ai-sdk/openai";
import { createXai } from "@ai-sdk/xai";
import { generateText } from "ai";
globalThis.AI_SDK_LOG_WARNINGS = false;
let sent;
const options = (answer) => ({ apiKey: "none", fetch: async (_, { body }) => ((sent = JSON.parse(body)), Response.json(answer)) });
const chat = options({ id: "1", created: 0, model: "m", choices: [{ index: 0, message: { role: "assistant", content: "Done." }, finish_reason: "stop" }] });
const models = {
  groq: createGroq(chat)("llama-3.3-70b-versatile"),
  openai: createOpenAI(chat).chat("gpt-4o"),
  xai: createXai(options({ id: "1", created_at: 0, model: "grok-4", object: "response", status: "completed", output: [{ type: "message", id: "2", role: "assistant", status: "completed", content: [{ type: "output_text", text: "Done.", annotations: [] }] }], usage: { input_tokens: 1, output_tokens: 1, total_tokens: 2 } }))("grok-4"),
};
const text = { type: "text", text: 'the lamp is "on"' };
const image = { type: "file", mediaType: "image/png", data: { type: "data", data: "iVBORw0KGgo=" } };
for (const [name, model] of Object.entries(models))
  for (const output of [{ type: "text", value: text.text }, { type: "content", value: [text] }, { type: "content", value: [text, image] }]) {
    const call = { type: "tool-call", toolCallId: "call_1", toolName: "camera", input: {} };
    const result = { type: "tool-result", toolCallId: "call_1", toolName: "camera", output };
    const { warnings } = await generateText({ model, messages: [{ role: "user", content: "Is it on?" }, { role: "assistant", content: [call] }, { role: "tool", content: [result] }] });
    const last = (sent.messages ?? sent.input).at(-1);
    console.log(name, JSON.stringify(last.content ?? last.output), "warnings:", warnings?.length ?? 0);
  }
JS
node result.mjs >observed
cat observed
cat >expected <<'TEXT'
groq "the lamp is \"on\"" warnings: 0
groq "[{\"type\":\"text\",\"text\":\"the lamp is \\\"on\\\"\"}]" warnings: 0
groq "[{\"type\":\"text\",\"text\":\"the lamp is \\\"on\\\"\"},{\"type\":\"file\",\"mediaType\":\"image/png\",\"data\":{\"type\":\"data\",\"data\":\"iVBORw0KGgo=\"}}]" warnings: 0
openai "the lamp is \"on\"" warnings: 0
openai "[{\"type\":\"text\",\"text\":\"the lamp is \\\"on\\\"\"}]" warnings: 0
openai "[{\"type\":\"text\",\"text\":\"the lamp is \\\"on\\\"\"},{\"type\":\"file\",\"mediaType\":\"image/png\",\"data\":{\"type\":\"data\",\"data\":\"iVBORw0KGgo=\"}}]" warnings: 0
xai "the lamp is \"on\"" warnings: 0
xai [{"type":"input_text","text":"the lamp is \"on\""}] warnings: 0
xai [{"type":"input_text","text":"the lamp is \"on\""},{"type":"input_image","image_url":"data:image/png;base64,iVBORw0KGgo="}] warnings: 0
TEXT
diff expected observed
