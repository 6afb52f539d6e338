// LangChain: the requests that its models make from messages, and whether they make one.
import { ChatAnthropic } from "@langchain/anthropic";
import { load } from "@langchain/core/load";
import { coerceMessageLikeToMessage, mapStoredMessagesToChatMessages } from "@langchain/core/messages";
import { ChatOpenAI } from "@langchain/openai";
import { attempt, recorder, serve, version } from "../serve.mjs";

const { fetch, sent } = recorder();
const openai = { apiKey: "none", model: "gpt-4o", maxRetries: 0, configuration: { fetch } };
const models = {
  anthropic: new ChatAnthropic({ apiKey: "none", model: "claude-sonnet-4-5", maxRetries: 0, clientOptions: { fetch, maxRetries: 0 } }),
  "openai-chat": new ChatOpenAI(openai),
  "openai-responses": new ChatOpenAI({ ...openai, useResponsesApi: true }),
};

// read reads messages in the way in which each is serialized.
async function read(messages) {
  const all = [];
  for (const message of messages) {
    if (message?.lc === 1) all.push(await load(JSON.stringify(message)));
    else if (message?.type && message.data) all.push(...mapStoredMessagesToChatMessages([message]));
    else all.push(coerceMessageLikeToMessage(message));
  }
  return all;
}

async function request(history, target) {
  const document = JSON.parse(history);
  const messages = await read(Array.isArray(document) ? document : document.messages);
  return sent(() => models[target].invoke(messages));
}

serve(`@langchain/core ${version(import.meta.url, "@langchain/core")}`, {
  "check-history": async ({ provider, format, history }) => {
    if (format !== "langchain" || !models[provider]) return;
    const { verdict, comment } = await attempt(() => request(history, provider));
    return { verdict, comment };
  },
  "convert-history": ({ format, history, to }) =>
    format === "langchain" && to.length === 1 && models[to[0]] ? attempt(() => request(history, to[0])) : undefined,
});
