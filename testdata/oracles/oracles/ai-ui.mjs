// Vercel AI SDK: UIMessage[], or {messages, ...options of convertToModelMessages}.
import { convertToModelMessages, validateUIMessages } from "ai";
import { generate, schema } from "./ai-model.mjs";

export default () => (document) => {
  const { messages, ...options } = Array.isArray(document) ? { messages: document } : document;
  let converted;
  return {
    checks: {
      validate: async () => void (await validateUIMessages({ messages })),
      convert: async () => {
        converted = await convertToModelMessages(messages, options);
        schema.parse(converted);
        return { messages: converted };
      },
      generate: async () => void (converted && (await generate(converted))),
    },
  };
};
