// The types of an SDK as a check, for SDKs that check nothing else: a document is compiled as
// a literal of a type. Members that the type does not have are refused too.
import { readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import ts from "typescript";

const folder = dirname(fileURLToPath(import.meta.url));
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

// Most of a start is reading declarations. No document has a type of Node's, and comments are not
// checked.
const unused = /\/node_modules\/(@types\/node|undici|undici-types)\//;
const jsDocParsingMode = ts.JSDocParsingMode.ParseNone;
const registry = ts.createDocumentRegistry(true, "", jsDocParsingMode); // read once for all types
let files = 0;

// typed returns a check that what params makes of a document is of the type. The declarations
// are the imports that the type needs. A compilation takes long, whatever is compiled: all
// compiles many documents at once.
export function typed(declarations, type, params = (document) => document) {
  const file = join(folder, `document${++files}.ts`);
  let source = "";
  let version = 0;
  const host = {
    ...ts.createCompilerHost(options),
    getCompilationSettings: () => options,
    getScriptFileNames: () => [file],
    getScriptVersion: (name) => (name === file ? String(version) : "1"),
    getScriptSnapshot: (name) => {
      if (name === file) return ts.ScriptSnapshot.fromString(source);
      return ts.sys.fileExists(name) ? ts.ScriptSnapshot.fromString(readFileSync(name, "utf8")) : undefined;
    },
    getDefaultLibFileName: ts.getDefaultLibFilePath,
    fileExists: (name) => name === file || (!unused.test(name) && ts.sys.fileExists(name)),
    jsDocParsingMode,
  };
  const service = ts.createLanguageService(host, registry);

  // compile returns the first complaint about each document, in a map.
  function compile(documents) {
    const starts = [];
    source = declarations + "\n";
    for (const document of documents) {
      starts.push(source.length);
      source += `export const document${starts.length}: ${type} = ${literal(params(document))};\n`;
    }
    version++;
    const complaints = new Map();
    for (const { start, messageText } of service.getSemanticDiagnostics(file)) {
      if (start < declarations.length) throw new Error(`the type is not found: ${innermost(messageText)}`);
      const document = documents[starts.findLastIndex((at) => at <= start)];
      if (!complaints.has(document)) complaints.set(document, innermost(messageText));
    }
    return complaints;
  }

  let compiled = new Set();
  let complaints = new Map();
  const check = (document) => {
    if (!compiled.has(document)) check.all([document]);
    if (complaints.has(document)) throw new TypeMismatch(complaints.get(document));
  };
  check.all = (documents) => {
    complaints = compile(documents);
    compiled = new Set(documents);
  };
  return check;
}

// literal is the expression of a value.
function literal(value) {
  if (value instanceof Uint8Array) return "new Uint8Array()";
  if (Array.isArray(value)) return `[${value.map(literal)}]`;
  if (value === null || typeof value !== "object") return JSON.stringify(value);
  return `{${Object.entries(value).map(([name, member]) => `${JSON.stringify(name)}:${literal(member)}`)}}`;
}

class TypeMismatch extends Error {
  name = "TypeMismatch";
}

// innermost is the end of the chain of a message, which says what is wrong; the beginning
// says that the document as a whole is.
function innermost(message) {
  while (typeof message !== "string") message = message.next?.at(-1) ?? message.messageText;
  return message;
}
