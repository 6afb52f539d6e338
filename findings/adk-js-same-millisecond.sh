#!/bin/sh
# Package:  @google/adk 2.0.0 with @mikro-orm/sqlite 6.6.16 (npm), DatabaseSessionService and InMemorySessionService
# Guess:    getSession returns the events in the order in which they were appended, also those of one millisecond,
#           such as a call and the result of a fast tool. afterTimestamp selects the same events in both services.
# Observed: DatabaseSessionService returns the events of a millisecond in the reverse order, the result before its
#           call, and with numRecentEvents the oldest of them. afterTimestamp leaves out the events of this very time,
#           which InMemorySessionService returns.
set -eu
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
npm install --silent --no-audit --no-fund @google/adk@2.0.0 @mikro-orm/sqlite@6.6.16
cat >order.mjs <<'JS'
import { createEvent, DatabaseSessionService, InMemorySessionService } from "@google/adk";
const names = { appName: "shop", userId: "user", sessionId: "session" };
const start = Date.UTC(2026, 0, 2);
const events = [
  [0, "user", { text: "What is open?" }],
  [5, "clerk", { functionCall: { id: "call_1", name: "orders", args: {} } }],
  [5, "clerk", { functionResponse: { id: "call_1", name: "orders", response: { open: 2 } } }],
  [9, "clerk", { text: "Two orders." }],
];
for (const service of [new DatabaseSessionService("sqlite://sessions.db"), new InMemorySessionService()]) {
  const session = await service.createSession(names);
  for (const [after, author, part] of events)
    await service.appendEvent({ session, event: createEvent({ author, invocationId: "1", timestamp: start + after, content: { role: author === "user" ? "user" : "model", parts: [part] } }) });
  for (const config of [undefined, { numRecentEvents: 2 }, { afterTimestamp: start + 9 }]) {
    const read = await service.getSession({ ...names, config });
    const kinds = read.events.map(({ content, timestamp }) => `${timestamp - start} ${Object.keys(content.parts[0])[0]}`);
    console.log(service.constructor.name, config ? Object.keys(config)[0] : "all", JSON.stringify(kinds));
  }
}
process.exit();
JS
node order.mjs >observed
cat observed
cat >expected <<'TEXT'
DatabaseSessionService all ["0 text","5 functionResponse","5 functionCall","9 text"]
DatabaseSessionService numRecentEvents ["5 functionCall","9 text"]
DatabaseSessionService afterTimestamp []
InMemorySessionService all ["0 text","5 functionCall","5 functionResponse","9 text"]
InMemorySessionService numRecentEvents ["5 functionResponse","9 text"]
InMemorySessionService afterTimestamp ["9 text"]
TEXT
diff expected observed
