// Claude Agent SDK: the session that a JSONL file holds. The document is the file's text, or
// the array of its lines.
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { getSessionInfo, getSessionMessages } from "@anthropic-ai/claude-agent-sdk";
import { text } from "../lines.mjs";

const home = mkdtempSync(join(tmpdir(), "oracle-claude-code-"));
process.env.CLAUDE_CONFIG_DIR = home;
process.on("exit", () => rmSync(home, { recursive: true, force: true }));

const project = join(home, "projects", "-work");
mkdirSync(project, { recursive: true });
const session = "11111111-1111-4111-8111-111111111111";
const file = join(project, `${session}.jsonl`);

export default () => async (document) => {
  writeFileSync(file, text(document));
  return {
    checks: {
      info: async () => {
        const info = await getSessionInfo(session);
        if (!info) throw new Error("getSessionInfo: no session is found");
        return { summary: info.summary };
      },
      messages: async () => {
        const messages = await getSessionMessages(session, { includeSystemMessages: true });
        if (messages.length === 0) throw new Error("getSessionMessages: no messages are found");
        return { count: messages.length, uuids: messages.map((message) => message.uuid), messages };
      },
    },
  };
};
