// The types of @anthropic-ai/sdk as a check: a history is compiled as a literal of the type of messages. Types know
// nothing about pairs and orders, so that many histories that the API rejects are valid here.
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import ts from "typescript";
import { refused, serve, version } from "../serve.mjs";

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

serve(`types of @anthropic-ai/sdk ${version(import.meta.url, "@anthropic-ai/sdk")}`, {
  "check-history": ({ provider, format, history: text }) => {
    if (provider !== "anthropic" || format) return;
    const history = JSON.parse(text);
    const complaint = compile(Array.isArray(history) ? history : history.messages);
    return complaint ? refused(complaint) : { verdict: "valid" };
  },
});
