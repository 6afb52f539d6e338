#!/bin/sh
# Package:  openai 7.59.0 (npm), the helper chat.completions.stream
# Guess:    the streamed pieces of reasoning_content, in which DeepSeek's API, vLLM and others send the reasoning,
#           are joined in the final message, as those of content and audio are, or are not in it.
# Observed: the final message has the last piece alone, as if it were the whole reasoning.
set -eu
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
npm install --silent --no-audit --no-fund openai@7.59.0
cat >stream.mjs <<'JS'
import OpenAI from "openai";
const deltas = [
  { role: "assistant", content: null, reasoning_content: "Order 17 was paid twice. " },
  { reasoning_content: "A refund needs no approval " },
  { reasoning_content: "below 50." },
  { content: "I refund ", audio: { id: "audio_1", transcript: "I refund " } },
  { content: "it.", audio: { transcript: "it." } },
];
const events = [...deltas, {}].map((delta, i) => ({ id: "1", object: "chat.completion.chunk", created: 1, model: "m", choices: [{ index: 0, delta, finish_reason: deltas[i] ? null : "stop" }] }));
const body = [...events.map((event) => JSON.stringify(event)), "[DONE]"].map((data) => `data: ${data}\n\n`).join("");
const client = new OpenAI({ apiKey: "none", fetch: async () => new Response(body, { headers: { "content-type": "text/event-stream" } }) });
const stream = client.chat.completions.stream({ model: "m", messages: [{ role: "user", content: "Refund order 17." }] });
const { content, audio, reasoning_content } = await stream.finalMessage();
console.log(JSON.stringify({ content, audio, reasoning_content }));
JS
node stream.mjs >observed
cat observed
cat >expected <<'TEXT'
{"content":"I refund it.","audio":{"id":"audio_1","transcript":"I refund it."},"reasoning_content":"below 50."}
TEXT
diff expected observed
