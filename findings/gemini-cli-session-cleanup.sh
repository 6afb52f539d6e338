#!/bin/sh
# Package:  @google/gemini-cli 0.61.0 (npm)
# Guess:    at start, the Gemini CLI deletes the sessions of a project that were last updated more than
#           general.sessionRetention.maxAge ago (30 days unless set), and no others.
# Observed: it deletes a session of today if the name of its file ends like that of an old one, in the first eight
#           characters of the id, and a session of today in which nobody wrote more than a command to the program.
set -eu
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
npm install --silent --no-audit --no-fund --ignore-scripts --omit=optional @google/gemini-cli@0.61.0
bundle=node_modules/@google/gemini-cli/bundle
program=$(grep -l '^async function cleanupExpiredSessions' $bundle/chunk-*.js | head -n 1)
cat >cleanup.mjs <<'JS'
import { mkdirSync, readdirSync, writeFileSync } from "node:fs";
const { cleanupExpiredSessions } = await import(process.argv[2]);
mkdirSync("project/chats", { recursive: true });
const session = (name, id, day, content) => {
  const at = day.toISOString();
  const lines = [
    { sessionId: id, projectHash: "0", startTime: at, lastUpdated: at, kind: "main" },
    { id: "m1", timestamp: at, type: "user", content },
  ];
  writeFileSync(`project/chats/session-${name}.jsonl`, lines.map((line) => JSON.stringify(line) + "\n").join(""));
};
const today = new Date(), old = new Date(Date.now() - 40 * 24 * 3600e3);
session("2026-01-01T10-00-aaaaaaaa", "aaaaaaaa-0000-4000-8000-000000000001", old, "Mend the lamp.");
session("2026-02-02T10-00-aaaaaaaa", "aaaaaaaa-0000-4000-8000-000000000002", today, "Mend the chair.");
session("2026-02-02T10-00-bbbbbbbb", "bbbbbbbb-0000-4000-8000-000000000003", today, "/help");
session("2026-02-02T10-00-cccccccc", "cccccccc-0000-4000-8000-000000000004", today, "Mend the table.");
const config = { storage: { getProjectTempDir: () => "project" }, getSessionId: () => "dddddddd-0000-4000-8000-000000000005", getDebugMode: () => false };
const settings = { general: { sessionRetention: { enabled: true, maxAge: "30d" } } };
await cleanupExpiredSessions(config, settings);
console.log(readdirSync("project/chats").join("\n"));
process.exit(0);
JS
HOME=$work node cleanup.mjs "./$program" >observed
cat observed
echo session-2026-02-02T10-00-cccccccc.jsonl >expected
diff expected observed
