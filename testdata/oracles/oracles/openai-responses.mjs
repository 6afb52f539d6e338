// openai: the input of a request for a response, or the whole request.
import OpenAI from "openai";
import { typed } from "../types.mjs";
import { body, takes } from "../wire.mjs";

const requests = [];
const client = new OpenAI({ apiKey: "none", maxRetries: 0, fetch: takes(requests) });
const params = (document) => (Array.isArray(document) ? { input: document } : document);
const types = typed(
  `import type { ResponseCreateParamsNonStreaming as Params } from "openai/resources/responses/responses";`,
  `Params`,
  params,
);

export default () => Object.assign(check, { all: types.all });

function check(document) {
  return {
    checks: {
      types: () => types(document),
      send: async () => {
        requests.length = 0;
        await body(requests, () => client.responses.create({ model: "gpt-5", ...params(document) }));
      },
    },
  };
}
