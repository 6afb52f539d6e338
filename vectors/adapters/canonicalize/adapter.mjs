// The canonical form by JSON.parse and the package canonicalize.
import { readFileSync } from "node:fs";
import { createInterface } from "node:readline";
import canonicalize from "canonicalize";

const { version } = JSON.parse(readFileSync(new URL("node_modules/canonicalize/package.json", import.meta.url)));
const implementation = `JSON.parse and canonicalize ${version}`;

function answer({ operation, input }) {
  if (operation !== "canonicalize") return { verdict: "not_applicable" };
  let value;
  try {
    value = JSON.parse(input.text);
  } catch (error) {
    return { verdict: "invalid", step: "syntax", comment: error.message };
  }
  try {
    return { verdict: "valid", output: canonicalize(value) };
  } catch (error) {
    return { verdict: "invalid", comment: error.message };
  }
}

for await (const line of createInterface({ input: process.stdin })) {
  const request = JSON.parse(line);
  console.log(JSON.stringify({ id: request.id, ...answer(request), implementation }));
}
