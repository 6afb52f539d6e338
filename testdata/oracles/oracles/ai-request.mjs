// Vercel AI SDK: what a provider of it sends for ModelMessage[]. The option is the provider:
// anthropic, bedrock, google, openai (the Responses API) or openai-chat.
import { generateText } from "ai";
import { body, takes } from "../wire.mjs";

globalThis.AI_SDK_LOG_WARNINGS = false;

const providers = {
  anthropic: async (settings) => (await import("@ai-sdk/anthropic")).createAnthropic(settings)("claude-sonnet-4-5"),
  bedrock: async (settings) =>
    (await import("@ai-sdk/amazon-bedrock")).createAmazonBedrock({ ...settings, region: "us-east-1" })(
      "anthropic.claude-3-5-sonnet-20240620-v1:0",
    ),
  google: async (settings) => (await import("@ai-sdk/google")).createGoogle(settings)("gemini-2.5-flash"),
  openai: async (settings) => (await import("@ai-sdk/openai")).createOpenAI(settings).responses("gpt-5"),
  "openai-chat": async (settings) => (await import("@ai-sdk/openai")).createOpenAI(settings).chat("gpt-4o"),
};

export default async ([provider]) => {
  const requests = [];
  const model = await providers[provider]({ apiKey: "none", fetch: takes(requests) });
  return (document) => {
    const { messages, ...options } = Array.isArray(document) ? { messages: document } : document;
    return {
      checks: {
        request: async () => {
          requests.length = 0;
          await body(requests, () =>
            generateText({ model, messages, allowSystemInMessages: true, maxRetries: 0, ...options }),
          );
          return { request: requests[0] };
        },
      },
    };
  };
};
