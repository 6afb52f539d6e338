// Ajv with the JSON Schemas of handoff: what a schema alone can find. It knows no order of calls and results, no
// time and no receiver's requirements.
import { readdirSync, readFileSync } from "node:fs";
import addFormats from "ajv-formats";
import Ajv2020 from "ajv/dist/2020.js";
import { refused, serve, version } from "../serve.mjs";

const folder = new URL("../../../schemas/", import.meta.url);
const ajv = new Ajv2020({ strict: false, allErrors: false, logger: false });
addFormats(ajv);
for (const name of readdirSync(folder)) {
  if (name.endsWith(".schema.json")) ajv.addSchema(JSON.parse(readFileSync(new URL(name, folder))), name);
}
const schemas = {
  "openai-chat": "openai-chat-1.schema.json",
  "openai-responses": "openai-responses-1.schema.json",
  anthropic: "anthropic-messages-1.schema.json",
  gemini: "gemini-contents-1.schema.json",
  "bedrock-converse": "bedrock-converse-1.schema.json",
};

// validate applies a schema to a text.
function validate(schema, text, step) {
  let value;
  try {
    value = JSON.parse(text);
  } catch (error) {
    return refused(error, step ?? "syntax");
  }
  const check = ajv.getSchema(schema);
  return check(value) ? { verdict: "valid" } : refused(ajv.errorsText(check.errors), step);
}

serve(`ajv ${version(import.meta.url, "ajv")}`, {
  "check-history": ({ provider, format, history }) => (format ? undefined : validate(schemas[provider], history)),
  receive: ({ message }) => validate("handoff-message-2.1.schema.json", message, "SCHEMA_INVALID"),
});
