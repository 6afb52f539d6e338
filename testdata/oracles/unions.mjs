// Prints the types of parts and items in the unions of the SDKs: FORMAT, UNION and TYPE, separated by tabs.
// A type is the literal of the member "type" (or of the named discriminator); for unions without one, the
// name of the member that only this kind of part has.
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import ts from "typescript";

const folder = dirname(fileURLToPath(import.meta.url));

// FORMAT, a name for the union, the TypeScript type, the import, the discriminator ("" for member names).
const unions = [
  ["anthropic", "content", "A.Messages.ContentBlockParam", "type"],
  ["anthropic", "content-out", "A.Messages.ContentBlock", "type"],
  ["anthropic", "beta-content", "A.Beta.Messages.BetaContentBlockParam", "type"],
  ["anthropic", "beta-content-out", "A.Beta.Messages.BetaContentBlock", "type"],
  ["anthropic", "tool-result", 'Exclude<A.Beta.Messages.BetaToolResultBlockParam["content"], string | undefined>[number]', "type"],
  ["openai-chat", "content", "O.Chat.ChatCompletionContentPart", "type"],
  ["openai-chat", "assistant-content", 'Exclude<O.Chat.ChatCompletionAssistantMessageParam["content"], string | null | undefined>[number]', "type"],
  ["openai-chat", "tool_calls", "O.Chat.ChatCompletionMessageToolCall", "type"],
  ["openai-responses", "input", "O.Responses.ResponseInputItem", "type"],
  ["openai-responses", "output", "O.Responses.ResponseOutputItem", "type"],
  ["openai-responses", "content", "O.Responses.ResponseInputContent", "type"],
  ["openai-responses", "output-content", 'O.Responses.ResponseOutputMessage["content"][number]', "type"],
  ["openai-responses", "function-output", 'Exclude<O.Responses.ResponseInputItem.FunctionCallOutput["output"], string>[number]', "type"],
  ["openai-responses", "beta-input", "O.Beta.Responses.BetaResponseInputItem", "type"],
  ["openai-js", "items", "AG.AgentInputItem", "type"],
  ["openai-js", "user-content", 'Exclude<AG.UserMessageItem["content"], string>[number]', "type"],
  ["openai-js", "assistant-content", 'AG.AssistantMessageItem["content"][number]', "type"],
  ["ai-sdk", "user", 'Exclude<AI.UserModelMessage["content"], string>[number]', "type"],
  ["ai-sdk", "assistant", 'Exclude<AI.AssistantModelMessage["content"], string>[number]', "type"],
  ["ai-sdk", "tool", 'AI.ToolModelMessage["content"][number]', "type"],
  ["ai-sdk", "tool-output", 'Extract<AI.ToolResultPart["output"], { type: "content" }>["value"][number]', "type"],
  ["ai-sdk", "ui", "AI.UIMessage['parts'][number]", "type"],
  ["langchain", "standard", "LC.ContentBlock.Standard", "type"],
  ["langchain", "tools", "LC.ContentBlock.Tools.Standard", "type"],
  ["langchain", "multimodal", "LC.ContentBlock.Multimodal.Standard", "type"],
  ["gemini", "part", "G.Part", ""],
  ["bedrock-converse", "content", "B.ContentBlock", ""],
  ["bedrock-converse", "tool-result", "B.ToolResultContentBlock", ""],
];

const source = `
import type A from "@anthropic-ai/sdk";
import type O from "openai";
import type * as AG from "@openai/agents-core";
import type * as AI from "ai";
import type * as LC from "@langchain/core/messages";
import type * as G from "@google/genai";
import type * as B from "@aws-sdk/client-bedrock-runtime";
${unions.map(([, , type], i) => `export type U${i} = ${type};`).join("\n")}
`;

const file = join(folder, "unions.ts");
const options = { module: ts.ModuleKind.NodeNext, moduleResolution: ts.ModuleResolutionKind.NodeNext, target: ts.ScriptTarget.ES2022, strict: true, skipLibCheck: true, noEmit: true, types: [] };
const host = ts.createCompilerHost(options);
const read = host.getSourceFile;
host.getSourceFile = (name, ...rest) => (name === file ? ts.createSourceFile(name, source, ts.ScriptTarget.ES2022) : read.call(host, name, ...rest));
const exists = host.fileExists;
host.fileExists = (name) => name === file || exists.call(host, name);
const program = ts.createProgram([file], options, host);
const checker = program.getTypeChecker();
const root = program.getSourceFile(file);
const diagnostics = program.getSemanticDiagnostics(root);
for (const d of diagnostics) console.error(ts.flattenDiagnosticMessageText(d.messageText, "\n"), root.text.slice(d.start, d.start + 80));
if (diagnostics.length) process.exit(1);
const lines = new Set();
for (const statement of root.statements) {
  if (!ts.isTypeAliasDeclaration(statement)) continue;
  const [format, name, , discriminator] = unions[Number(statement.name.text.slice(1))];
  const type = checker.getTypeAtLocation(statement.name);
  for (const t of type.isUnion() ? type.types : [type]) {
    if (!discriminator) {
      for (const p of checker.getPropertiesOfType(t)) lines.add([format, name, p.name].join("\t"));
      continue;
    }
    const p = checker.getPropertyOfType(t, discriminator);
    const pt = p && checker.getTypeOfSymbolAtLocation(p, root);
    for (const l of !pt ? [undefined] : pt.isUnion() ? pt.types : [pt]) {
      if (l && l.flags & ts.TypeFlags.Undefined) continue;
      lines.add([format, name, l === undefined ? "-" : l.isStringLiteral() ? l.value : checker.typeToString(l)].join("\t"));
    }
  }
}
console.log([...lines].join("\n"));
