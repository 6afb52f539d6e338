// oracle.mjs NAME [OPTION]: reads a JSON document a line, and answers each with a line: what
// the SDK of NAME makes of it. A line "#NAME [OPTION]" has another SDK asked from then on. See
// README.md.
import { setTimeout } from "node:timers/promises";
import { text } from "./errors.mjs";

// What SDKs print is no answer, and nothing goes to the network.
for (const name of ["log", "info", "warn", "debug"]) console[name] = console.error;
process.on("uncaughtException", (error) => console.error(error));
process.on("unhandledRejection", (error) => console.error(error));
globalThis.fetch = () => Promise.reject(new Error("oracles have no network"));

const seconds = 20; // that one document may take

const checks = new Map(); // of oracles, by their names and options
let check;
await ask(process.argv.slice(2).join(" "));

let input = "";
let ended = false;
let more = () => {};
process.stdin.setEncoding("utf8");
process.stdin.on("data", (chunk) => (input += chunk) && more());
process.stdin.on("end", () => (ended = true) && more());

while (!ended || input) {
  if (!ended && !input.includes("\n")) await new Promise((resolve) => (more = resolve));
  await settled();
  const lines = input.split("\n");
  input = lines.pop();
  if (ended && input) lines.push(input);
  if (ended) input = "";
  for (let start = 0, end; start < lines.length; start = end) {
    if (lines[start].startsWith("#")) await ask(lines[start++].slice(1));
    end = lines.findIndex((line, i) => i >= start && line.startsWith("#"));
    if (end < 0) end = lines.length;
    await answers(lines.slice(start, end));
  }
}
process.stdout.end(() => process.exit(0)); // whatever an SDK still waits for

// ask has the oracle of a name asked, with its options.
async function ask(words) {
  const [name, ...options] = words.split(" ");
  if (name && !checks.has(words)) {
    const { default: oracle } = await import(`./oracles/${name}.mjs`);
    const untyped = options.includes("untyped");
    const made = await oracle(options.filter((option) => option !== "untyped"));
    checks.set(words, untyped ? withoutTypes(made) : made);
  }
  check = checks.get(words);
}

// withoutTypes omits the check of types, which takes seconds to start.
function withoutTypes(oracle) {
  return async (document) => {
    const { checks, ...result } = await oracle(document);
    delete checks.types;
    return { checks, ...result };
  };
}

// settled waits while documents keep coming: some oracles answer many as fast as one.
async function settled() {
  for (let seen = -1; seen !== input.length && input.length < 1 << 24; ) {
    seen = input.length;
    await setTimeout(1);
  }
}

// answers answers lines, of which an oracle may look at all before it is asked for each.
async function answers(lines) {
  const documents = lines.map(parse);
  try {
    check.all?.(documents.filter(({ error }) => !error).map(({ document }) => document));
  } catch {
    // Whichever document it was says so where it is asked about.
  }
  for (const parsed of documents) process.stdout.write(JSON.stringify(await answer(parsed)) + "\n");
}

function parse(line) {
  try {
    return { document: JSON.parse(line) };
  } catch (error) {
    return { error };
  }
}

// answer runs every check of the oracle. The document is taken if all of them take it.
async function answer({ document, error }) {
  let checks, result;
  try {
    if (error) throw error;
    ({ checks, ...result } = await check(document));
  } catch (error) {
    return { ok: false, error: text(error), checks: { read: text(error) } };
  }
  const said = {};
  for (const [name, run] of Object.entries(checks)) {
    try {
      said[name] = "";
      Object.assign(result, await within(run));
    } catch (error) {
      said[name] = text(error);
    }
  }
  const refused = Object.values(said).find(Boolean);
  return { ok: !refused, ...(refused && { error: refused }), checks: said, ...result };
}

async function within(run) {
  const answered = new AbortController();
  const late = setTimeout(seconds * 1000, null, { signal: answered.signal }).then(() => {
    throw new Error(`no answer within ${seconds} seconds`);
  });
  late.catch(() => {}); // aborted
  try {
    return await Promise.race([run(), late]);
  } finally {
    answered.abort();
  }
}
