// swarm.mjs run [--as FORM[,FORM]]: two agents of a LangGraph swarm. The model of
// the first asks for two tools at once, of which one hands over to the second agent. Prints
// what the run left: {"ok":true,"messages":[…],"given":[…],"request":{…}}, of which messages is
// the state, given is what the model of the second agent got, and request is what ChatOpenAI
// would have sent for it. FORM is how messages are serialized: stored, constructor or openai. There
// is a line for each.
//
// swarm.mjs resume FILE[,FILE] [--as …]: goes on with the messages of FILE, one for each form, which
// are in any of the three: the second agent is asked for something more. Prints the same, or
// {"ok":false,"error":"…"}.
import { readFileSync } from "node:fs";
import { parseArgs } from "node:util";
import { mapChatMessagesToStoredMessages } from "@langchain/core/messages";
import { tool } from "@langchain/core/tools";
import { createReactAgent } from "@langchain/langgraph/prebuilt";
import { createHandoffTool, createSwarm } from "@langchain/langgraph-swarm";
import { ChatOpenAI, convertMessagesToCompletionsMessageParams } from "@langchain/openai";
import { z } from "zod";
import { text } from "./errors.mjs";
import { Scripted } from "./langchain.mjs";
import { read } from "./oracles/langchain.mjs";
import { body, takes } from "./wire.mjs";

const { positionals, values } = parseArgs({
  allowPositionals: true,
  options: { as: { type: "string", default: "stored" } },
});
const [mode, files] = positionals;

const forms = {
  stored: mapChatMessagesToStoredMessages,
  constructor: (messages) => messages.map((message) => message.toJSON()),
  openai: (messages) => convertMessagesToCompletionsMessageParams({ messages }),
};

let serialize;
for (const [i, form] of values.as.split(",").entries()) {
  serialize = forms[form];
  try {
    const answer = mode === "resume" ? await resume(JSON.parse(readFileSync(files.split(",")[i], "utf8"))) : await run();
    process.stdout.write(JSON.stringify({ ok: true, ...answer }) + "\n");
  } catch (error) {
    process.stdout.write(JSON.stringify({ ok: false, error: text(error) }) + "\n");
  }
}

// run has Alice look up an order and hand over to Bob in one turn, and Bob answer.
async function run() {
  const calls = [
    { type: "tool_call", id: "call_lookup", name: "lookup_order", args: { order: "A-17" } },
    { type: "tool_call", id: "call_transfer", name: "transfer_to_bob", args: {} },
  ];
  const alice = new Scripted([{ content: "I look it up and hand over to Bob.", tool_calls: calls }]);
  const bob = new Scripted([{ content: "Bob here. I see no status of your order." }]);
  return go(alice, bob, { messages: [{ role: "user", content: "Where is order A-17? Let Bob handle it." }] });
}

// resume has Bob, who was handed over to, answer a further question.
async function resume(stored) {
  const bob = new Scripted([{ content: "Your order A-17 is on its way." }]);
  const messages = [...(await read(stored)), { role: "user", content: "And now?" }];
  return go(new Scripted([]), bob, { messages, activeAgent: "bob" });
}

async function go(alice, bob, input) {
  const lookup = tool(() => "order A-17: shipped", {
    name: "lookup_order",
    description: "the status of an order",
    schema: z.object({ order: z.string() }),
  });
  const agents = [
    createReactAgent({ name: "alice", llm: alice, tools: [lookup, createHandoffTool({ agentName: "bob" })] }),
    createReactAgent({ name: "bob", llm: bob, tools: [lookup, createHandoffTool({ agentName: "alice" })] }),
  ];
  const swarm = createSwarm({ agents, defaultActiveAgent: "alice" }).compile();
  const state = await swarm.invoke(input);
  const given = bob.calls.at(-1) ?? [];
  return { messages: serialize(state.messages), given: serialize(given), request: await request(given) };
}

async function request(messages) {
  const requests = [];
  const settings = { apiKey: "none", model: "gpt-4o", maxRetries: 0, configuration: { fetch: takes(requests) } };
  return body(requests, () => new ChatOpenAI(settings).invoke(messages));
}
