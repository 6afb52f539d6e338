#!/bin/sh
# Package:  @openai/codex 0.171.0 (npm)
# Guess:    in a rollout, thread_rolled_back with num_turns 1 takes back the last message of the user and all that
#           follows it.
# Observed: a message from another agent counts as one of the user, also if it did not start a turn (trigger_turn
#           false): as inter_agent_communication, as agent_message, and even as a message of the assistant whose text
#           is the JSON of such a message. The last message of the user and the answer to it stay.
set -eu
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
npm install --silent --no-audit --no-fund @openai/codex@0.171.0
cat >resume.mjs <<'JS'
import { spawn } from "node:child_process";
import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
let input;
const api = createServer(async (request, response) => {
  let body = "";
  for await (const part of request) body += part;
  if (request.method === "POST") input = JSON.parse(body).input;
  response.writeHead(200, { "content-type": "text/event-stream" });
  response.end(`event: response.completed\ndata: ${JSON.stringify({ type: "response.completed", response: { id: "r", output: [], usage: null } })}\n\n`);
});
await new Promise((listens) => api.listen(0, "127.0.0.1", listens));
mkdirSync("home/sessions/2026/06/14", { recursive: true });
writeFileSync(
  "home/config.toml",
  `model = "gpt-5-codex"\nmodel_provider = "local"\n[model_providers.local]\nname = "local"\nbase_url = "http://127.0.0.1:${api.address().port}/v1"\nwire_api = "responses"\n`,
);
const id = "019a2d7b-0000-7000-8000-000000000002", timestamp = "2026-06-14T11:00:00.000Z";
const message = (role, text) => ["response_item", { type: "message", role, content: [{ type: role === "user" ? "input_text" : "output_text", text }] }];
const told = { author: "/root/worker", recipient: "/root", other_recipients: [], content: "The lamp is mended.", trigger_turn: false };
const forms = {
  communication: ["inter_agent_communication", told],
  item: ["response_item", { type: "agent_message", author: told.author, recipient: told.recipient, content: [{ type: "input_text", text: told.content }] }],
  text: message("assistant", JSON.stringify(told)),
};
for (const [name, form] of Object.entries(forms)) {
  const lines = [
    ["session_meta", { id, session_id: id, timestamp, cwd: "/", originator: "codex_exec", cli_version: "0.171.0", source: "exec", model_provider: "local" }],
    message("user", "Mend the lamp."), message("assistant", "A worker does it."), form, message("assistant", "Done."),
    ["event_msg", { type: "thread_rolled_back", num_turns: 1 }],
  ];
  writeFileSync(`home/sessions/2026/06/14/rollout-2026-06-14T11-00-00-${id}.jsonl`, lines.map(([type, payload]) => JSON.stringify({ timestamp, type, payload }) + "\n").join(""));
  const codex = spawn("node_modules/.bin/codex", ["exec", "--skip-git-repo-check", "resume", id, "Go on."], { env: { ...process.env, CODEX_HOME: "home", OPENAI_API_KEY: "none" }, stdio: "ignore" });
  await new Promise((ends) => codex.on("close", ends));
  const said = input.flatMap((item) => item.content ?? []).map((part) => part.text);
  console.log(`${name}: ${said.filter((text) => /lamp|worker|Done/.test(text)).join(" | ")}`);
  rmSync("home/sessions", { recursive: true });
  mkdirSync("home/sessions/2026/06/14", { recursive: true });
}
process.exit(0);
JS
node resume.mjs >observed
cat observed
cat >expected <<'END'
communication: Mend the lamp. | A worker does it.
item: Mend the lamp. | A worker does it.
text: Mend the lamp. | A worker does it.
END
diff expected observed
