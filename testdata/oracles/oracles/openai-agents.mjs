// OpenAI Agents SDK: AgentInputItem[], the items of a run.
import { Agent, protocol, Runner, RunState, setTracingDisabled, Usage, withTrace } from "@openai/agents-core";
import { OpenAIChatCompletionsModel, OpenAIResponsesModel } from "@openai/agents-openai";
import OpenAI from "openai";
import { z } from "zod";
import { body, takes } from "../wire.mjs";

setTracingDisabled(true);

const requests = [];
const client = new OpenAI({ apiKey: "none", maxRetries: 0, fetch: takes(requests) });
const responses = new OpenAIResponsesModel(client, "gpt-5");
const chat = new OpenAIChatCompletionsModel(client, "gpt-4o");

const schema = z.array(protocol.ModelItem);

export default () => (items) => ({
  checks: {
    // The schema of the state of a run, which holds what was read of it.
    schema: () => void schema.parse(items),
    state: () => state(items),
    run: async () => ({ messages: await run(items) }),
    responses: async () => ({ responses: await sent(responses, items) }),
    chat: async () => ({ chat: await sent(chat, items) }),
  },
});

// state stores a run that was given the items, and reads it again.
async function state(items) {
  const agent = new Agent({ name: "agent", model: fake([]) });
  const { state } = await new Runner().run(agent, "stored");
  const stored = JSON.parse(state.toString());
  stored.originalInput = items;
  await RunState.fromString(agent, JSON.stringify(stored));
}

// run returns the input that the model of an agent gets.
async function run(items) {
  const calls = [];
  await new Runner().run(new Agent({ name: "agent", model: fake(calls) }), items);
  return calls[0].input;
}

function fake(calls) {
  const output = [
    { type: "message", role: "assistant", status: "completed", content: [{ type: "output_text", text: "ok" }] },
  ];
  return {
    getResponse: async (request) => {
      calls.push(request);
      return { output, usage: new Usage() };
    },
  };
}

async function sent(model, input) {
  requests.length = 0;
  const request = { input, modelSettings: {}, tools: [], handoffs: [], outputType: "text", tracing: false };
  return body(requests, () => withTrace("oracle", () => model.getResponse(request)));
}
