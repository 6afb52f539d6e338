// The types of @anthropic-ai/sdk as a check: a history is compiled as a literal of the type of messages. Types know
// nothing about pairs and orders, so that many histories that the API rejects are valid here.
import { readFileSync } from "node:fs";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import ts from "typescript";

const { version } = JSON.parse(readFileSync(new URL("node_modules/@anthropic-ai/sdk/package.json", import.meta.url)));
const implementation = `types of @anthropic-ai/sdk ${version}`;

const file = fileURLToPath(new URL("history.ts", import.meta.url));
const options = {
  lib: ["lib.es2022.d.ts"],
  module: ts.ModuleKind.NodeNext,
  moduleResolution: ts.ModuleResolutionKind.NodeNext,
  noEmit: true,
  skipLibCheck: true,
  strict: true,
  target: ts.ScriptTarget.ES2022,
  types: [],
};
let source = "";
let edits = 0;
const service = ts.createLanguageService({
  ...ts.createCompilerHost(options),
  getCompilationSettings: () => options,
  getScriptFileNames: () => [file],
  getScriptVersion: (name) => (name === file ? String(edits) : "1"),
  getScriptSnapshot: (name) => {
    if (name === file) return ts.ScriptSnapshot.fromString(source);
    return ts.sys.fileExists(name) ? ts.ScriptSnapshot.fromString(readFileSync(name, "utf8")) : undefined;
  },
  getDefaultLibFileName: ts.getDefaultLibFilePath,
  fileExists: (name) => name === file || ts.sys.fileExists(name),
});

// compile returns the first complaint about the messages, undefined if there is none.
function compile(messages) {
  source = `import type { MessageParam } from "@anthropic-ai/sdk/resources/messages";
export const messages: MessageParam[] = ${JSON.stringify(messages)};
`;
  edits++;
  let text = service.getSemanticDiagnostics(file)[0]?.messageText;
  while (text?.next) text = text.next.at(-1);
  return text?.messageText ?? text;
}

function answer({ operation, input }) {
  if (operation !== "check-history" || input.provider !== "anthropic" || input.format) return { verdict: "not_applicable" };
  const history = JSON.parse(input.history);
  const complaint = compile(Array.isArray(history) ? history : history.messages);
  return complaint ? { verdict: "invalid", comment: complaint } : { verdict: "valid" };
}

for await (const line of createInterface({ input: process.stdin })) {
  const request = JSON.parse(line);
  console.log(JSON.stringify({ id: request.id, ...answer(request), implementation }));
}
