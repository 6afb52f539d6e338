// @a2a-js/sdk: a message, sent to a server of A2A 1.0, or of 0.3 if it has a kind; or a task,
// with the messages of its history, and its last one sent to it.
import { AgentCard, Artifact, Message, Task } from "@a2a-js/sdk";
import { LegacyJsonRpcTransportHandler } from "@a2a-js/sdk/compat/v0_3/server";
import { DefaultRequestHandler, InMemoryTaskStore, JsonRpcTransportHandler, ServerCallContext } from "@a2a-js/sdk/server";

const card = AgentCard.fromJSON({ name: "agent", capabilities: {} });
const answer = Message.fromJSON({ messageId: "answer", role: "ROLE_AGENT", parts: [{ text: "ok" }] });

export default () => (document) => {
  if (document.artifactId) {
    return { checks: { artifact: () => ({ artifact: Artifact.toJSON(Artifact.fromJSON(document)) }) } };
  }
  if (document.messageId || !document.id) {
    return { checks: { send: async () => ({ message: await send(document) }) } };
  }
  return {
    checks: {
      task: () => ({ task: Task.toJSON(Task.fromJSON(document)) }),
      get: async () => void (await get(document)),
    },
  };
};

// send sends the message, and returns what the agent gets.
async function send(message) {
  const { handlers, got } = server();
  const [handler, method] = message.kind ? [handlers.legacy, "message/send"] : [handlers.current, "SendMessage"];
  await call(handler, method, { message });
  return got[0] && Message.toJSON(got[0]);
}

// get asks a server that has the task for it, in both versions.
async function get(task) {
  const { handlers, store } = server();
  await store.save(Task.fromJSON(task), new ServerCallContext());
  await call(handlers.current, "GetTask", { id: task.id });
  await call(handlers.legacy, "tasks/get", { id: task.id });
}

function server() {
  const got = [];
  const store = new InMemoryTaskStore();
  const agent = {
    execute: async (context, bus) => {
      got.push(context.userMessage);
      bus.publish({ kind: "message", data: answer });
      bus.finished();
    },
    cancelTask: async () => {},
  };
  const handler = new DefaultRequestHandler(card, store, agent);
  const handlers = { current: new JsonRpcTransportHandler(handler), legacy: new LegacyJsonRpcTransportHandler(handler) };
  return { handlers, got, store };
}

async function call(handler, method, params) {
  const { error } = await handler.handle({ jsonrpc: "2.0", id: 1, method, params }, new ServerCallContext());
  if (error) throw Object.assign(new Error(error.message), { name: `JSON-RPC ${error.code}` });
}
