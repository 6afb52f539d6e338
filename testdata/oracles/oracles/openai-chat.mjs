// openai: the messages of a request for a chat completion, or the whole request.
import OpenAI from "openai";
import { typed } from "../types.mjs";
import { body, takes } from "../wire.mjs";

const requests = [];
const client = new OpenAI({ apiKey: "none", maxRetries: 0, fetch: takes(requests) });
const params = (document) => (Array.isArray(document) ? { messages: document } : document);
const types = typed(
  `import type { ChatCompletionCreateParamsNonStreaming as Params } from "openai/resources/chat/completions";`,
  `Partial<Params> & Pick<Params, "messages">`,
  params,
);

export default () => Object.assign(check, { all: types.all });

function check(document) {
  return {
    checks: {
      types: () => types(document),
      send: async () => {
        requests.length = 0;
        await body(requests, () => client.chat.completions.create({ model: "gpt-4o", ...params(document) }));
      },
    },
  };
}
