// @anthropic-ai/sdk: the messages of a request, or the whole request.
import Anthropic from "@anthropic-ai/sdk";
import { typed } from "../types.mjs";
import { body, takes } from "../wire.mjs";

const requests = [];
const client = new Anthropic({ apiKey: "none", maxRetries: 0, fetch: takes(requests) });
const params = (document) => (Array.isArray(document) ? { messages: document } : document);
const types = typed(
  `import type { MessageCreateParamsNonStreaming as Params } from "@anthropic-ai/sdk/resources/messages";`,
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
        await body(requests, () =>
          client.messages.create({ model: "claude-sonnet-4-5", max_tokens: 1024, ...params(document) }),
        );
      },
    },
  };
}
