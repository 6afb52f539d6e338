// The AI SDK: the requests that it makes from ModelMessages and UIMessages, and whether it makes one.
import { createAmazonBedrock } from "@ai-sdk/amazon-bedrock";
import { createAnthropic } from "@ai-sdk/anthropic";
import { createGoogle } from "@ai-sdk/google";
import { createOpenAI } from "@ai-sdk/openai";
import { convertToModelMessages, generateText, jsonSchema } from "ai";
import { attempt, recorder, serve, version } from "../serve.mjs";

globalThis.AI_SDK_LOG_WARNINGS = false;
const { fetch, sent } = recorder();
const settings = { apiKey: "none", fetch };
const openai = createOpenAI(settings);
const models = {
  anthropic: createAnthropic(settings)("claude-sonnet-4-5"),
  "bedrock-converse": createAmazonBedrock({ ...settings, region: "us-east-1" })("anthropic.claude-3-5-sonnet-20240620-v1:0"),
  gemini: createGoogle(settings)("gemini-2.5-flash"),
  "openai-chat": openai.chat("gpt-4o"),
  "openai-responses": openai.responses("gpt-5"),
};

// request returns the body of the request for a history.
async function request(history, target) {
  const document = JSON.parse(history);
  const given = Array.isArray(document) ? document : document.messages;
  const messages = given.some((message) => message.parts) ? await convertToModelMessages(given) : given;
  const names = messages.flatMap(({ content }) => (Array.isArray(content) ? content : [])).flatMap((part) => part.toolName ?? []);
  const tools = Object.fromEntries(names.map((name) => [name, { inputSchema: jsonSchema({ type: "object" }) }]));
  return sent(() => generateText({ model: models[target], messages, tools, allowSystemInMessages: true, maxRetries: 0 }));
}

serve(`ai ${version(import.meta.url, "ai")}`, {
  "check-history": async ({ provider, format, history }) => {
    if (format !== "ai-sdk") return;
    const { verdict, comment } = await attempt(() => request(history, provider));
    return { verdict, comment };
  },
  "convert-history": ({ format, history, to }) =>
    format === "ai-sdk" && to.length === 1 && models[to[0]] ? attempt(() => request(history, to[0])) : undefined,
});
