#!/bin/sh
# Package:  @anthropic-ai/claude-agent-sdk 0.3.332 (npm)
# Guess:    forkSession copies a conversation: getSessionMessages of the fork returns the texts that it returns of the
#           session.
# Observed: the fork has messages that the session has not: those of a team mate. getSessionMessages leaves lines with a
#           teamName out of the conversation; forkSession copies them without it, so that in the fork they are the last
#           turns of the user and the assistant.
set -eu
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
npm install --silent --no-audit --no-fund @anthropic-ai/claude-agent-sdk@0.3.332
cat >fork.mjs <<'JS'
import { mkdirSync, writeFileSync } from "node:fs";
import { forkSession, getSessionMessages } from "@anthropic-ai/claude-agent-sdk";
const dir = process.cwd() + "/shop", sessionId = "0d9b1f77-51c4-4b0e-8d5a-6b1a1f0c2e42";
process.env.CLAUDE_CONFIG_DIR = process.cwd() + "/home";
const folder = process.env.CLAUDE_CONFIG_DIR + "/projects/" + dir.replace(/[^a-zA-Z0-9]/g, "-");
mkdirSync(dir);
mkdirSync(folder, { recursive: true });
let parentUuid = null;
const line = (n, type, text, more) => {
  const content = type === "user" ? text : [{ type: "text", text }];
  const message = type === "user" ? { role: type, content } : { role: type, id: "m" + n, type: "message", model: "claude-sonnet-4-5", content, stop_reason: null, usage: { input_tokens: 1, output_tokens: 1 } };
  const uuid = `0000000${n}-0000-4000-8000-000000000000`;
  const entry = { parentUuid, isSidechain: false, userType: "external", cwd: dir, sessionId, version: "2.1.14", type, message, uuid, timestamp: `2026-06-13T10:00:0${n}.000Z`, ...more };
  parentUuid = uuid;
  return JSON.stringify(entry) + "\n";
};
writeFileSync(
  `${folder}/${sessionId}.jsonl`,
  line(1, "user", "Mend the lamp.") + line(2, "assistant", "It is mended.") + line(3, "user", "The chair is mine.", { teamName: "red" }) + line(4, "assistant", "Noted.", { teamName: "red" }),
);
const said = async (id) => (await getSessionMessages(id, { dir })).map(({ message: { content } }) => (typeof content === "string" ? content : content[0].text)).join(" | ");
console.log("session: " + (await said(sessionId)));
console.log("fork: " + (await said((await forkSession(sessionId, { dir })).sessionId)));
JS
node fork.mjs >observed
cat observed
cat >expected <<'END'
session: Mend the lamp. | It is mended.
fork: Mend the lamp. | It is mended. | The chair is mine. | Noted.
END
diff expected observed
