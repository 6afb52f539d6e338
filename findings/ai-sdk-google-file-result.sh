#!/bin/sh
# Package:  ai 7.0.173 with @ai-sdk/google 4.0.121 (npm), model gemini-2.5-flash
# Guess:    a tool result that has only a file is sent to Gemini as the functionResponse of its call, with the
#           file in it or beside it.
# Observed: there is no functionResponse: the file is sent beside a text that names no call, so that two calls
#           have one response. A text next to the file makes a functionResponse.
set -eu
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
npm install --silent --no-audit --no-fund ai@7.0.173 @ai-sdk/google@4.0.121
cat >file.mjs <<'JS'
import { generateText } from "ai";
import { createGoogleGenerativeAI } from "@ai-sdk/google";
let request;
const fetch = async (url, options) => {
  request = JSON.parse(options.body);
  return new Response("{}", { status: 400, headers: { "content-type": "application/json" } });
};
const model = createGoogleGenerativeAI({ apiKey: "key", fetch })("gemini-2.5-flash");
const file = { type: "file", mediaType: "image/png", data: { type: "data", data: "iVBORw0KGgo=" } };
for (const value of [[file], [{ type: "text", text: "the box" }, file]]) {
  const calls = ["photo", "price"].map((toolName) => ({ type: "tool-call", toolCallId: "call_" + toolName, toolName, input: {} }));
  const results = [{ type: "content", value }, { type: "text", value: "400" }].map((output, i) => ({ ...calls[i], type: "tool-result", input: undefined, output }));
  await generateText({ model, maxRetries: 0, messages: [{ role: "user", content: "Refund order 17." }, { role: "assistant", content: calls }, { role: "tool", content: results }] }).catch(() => {});
  console.log(request.contents.slice(1).map(({ role, parts }) => role + ": " + parts.map((part) => Object.keys(part)[0] + " " + (part.functionCall ?? part.functionResponse)?.name).join(", ")).join("; "));
}
JS
node file.mjs >observed
cat observed
cat >expected <<'TEXT'
model: functionCall photo, functionCall price; user: inlineData undefined, text undefined, functionResponse price
model: functionCall photo, functionCall price; user: functionResponse photo, inlineData undefined, text undefined, functionResponse price
TEXT
diff expected observed
