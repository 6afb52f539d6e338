// LangChain: messages, each serialized in one of three ways, or {messages}.
import { ChatAnthropic } from "@langchain/anthropic";
import { load } from "@langchain/core/load";
import {
  coerceMessageLikeToMessage,
  mapChatMessagesToStoredMessages,
  mapStoredMessagesToChatMessages,
} from "@langchain/core/messages";
import { createReactAgent } from "@langchain/langgraph/prebuilt";
import { ChatOpenAI } from "@langchain/openai";
import { Scripted } from "../langchain.mjs";
import { body, takes } from "../wire.mjs";

const requests = [];
const fetch = takes(requests);
const openai = { apiKey: "none", model: "gpt-4o", maxRetries: 0, configuration: { fetch } };
const chat = new ChatOpenAI(openai);
const responses = new ChatOpenAI({ ...openai, useResponsesApi: true });
const anthropic = new ChatAnthropic({
  apiKey: "none",
  model: "claude-sonnet-4-5",
  maxRetries: 0,
  clientOptions: { fetch, maxRetries: 0 },
});

export default () => async (document) => {
  const messages = await read(Array.isArray(document) ? document : document.messages);
  return {
    messages: mapChatMessagesToStoredMessages(messages),
    checks: {
      agent: async () => {
        const model = new Scripted([{ content: "ok" }]);
        await createReactAgent({ llm: model, tools: [] }).invoke({ messages });
      },
      openai: async () => ({ openai: await send(chat, messages) }),
      responses: async () => ({ responses: await send(responses, messages) }),
      anthropic: async () => ({ anthropic: await send(anthropic, messages) }),
    },
  };
};

// read reads messages in the way that each is serialized.
export async function read(messages) {
  const all = [];
  for (const message of messages) {
    if (message?.lc === 1) all.push(await load(JSON.stringify(message)));
    else if (message?.type && message.data) all.push(...mapStoredMessagesToChatMessages([message]));
    else all.push(coerceMessageLikeToMessage(message));
  }
  return all;
}

function send(model, messages) {
  requests.length = 0;
  return body(requests, () => model.invoke(messages));
}
