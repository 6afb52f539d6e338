// @google/adk: the events of a session, or {events, agent, branch}. The agent is the one that
// goes on: if it is not named, the author of the last event that is not the user's.
import { BaseLlm, createEvent, InMemorySessionService, LlmAgent, Runner } from "@google/adk";

// The contents of a request are made by a function that is not exported.
const main = new URL(import.meta.resolve("@google/adk"));
const { getContents } = await import(new URL("agents/processors/content_processor_utils.js", main));
const { transformToCamelCaseEvent } = await import(new URL("events/event.js", main));

class Model extends BaseLlm {
  constructor() {
    super({ model: "fake" });
  }
  async *generateContentAsync(request) {
    this.contents = request.contents;
    yield { content: { role: "model", parts: [{ text: "ok" }] }, turnComplete: true };
  }
  async connect() {
    throw new Error("no live connections");
  }
}

export default () => (document) => {
  const session = Array.isArray(document) ? { events: document } : document;
  const events = session.events.map(transformToCamelCaseEvent);
  const agent = session.agent ?? events.findLast((event) => event.author && event.author !== "user")?.author ?? "agent";
  return {
    checks: {
      contents: () => ({ contents: getContents(events.map(createEvent), agent, session.branch) }),
      run: async () => ({ messages: await run(events, agent) }),
    },
  };
};

// run has the agent go on with a session of the events, and returns what its model gets. The
// last event is the new message, if the user wrote it.
async function run(events, name) {
  const service = new InMemorySessionService();
  const session = await service.createSession({ appName: "app", userId: "user", sessionId: "session" });
  const last = events.at(-1);
  const said = last?.author === "user" && last.content?.parts?.length;
  for (const event of said ? events.slice(0, -1) : events) await service.appendEvent({ session, event: createEvent(event) });
  const model = new Model();
  const runner = new Runner({ appName: "app", agent: new LlmAgent({ name, model }), sessionService: service });
  const newMessage = said ? last.content : { role: "user", parts: [{ text: "on" }] };
  for await (const event of runner.runAsync({ userId: "user", sessionId: "session", newMessage })) {
    if (event.errorMessage) throw new Error(event.errorMessage);
  }
  return model.contents;
}
