// OpenAI Agents SDK: a HandoffInputData as JSON. Its run items become those of the SDK.
import { Agent, handoff, protocol, Runner, setTracingDisabled, Usage } from "@openai/agents-core";
import * as core from "@openai/agents-core";
import { removeAllTools } from "@openai/agents-core/extensions";
import { z } from "zod";

setTracingDisabled(true);

const schema = z.array(protocol.ModelItem);

const classes = {
  message_output_item: core.RunMessageOutputItem,
  tool_call_item: core.RunToolCallItem,
  tool_search_call_item: core.RunToolSearchCallItem,
  tool_search_output_item: core.RunToolSearchOutputItem,
  tool_call_output_item: core.RunToolCallOutputItem,
  reasoning_item: core.RunReasoningItem,
  compaction_item: core.RunCompactionItem,
  handoff_call_item: core.RunHandoffCallItem,
  handoff_output_item: core.RunHandoffOutputItem,
  tool_approval_item: core.RunToolApprovalItem,
};

export default () => (data) => {
  const read = {
    inputHistory: data.inputHistory,
    preHandoffItems: data.preHandoffItems.map(runItem),
    newItems: data.newItems.map(runItem),
    runContext: data.runContext,
  };
  return {
    checks: {
      schema: () => void schema.parse([
        ...(Array.isArray(data.inputHistory) ? data.inputHistory : []),
        ...data.preHandoffItems.map(({ rawItem }) => rawItem),
        ...data.newItems.map(({ rawItem }) => rawItem),
      ]),
      removeAllTools: () => ({ filtered: JSON.parse(JSON.stringify(removeAllTools(read))) }),
      run: async () => ({ input: await nextInput(read) }),
    },
  };
};

function runItem(item) {
  const agent = (named) => new Agent({ name: named?.name ?? "agent" });
  switch (item.type) {
    case "handoff_output_item":
      return new core.RunHandoffOutputItem(item.rawItem, agent(item.sourceAgent), agent(item.targetAgent));
    case "tool_call_output_item":
      return new core.RunToolCallOutputItem(item.rawItem, agent(item.agent), item.output);
    default:
      return new classes[item.type](item.rawItem, agent(item.agent));
  }
}

// nextInput returns what the model of the next agent gets, where an input filter returns the data.
async function nextInput(data) {
  let input;
  const next = new Agent({ name: "next", model: { getResponse: async (request) => {
    input = request.input;
    return { output: [said], usage: new Usage() };
  } } });
  const made = handoff(next, { inputFilter: () => data });
  const call = { type: "function_call", callId: "oracle", name: made.toolName, arguments: "{}", status: "completed" };
  const first = new Agent({ name: "first", handoffs: [made], model: { getResponse: async () => ({ output: [call], usage: new Usage() }) } });
  await new Runner().run(first, "Hello?");
  return input;
}

const said = { type: "message", role: "assistant", status: "completed", content: [{ type: "output_text", text: "ok" }] };
