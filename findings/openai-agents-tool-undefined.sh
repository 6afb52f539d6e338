#!/bin/sh
# Package:  @openai/agents-core 0.20.0 with zod 4.6.7 (npm)
# Guess:    a tool that returns nothing gives the model an empty text, and a tool that returns a Map its entries
#           or an error.
# Observed: the model reads the text "undefined", and "{}" for a Map with entries.
set -eu
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
npm install --silent --no-audit --no-fund @openai/agents-core@0.20.0 zod@4.6.7
cat >nothing.mjs <<'JS'
import { Agent, run, setTracingDisabled, tool, Usage } from "@openai/agents-core";
import { z } from "zod";
setTracingDisabled(true);
for (const value of [undefined, new Map([["order", 17]])]) {
  const model = {
    async getResponse({ input }) {
      const result = input.find((item) => item.type === "function_call_result");
      if (result) console.log(JSON.stringify(result.output));
      const answer = { type: "message", role: "assistant", status: "completed", content: [{ type: "output_text", text: "Yes." }] };
      const call = { type: "function_call", callId: "call_1", name: "refund", arguments: "{}", status: "completed" };
      return { usage: new Usage(), output: [result ? answer : call] };
    },
  };
  const refund = tool({ name: "refund", description: "Refunds an order", parameters: z.object({}), execute: async () => value });
  await run(new Agent({ name: "clerk", model, tools: [refund] }), "Refund order 17.");
}
JS
node nothing.mjs >observed
cat observed
cat >expected <<'TEXT'
{"type":"text","text":"undefined"}
{"type":"text","text":"{}"}
TEXT
diff expected observed
