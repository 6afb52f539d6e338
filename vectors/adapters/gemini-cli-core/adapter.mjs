// The core of the Gemini CLI: the contents with which it resumes a session.
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { convertSessionToClientHistory, loadConversationRecord } from "@google/gemini-cli-core";
import { serve, version } from "../serve.mjs";

const folder = mkdtempSync(join(tmpdir(), "gemini-cli-core-"));
process.on("exit", () => rmSync(folder, { recursive: true, force: true }));
const file = join(folder, "session.jsonl");

// turns converts contents of the Gemini API.
function turns(contents) {
  const all = [];
  const calls = new Map();
  for (const { role, parts } of contents) {
    for (const { text, thought, functionCall, functionResponse } of parts) {
      if (text !== undefined && !thought) all.push({ role: role === "model" ? "assistant" : role, text });
      if (functionCall) {
        const call = { role: "assistant", tool: functionCall.name, input: functionCall.args };
        calls.set(functionCall.id, call);
        all.push(call);
      }
      if (functionResponse && calls.has(functionResponse.id)) {
        const { output, error } = functionResponse.response;
        calls.get(functionResponse.id).result = output ?? error ?? JSON.stringify(functionResponse.response);
      }
    }
  }
  return all;
}

serve(`@google/gemini-cli-core ${version(import.meta.url, "@google/gemini-cli-core")}`, {
  "read-session": async ({ agent, session }) => {
    if (agent !== "gemini-cli") return;
    writeFileSync(file, session);
    const record = await loadConversationRecord(file);
    if (!record) return { verdict: "invalid", step: "not-a-session" };
    const history = convertSessionToClientHistory(record.messages);
    return { verdict: "valid", output: JSON.stringify(turns(history.map((turn) => turn.content))) };
  },
});
