// The Copilot CLI: the messages that it sends to its model when it resumes a session.
import { spawn } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { chatModel, chatTurns } from "../chat-model.mjs";
import { serve, version } from "../serve.mjs";

const program = fileURLToPath(new URL("node_modules/.bin/copilot", import.meta.url));
const home = mkdtempSync(join(tmpdir(), "copilot-cli-"));
process.on("exit", () => rmSync(home, { recursive: true, force: true }));
const model = await chatModel();
const env = { ...process.env, HOME: home, COPILOT_HOME: home, COPILOT_PROVIDER_BASE_URL: model.url, COPILOT_MODEL: "m", COPILOT_OFFLINE: "true", COPILOT_AUTO_UPDATE: "false" };
const prompt = "Go on.";

// messages returns those of the request that continues a session, undefined if there is none.
async function messages(session) {
  const id = /"sessionId":\s*"([^"]*)"/.exec(session)?.[1];
  if (!id) return;
  const folder = join(home, "session-state", id);
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, "events.jsonl"), session);
  model.taken();
  const options = ["--resume", id, "-p", prompt, "--allow-all-tools", "--no-custom-instructions", "--disable-builtin-mcps"];
  const child = spawn(program, options, { cwd: home, env, stdio: "ignore" });
  await new Promise((ends) => child.on("close", ends));
  return model.taken().findLast((request) => request.tools)?.messages;
}

const compacted = /^Some of the conversation history has been summarized to free up context\./;

// shown returns the turns in a text of the user: after a compaction, it has all requests and the summary.
function shown(text) {
  text = text.replace(/^<current_datetime>[^<]*<\/current_datetime>\s*/, "");
  if (text === prompt) return [];
  if (!compacted.test(text)) return [{ role: "user", text }];
  const parts = [...text.matchAll(/<(user_message|summary)>\n([^]*?)\n<\/\1>/g)];
  return parts.map(([, , inner]) => ({ role: "user", text: inner }));
}

serve(`@github/copilot ${version(import.meta.url, "@github/copilot")}`, {
  "read-session": async ({ agent, session }) => {
    if (agent !== "copilot-cli") return;
    const sent = await messages(session);
    return sent ? { verdict: "valid", output: JSON.stringify(chatTurns(sent, shown)) } : { verdict: "invalid", step: "not-a-session" };
  },
});
