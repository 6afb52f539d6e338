// OpenAI Agents SDK: a handoff to {"agent", "description"}, as a run with a model that hands over
// has it.
import { Agent, handoff, Runner, setTracingDisabled, Usage } from "@openai/agents-core";

setTracingDisabled(true);

export default () => ({ agent, description }) => {
  const target = new Agent({ name: agent, handoffDescription: description, model: says({ type: "message", role: "assistant", status: "completed", content: [{ type: "output_text", text: "ok" }] }) });
  const made = handoff(target);
  return {
    checks: {
      definition: () => ({ tool: made.toolName, description: made.toolDescription }),
      run: async () => {
        const call = { type: "function_call", callId: "c1", name: made.toolName, arguments: "{}", status: "completed" };
        const first = new Agent({ name: "first", handoffs: [made], model: says(call) });
        const { history } = await new Runner().run(first, "Hello?");
        return { output: history.find(({ type }) => type === "function_call_result").output };
      },
    },
  };
};

function says(item) {
  return { getResponse: async () => ({ output: [item], usage: new Usage() }) };
}
