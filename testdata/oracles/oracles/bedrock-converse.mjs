// @aws-sdk/client-bedrock-runtime: the messages of a Converse request, or the whole request.
import { BedrockRuntimeClient, ConverseCommand, ConverseRequest$ } from "@aws-sdk/client-bedrock-runtime";
import { NormalizedSchema } from "@smithy/core/schema";
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
const params = (document) => withBytes(Array.isArray(document) ? { messages: document } : document, NormalizedSchema.of(ConverseRequest$));
const types = typed(
  `import type { ConverseRequest as Params } from "@aws-sdk/client-bedrock-runtime";`,
  `Partial<Params> & { messages: NonNullable<Params["messages"]> }`,
  params,
);

// withBytes is a value of JSON as the client takes it: where the client's own schema has bytes, JSON has their
// base64. What the client's decoder does not read stays as it is.
function withBytes(value, schema) {
  if (schema.isBlobSchema() && typeof value === "string") {
    try {
      return client.config.base64Decoder(value);
    } catch {
      return value;
    }
  }
  if (schema.isListSchema() && Array.isArray(value)) return value.map((element) => withBytes(element, schema.getValueSchema()));
  if (!schema.isStructSchema() || value === null || typeof value !== "object" || Array.isArray(value)) return value;
  const members = new Map(schema.structIterator());
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, members.has(name) ? withBytes(member, members.get(name)) : member]));
}

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
