#!/bin/sh
# Package:  @openai/agents-core 0.20.0 (npm)
# Guess:    the runner sends neither a call without its result nor a result without its call, because the
#           Responses API rejects both. A session that returns only the newest items begins with such a result.
# Observed: a call without a result is dropped, but a result without a call is sent to the model.
set -eu
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
npm install --silent --no-audit --no-fund @openai/agents-core@0.20.0
cat >window.mjs <<'JS'
import { Agent, MemorySession, run, setTracingDisabled, Usage } from "@openai/agents-core";
setTracingDisabled(true);
const call = { type: "function_call", callId: "call_1", name: "refund", arguments: "{}", status: "completed" };
const result = { type: "function_call_result", callId: "call_1", name: "refund", status: "completed", output: "done" };
const model = {
  async getResponse({ input }) {
    console.log(input.map((item) => item.type ?? item.role).join());
    return { usage: new Usage(), output: [{ type: "message", role: "assistant", status: "completed", content: [{ type: "output_text", text: "Yes." }] }] };
  },
};
for (const items of [[call, result], [call], [result]]) {
  const session = new MemorySession();
  await session.addItems(items);
  await run(new Agent({ name: "clerk", model }), [{ type: "message", role: "user", content: "Is it done?" }], { session });
}
JS
node window.mjs >observed
cat observed
cat >expected <<'TEXT'
function_call,function_call_result,message
message
function_call_result,message
TEXT
diff expected observed
