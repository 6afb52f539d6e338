#!/bin/sh
# Package:  @langchain/aws 1.4.5, @langchain/mistralai 1.2.0, @langchain/google-genai 2.3.2, @langchain/anthropic 1.5.11
#           and @langchain/openai 1.5.13 with @langchain/core 1.4.0 (npm)
# Guess:    every chat model takes the answer of another one in its history, because all have the same AIMessage with
#           its tool_calls. What a model has no place for, it leaves out, such as the reasoning.
# Observed: ChatBedrockConverse throws for an answer of the same Claude model that ChatAnthropic made, because of its
#           own "tool_use". ChatMistralAI does so too, and for an answer of OpenAI's Responses API with a reasoning.
#           That is a standard block of LangChain, which ChatGoogleGenerativeAI refuses too.
set -eu
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
npm install --silent --no-audit --no-fund --legacy-peer-deps @langchain/aws@1.4.5 @langchain/mistralai@1.2.0 @langchain/google-genai@2.3.2 @langchain/anthropic@1.5.11 @langchain/openai@1.5.13 @langchain/core@1.4.0
cat >refused.mjs <<'JS'
import { ChatAnthropic } from "@langchain/anthropic";
import { ChatBedrockConverse } from "@langchain/aws";
import { HumanMessage, ToolMessage } from "@langchain/core/messages";
import { ChatGoogleGenerativeAI } from "@langchain/google-genai";
import { ChatMistralAI } from "@langchain/mistralai";
import { ChatOpenAI } from "@langchain/openai";
const usage = { input_tokens: 1, output_tokens: 1, total_tokens: 2 };
const claude = { type: "message", id: "1", model: "claude-sonnet-4-5", role: "assistant", content: [{ type: "text", text: "I look." }, { type: "tool_use", id: "call_1", name: "plan", input: {} }], stop_reason: "tool_use", usage };
const gpt = {
  id: "resp_1", object: "response", created_at: 0, model: "gpt-5", status: "completed", usage,
  output: [{ type: "reasoning", id: "rs_1", summary: [{ type: "summary_text", text: "I need the plan." }] }, { type: "function_call", id: "fc_1", call_id: "call_1", name: "plan", arguments: "{}", status: "completed" }],
};
const chat = { id: "1", object: "chat.completion", created: 0, model: "mistral-large-latest", choices: [{ index: 0, message: { role: "assistant", content: "Done." }, finish_reason: "stop" }], usage: { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 } };
const gemini = { candidates: [{ content: { role: "model", parts: [{ text: "Done." }] }, finishReason: "STOP" }] };
globalThis.fetch = async (request) => {
  const url = request.url ?? `${request}`;
  return Response.json(url.includes("anthropic") ? claude : url.includes("responses") ? gpt : url.includes("google") ? gemini : chat);
};
const client = { send: async () => ({ output: { message: { role: "assistant", content: [{ text: "Done." }] } }, stopReason: "end_turn", usage: {} }) };
const anthropic = new ChatAnthropic({ apiKey: "none", model: "claude-sonnet-4-5" });
const openai = new ChatOpenAI({ apiKey: "none", model: "gpt-5", useResponsesApi: true });
const models = [
  anthropic,
  openai,
  new ChatBedrockConverse({ region: "us-east-1", model: "anthropic.claude-sonnet-4-5-20250929-v1:0", credentials: { accessKeyId: "none", secretAccessKey: "none" }, client }),
  new ChatGoogleGenerativeAI({ apiKey: "none", model: "gemini-2.5-flash" }),
  new ChatMistralAI({ apiKey: "none", model: "mistral-large-latest" }),
];
const question = new HumanMessage("What is next?");
for (const source of [anthropic, openai]) {
  const answer = await source.invoke([question]);
  console.log(source.constructor.name, JSON.stringify(answer.content), JSON.stringify(answer.tool_calls.map(({ name }) => name)));
  const result = new ToolMessage({ content: "rest", tool_call_id: "call_1", name: "plan" });
  for (const model of models)
    console.log("  ", model.constructor.name, await model.invoke([question, answer, result]).then(() => "takes it", ({ message }) => message.split("\n")[0]));
}
JS
node refused.mjs >observed
cat observed
cat >expected <<'TEXT'
ChatAnthropic [{"type":"text","text":"I look."},{"type":"tool_use","id":"call_1","name":"plan","input":{}}] ["plan"]
   ChatAnthropic takes it
   ChatOpenAI takes it
   ChatBedrockConverse Unsupported content block type: tool_use with content of {
   ChatGoogleGenerativeAI takes it
   ChatMistralAI Mistral only supports types "text" or "image_url" for complex message types.
ChatOpenAI [{"type":"reasoning","reasoning":"I need the plan."}] ["plan"]
   ChatAnthropic takes it
   ChatOpenAI takes it
   ChatBedrockConverse takes it
   ChatGoogleGenerativeAI Unknown content type reasoning
   ChatMistralAI Mistral only supports types "text" or "image_url" for complex message types.
TEXT
diff expected observed
