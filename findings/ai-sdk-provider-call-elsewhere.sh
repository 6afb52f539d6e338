#!/bin/sh
# Package:  @ai-sdk/anthropic 4.0.105, @ai-sdk/google 4.0.121, @ai-sdk/groq 4.0.84, @ai-sdk/openai 4.0.118 and
#           @ai-sdk/xai 5.0.12 with ai 7.0.173 (npm)
# Guess:    a search that Anthropic's API ran, which generateText has in response.messages as a call with its result,
#           is sent to another provider as a call with its result, or as neither of them.
# Observed: Google, Groq and OpenAI's chat completions get a call of a function without its result, which no function
#           made. OpenAI's Responses API gets a reference to an item that it does not have. There is no warning. xAI
#           gets neither.
set -eu
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
npm install --silent --no-audit --no-fund ai@7.0.173 @ai-sdk/anthropic@4.0.105 @ai-sdk/google@4.0.121 @ai-sdk/groq@4.0.84 @ai-sdk/openai@4.0.118 @ai-sdk/xai@5.0.12
cat >search.mjs <<'JS'
import { createAnthropic } from "@ai-sdk/anthropic";
import { createGoogleGenerativeAI } from "@ai-sdk/google";
import { createGroq } from "@ai-sdk/groq";
import { createOpenAI } from "@ai-sdk/openai";
import { createXai } from "@ai-sdk/xai";
import { generateText } from "ai";
globalThis.AI_SDK_LOG_WARNINGS = false;
let sent;
const options = (answer) => ({ apiKey: "none", fetch: async (_, { body }) => ((sent = JSON.parse(body)), Response.json(answer)) });
const usage = { input_tokens: 1, output_tokens: 1, total_tokens: 2 };
const chat = options({ id: "1", created: 0, model: "m", choices: [{ index: 0, message: { role: "assistant", content: "Done." }, finish_reason: "stop" }] });
const responses = options({ id: "1", created_at: 0, model: "m", object: "response", status: "completed", output: [{ type: "message", id: "2", role: "assistant", status: "completed", content: [{ type: "output_text", text: "Done.", annotations: [] }] }], usage });
const anthropic = createAnthropic(options({
  type: "message", id: "1", model: "claude-sonnet-4-5", role: "assistant", stop_reason: "end_turn", usage,
  content: [
    { type: "server_tool_use", id: "srvtoolu_1", name: "web_search", input: { query: "height of the tower" } },
    { type: "web_search_tool_result", tool_use_id: "srvtoolu_1", content: [{ type: "web_search_result", url: "https://example.com/tower", title: "The tower", encrypted_content: "c2VjcmV0", page_age: null }] },
    { type: "text", text: "It is 90 m high." },
  ],
}));
const models = {
  google: createGoogleGenerativeAI(options({ candidates: [{ content: { role: "model", parts: [{ text: "Done." }] }, finishReason: "STOP" }] }))("gemini-2.5-flash"),
  groq: createGroq(chat)("llama-3.3-70b-versatile"),
  "openai.chat": createOpenAI(chat).chat("gpt-4o"),
  openai: createOpenAI(responses)("gpt-5"),
  xai: createXai(responses)("grok-4"),
};
const question = { role: "user", content: "How high is the tower?" };
const { response } = await generateText({ model: anthropic("claude-sonnet-4-5"), tools: { web_search: anthropic.tools.webSearch_20250305() }, messages: [question] });
console.log("response.messages:", response.messages.map(({ content }) => content.map((part) => part.type).join()).join("; "));
for (const [name, model] of Object.entries(models)) {
  const { warnings } = await generateText({ model, messages: [question, ...response.messages, { role: "user", content: "In feet?" }] });
  console.log(name, JSON.stringify((sent.input ?? sent.messages ?? sent.contents).slice(1, -1)), "warnings:", warnings?.length ?? 0);
}
JS
node search.mjs >observed
cat observed
cat >expected <<'TEXT'
response.messages: tool-call,tool-result,text
google [{"role":"model","parts":[{"functionCall":{"id":"srvtoolu_1","name":"web_search","args":{"query":"height of the tower"}}},{"text":"It is 90 m high."}]}] warnings: 0
groq [{"role":"assistant","content":"It is 90 m high.","tool_calls":[{"id":"srvtoolu_1","type":"function","function":{"name":"web_search","arguments":"{\"query\":\"height of the tower\"}"}}]}] warnings: 0
openai.chat [{"role":"assistant","content":"It is 90 m high.","tool_calls":[{"id":"srvtoolu_1","type":"function","function":{"name":"web_search","arguments":"{\"query\":\"height of the tower\"}"}}]}] warnings: 0
openai [{"type":"item_reference","id":"srvtoolu_1"},{"role":"assistant","content":"It is 90 m high."}] warnings: 0
xai [{"role":"assistant","content":"It is 90 m high."}] warnings: 0
TEXT
diff expected observed
