#!/bin/sh
# Package:  @ai-sdk/deepseek 3.0.56, @ai-sdk/groq 4.0.84 and @ai-sdk/mistral 4.0.87 with ai 7.0.173 (npm)
# Guess:    two text parts of a message are sent as two parts, or as one text with a line between them: they are
#           separate, such as a question and a quoted document, or a list and a note.
# Observed: DeepSeek's provider joins the parts with nothing between them, so that "order 1" and "7 lamps" become
#           "order 17 lamps", without a warning. Groq's does so with an assistant's parts, even with a reasoning
#           between them. Mistral's sends the parts.
set -eu
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
npm install --silent --no-audit --no-fund ai@7.0.173 @ai-sdk/deepseek@3.0.56 @ai-sdk/groq@4.0.84 @ai-sdk/mistral@4.0.87
cat >texts.mjs <<'JS'
import { createDeepSeek } from "@ai-sdk/deepseek";
import { createGroq } from "@ai-sdk/groq";
import { createMistral } from "@ai-sdk/mistral";
import { generateText } from "ai";
globalThis.AI_SDK_LOG_WARNINGS = false;
let sent;
const fetch = async (_, { body }) => {
  sent = JSON.parse(body).messages;
  return Response.json({ id: "1", created: 1, model: "m", object: "chat.completion", choices: [{ index: 0, message: { role: "assistant", content: "Done." }, finish_reason: "stop" }], usage: { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 } });
};
const models = {
  deepseek: createDeepSeek({ apiKey: "none", fetch })("deepseek-chat"),
  groq: createGroq({ apiKey: "none", fetch })("qwen/qwen3-32b"),
  mistral: createMistral({ apiKey: "none", fetch })("mistral-large-latest"),
};
const parts = [{ type: "text", text: "order 1" }, { type: "text", text: "7 lamps" }];
const messages = [
  { role: "user", content: parts },
  { role: "assistant", content: [parts[0], { type: "reasoning", text: "There are lamps, too." }, parts[1]] },
  { role: "user", content: "Go on." },
];
for (const [name, model] of Object.entries(models)) {
  const { warnings } = await generateText({ model, messages });
  for (const { role, content } of sent.slice(0, 2)) console.log(name, role, JSON.stringify(content), "warnings:", warnings.length);
}
JS
node texts.mjs >observed
cat observed
cat >expected <<'TEXT'
deepseek user "order 17 lamps" warnings: 0
deepseek assistant "order 17 lamps" warnings: 0
groq user [{"type":"text","text":"order 1"},{"type":"text","text":"7 lamps"}] warnings: 0
groq assistant "order 17 lamps" warnings: 0
mistral user [{"type":"text","text":"order 1"},{"type":"text","text":"7 lamps"}] warnings: 0
mistral assistant [{"type":"text","text":"order 1"},{"type":"thinking","thinking":[{"type":"text","text":"There are lamps, too."}],"closed":true},{"type":"text","text":"7 lamps"}] warnings: 0
TEXT
diff expected observed
