// The Codex CLI: the input that it sends to its model when it resumes a session. A server on this machine takes the
// place of the API.
import { spawn } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { serve, version } from "../serve.mjs";

const home = mkdtempSync(join(tmpdir(), "codex-"));
process.on("exit", () => rmSync(home, { recursive: true, force: true }));
const program = fileURLToPath(new URL("node_modules/.bin/codex", import.meta.url));
const prompt = "Go on.";

let requests = [];
const api = createServer(async (request, response) => {
  let body = "";
  for await (const part of request) body += part;
  if (request.method === "POST") requests.push(JSON.parse(body));
  response.writeHead(200, { "content-type": "text/event-stream" });
  const done = { type: "response.completed", response: { id: "r", output: [], usage: null } };
  response.end(`event: response.completed\ndata: ${JSON.stringify(done)}\n\n`);
});
await new Promise((listens) => api.listen(0, "127.0.0.1", listens));
writeFileSync(
  join(home, "config.toml"),
  `model = "gpt-5-codex"
model_provider = "local"
[model_providers.local]
name = "local"
base_url = "http://127.0.0.1:${api.address().port}/v1"
wire_api = "responses"
`,
);

// input returns the input of the request that continues a session, without what the new turn adds.
async function input(session) {
  const id = /"id":\s*"([0-9a-f-]{36})"/.exec(session)?.[1];
  if (!id) return;
  const folder = join(home, "sessions/2026/06/14");
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  const local = session.replace(/"model_provider":\s*"openai"/, '"model_provider":"local"');
  writeFileSync(join(folder, `rollout-2026-06-14T11-00-00-${id}.jsonl`), local);
  requests = [];
  const options = { cwd: home, env: { ...process.env, CODEX_HOME: home, OPENAI_API_KEY: "none" }, stdio: "ignore" };
  const child = spawn(program, ["exec", "--skip-git-repo-check", "resume", id, prompt], options);
  await new Promise((ends) => child.on("close", ends));
  return requests.at(-1)?.input;
}

const added = /^(# AGENTS\.md instructions|<environment_context>|<permissions instructions>|<user_instructions>)/;

// told returns an action without members that are null: Codex adds them.
const told = (action) => Object.fromEntries(Object.entries(action ?? {}).filter(([, value]) => value !== null));

const textOf = (output) => (Array.isArray(output) ? output.map((part) => part.text ?? "").join("\n") : typeof output === "string" ? output : JSON.stringify(output));

function turns(items) {
  const all = [];
  const calls = new Map();
  for (const item of items) {
    if (item.type === "message" && ["user", "assistant"].includes(item.role)) {
      for (const { text } of item.content) if (!added.test(text) && text !== prompt) all.push({ role: item.role, text });
    } else if (item.type === "agent_message") {
      all.push({ role: "user", text: `Message from ${item.author}:\n${textOf(item.content)}` });
    } else if (item.type.endsWith("_call")) {
      const tool = item.name ?? item.type.replace("_call", "");
      const call = { role: "assistant", tool, input: item.arguments ?? item.input ?? told(item.action) };
      calls.set(item.call_id, call);
      all.push(call);
    } else if (item.type.endsWith("_output") && calls.has(item.call_id)) {
      calls.get(item.call_id).result = textOf(item.output);
    }
  }
  return all;
}

serve(`@openai/codex ${version(import.meta.url, "@openai/codex")}`, {
  "read-session": async ({ agent, session }) => {
    if (agent !== "codex") return;
    const items = await input(session);
    return items ? { verdict: "valid", output: JSON.stringify(turns(items)) } : { verdict: "invalid", step: "not-a-session" };
  },
});
