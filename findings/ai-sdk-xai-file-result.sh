#!/bin/sh
# Package:  @ai-sdk/xai 5.0.12 with ai 7.0.173 (npm)
# Guess:    a file in a tool's result that xAI cannot take, such as a PDF, is an error or a warning, as it is in the
#           message of a user.
# Observed: it is left out without a warning, and a result that is only a file is sent as an empty list. In the
#           message of a user it is an error. An image in a result is sent.
set -eu
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
npm install --silent --no-audit --no-fund ai@7.0.173 @ai-sdk/xai@5.0.12
cat >file.mjs <<'JS'
import { createXai } from "@ai-sdk/xai";
import { generateText } from "ai";
globalThis.AI_SDK_LOG_WARNINGS = false;
let sent;
const answer = { id: "1", created_at: 0, model: "grok-4", object: "response", status: "completed", output: [{ type: "message", id: "2", role: "assistant", status: "completed", content: [{ type: "output_text", text: "Done.", annotations: [] }] }], usage: { input_tokens: 1, output_tokens: 1, total_tokens: 2 } };
const model = createXai({ apiKey: "none", fetch: async (_, { body }) => ((sent = JSON.parse(body)), Response.json(answer)) })("grok-4");
const text = { type: "text", text: "the invoice" };
const file = (mediaType, data) => ({ type: "file", mediaType, data: { type: "data", data } });
const image = file("image/png", "iVBORw0KGgo=");
const pdf = file("application/pdf", "JVBERi0=");
const question = { role: "user", content: "Read the invoice." };
const show = async (name, messages) => {
  try {
    const { warnings } = await generateText({ model, messages });
    const last = sent.input.at(-1);
    console.log(name, JSON.stringify(last.output ?? last.content), "warnings:", warnings?.length ?? 0);
  } catch (error) {
    console.log(name, error.name);
  }
};
for (const value of [[image], [text, pdf], [pdf]]) {
  const call = { type: "tool-call", toolCallId: "call_1", toolName: "invoice", input: {} };
  const result = { type: "tool-result", toolCallId: "call_1", toolName: "invoice", output: { type: "content", value } };
  await show("result", [question, { role: "assistant", content: [call] }, { role: "tool", content: [result] }]);
}
await show("user", [{ role: "user", content: [text, pdf] }]);
JS
node file.mjs >observed
cat observed
cat >expected <<'TEXT'
result [{"type":"input_image","image_url":"data:image/png;base64,iVBORw0KGgo="}] warnings: 0
result [{"type":"input_text","text":"the invoice"}] warnings: 0
result [] warnings: 0
user AI_UnsupportedFunctionalityError
TEXT
diff expected observed
