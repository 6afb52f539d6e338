// @aws-sdk/client-bedrock-runtime: the messages of a Converse request, or the whole request.
import { BedrockRuntimeClient, ConverseCommand } from "@aws-sdk/client-bedrock-runtime";
import { typed } from "../types.mjs";
import { body, Sent } from "../wire.mjs";

const requests = [];
const client = new BedrockRuntimeClient({
  credentials: { accessKeyId: "none", secretAccessKey: "none" },
  maxAttempts: 1,
  region: "us-east-1",
  requestHandler: {
    handle: async (request) => {
      requests.push(JSON.parse(Buffer.from(request.body).toString()));
      throw new Sent("the request was made");
    },
  },
});
const params = (document) => (Array.isArray(document) ? { messages: document } : document);
const types = typed(
  `import type { ConverseRequest as Params } from "@aws-sdk/client-bedrock-runtime";`,
  `Partial<Params> & { messages: NonNullable<Params["messages"]> }`,
  params,
);

export default () => Object.assign(check, { all: types.all });

function check(document) {
  return {
    checks: {
      types: () => types(document),
      send: async () => {
        requests.length = 0;
        await body(requests, () => client.send(new ConverseCommand({ modelId: "model", ...params(document) })));
        return { request: requests[0] };
      },
    },
  };
}
