// Codex: the lines of a rollout, by the schema that codex generates. The document is the
// file's text, or the array of its lines.
import { readFileSync } from "node:fs";
import { gunzipSync } from "node:zlib";
import Ajv from "ajv";
import { text } from "../lines.mjs";

const schema = JSON.parse(gunzipSync(readFileSync(new URL("../codex-rollout.schema.json.gz", import.meta.url))));
const line = new Ajv({ strict: false, logger: false, validateSchema: false }).compile(schema);

export default () => (document) => ({
  checks: {
    schema: () =>
      text(document)
        .split("\n")
        .forEach((text, i) => {
          if (!text.trim() || line(JSON.parse(text))) return;
          const error = deepest(line.errors);
          throw new Error(`line ${i + 1}: ${error.instancePath || "/"} ${error.message}`);
        }),
  },
});

// deepest is the error farthest into the document: of the branches of a union, the one that
// got on best.
function deepest(errors) {
  const depth = (error) => error.instancePath.split("/").length;
  return errors.reduce((best, error) => (depth(error) > depth(best) ? error : best));
}
