// OpenCode: the messages that it sends to its model when it continues an imported session.
import { spawn } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { chatModel, chatTurns } from "../chat-model.mjs";
import { serve, version } from "../serve.mjs";

const program = fileURLToPath(new URL("node_modules/.bin/opencode", import.meta.url));
const home = mkdtempSync(join(tmpdir(), "opencode-"));
const work = join(home, "work");
const file = join(home, "session.json");
const env = { ...process.env, HOME: home, OPENCODE_DISABLE_AUTOUPDATE: "1", OPENCODE_DISABLE_MODELS_FETCH: "1", OPENCODE_DISABLE_LSP_DOWNLOAD: "1" };
for (const name of ["DATA", "CONFIG", "CACHE", "STATE"]) env[`XDG_${name}_HOME`] = join(home, name);
const prompt = "Go on.";

const model = await chatModel();
mkdirSync(join(home, "CONFIG/opencode"), { recursive: true });
mkdirSync(work);
const provider = { npm: "@ai-sdk/openai-compatible", options: { baseURL: model.url, apiKey: "none" }, models: { m: { limit: { context: 1e8, output: 1e4 }, tool_call: true, attachment: true, modalities: { input: ["text", "image"], output: ["text"] } } } };
const settings = { share: "disabled", compaction: { auto: false, prune: false }, provider: { local: provider }, model: "local/m", small_model: "local/m" };
writeFileSync(join(home, "CONFIG/opencode/opencode.json"), JSON.stringify(settings));

// start starts the server, and returns its address.
async function start() {
  const server = spawn(program, ["serve", "--port", "0"], { cwd: work, env, stdio: ["ignore", "pipe", "ignore"] });
  process.on("exit", () => {
    server.kill();
    rmSync(home, { recursive: true, force: true });
  });
  let output = "";
  for await (const part of server.stdout) {
    output += part;
    const address = /http:\/\/\S+/.exec(output);
    if (address) return address[0];
  }
}
let server;

// messages returns those of the request that continues a session, undefined if OpenCode does not import it.
async function messages(session) {
  server ??= start();
  const at = await server;
  const { info } = session;
  writeFileSync(file, JSON.stringify({ ...session, info: { ...info, directory: work } }));
  const imports = spawn(program, ["import", file], { cwd: work, env, stdio: "ignore" });
  if (await new Promise((ends) => imports.on("close", ends))) return;
  const place = (path) => `${at}/session/${info.id}${path}?directory=${encodeURIComponent(work)}`;
  const body = JSON.stringify({ model: { providerID: "local", modelID: "m" }, agent: "build", parts: [{ type: "text", text: prompt }] });
  model.taken();
  const response = await fetch(place("/message"), { method: "POST", headers: { "content-type": "application/json" }, body });
  await response.text();
  const sent = model.taken().findLast((request) => request.tools);
  await fetch(place(""), { method: "DELETE" });
  return sent?.messages;
}

// added are the texts that OpenCode sends in the user's name, the last but one after a compaction that it makes before it goes on.
const added = [
  "What did we do so far?",
  "The following tool was executed by the user",
  "Attached media from tool result:",
  "Continue if you have next steps, or stop and ask for clarification if you are unsure how to proceed.",
  prompt,
];

serve(`opencode-ai ${version(import.meta.url, "opencode-ai")}`, {
  "read-session": async ({ agent, session }) => {
    if (agent !== "opencode") return;
    let parsed;
    try {
      parsed = JSON.parse(session);
    } catch {
      return { verdict: "invalid", step: "not-a-session" };
    }
    const sent = await messages(parsed);
    if (!sent) return { verdict: "invalid", step: "not-a-session" };
    const shown = (text) => (added.includes(text.replace(/^"|"$/g, "").trim()) ? [] : [{ role: "user", text }]);
    return { verdict: "valid", output: JSON.stringify(chatTurns(sent, shown)) };
  },
});
