// The Claude Agent SDK: the messages with which it resumes a session of Claude Code.
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { getSessionMessages } from "@anthropic-ai/claude-agent-sdk";
import { serve, version } from "../serve.mjs";

const home = mkdtempSync(join(tmpdir(), "claude-agent-sdk-"));
process.env.CLAUDE_CONFIG_DIR = home;
process.on("exit", () => rmSync(home, { recursive: true, force: true }));
const project = join(home, "projects", "-work");
mkdirSync(project, { recursive: true });
const session = "11111111-1111-4111-8111-111111111111";

// turns converts messages of the Messages API.
function turns(messages) {
  const all = [];
  const calls = new Map();
  for (const { type, message } of messages) {
    const content = typeof message.content === "string" ? [{ type: "text", text: message.content }] : message.content;
    for (const block of content) {
      if (block.type === "text") all.push({ role: type, text: block.text });
      if (block.type === "tool_use") {
        const call = { role: "assistant", tool: block.name, input: block.input };
        calls.set(block.id, call);
        all.push(call);
      }
      if (block.type === "tool_result") {
        const parts = typeof block.content === "string" ? [{ text: block.content }] : (block.content ?? []);
        const call = calls.get(block.tool_use_id);
        if (call) call.result = parts.map((part) => part.text ?? "").join("\n");
      }
    }
  }
  return all;
}

serve(`@anthropic-ai/claude-agent-sdk ${version(import.meta.url, "@anthropic-ai/claude-agent-sdk")}`, {
  "read-session": async ({ agent, session: text }) => {
    if (agent !== "claude-code") return;
    writeFileSync(join(project, `${session}.jsonl`), text);
    const messages = await getSessionMessages(session);
    if (messages.length === 0) return { verdict: "invalid", step: "not-a-session" };
    return { verdict: "valid", output: JSON.stringify(turns(messages)) };
  },
});
