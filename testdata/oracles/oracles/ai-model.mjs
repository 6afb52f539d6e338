// Vercel AI SDK: ModelMessage[], or {messages, ...options of generateText}.
import { generateText, modelMessageSchema } from "ai";
import { MockLanguageModelV4 } from "ai/test";
import { z } from "zod";

globalThis.AI_SDK_LOG_WARNINGS = false;

export const schema = z.array(modelMessageSchema);

export default () => (document) => {
  const { messages, ...options } = Array.isArray(document) ? { messages: document } : document;
  return {
    checks: {
      schema: () => void schema.parse(messages),
      generate: async () => ({ messages: await generate(messages, options) }),
    },
  };
};

// generate returns the prompt that a model gets.
export async function generate(messages, options) {
  const model = new MockLanguageModelV4({
    supportedUrls: { "*/*": [/.*/] }, // otherwise files are downloaded
    doGenerate: {
      content: [{ type: "text", text: "ok" }],
      finishReason: { unified: "stop", raw: "stop" },
      usage: { inputTokens: {}, outputTokens: {} },
      warnings: [],
    },
  });
  await generateText({ model, messages, allowSystemInMessages: true, maxRetries: 0, ...options });
  return model.doGenerateCalls[0].prompt;
}
