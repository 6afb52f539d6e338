#!/bin/sh
# Package:  @langchain/aws 1.4.5 with @langchain/core 1.4.0 (npm), ChatBedrockConverse
# Guess:    an answer of Bedrock with a blank text between the reasoning and the call of a tool, as Claude makes it,
#           is sent again in the next request as it came, or without the blank text.
# Observed: the word "undefined" and the blank text are added to the block of the reasoning, which then is no valid
#           block: a block has one member. With a text before the blank one, the two are joined.
set -eu
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
npm install --silent --no-audit --no-fund @langchain/aws@1.4.5 @langchain/core@1.4.0
cat >blank.mjs <<'JS'
import { ChatBedrockConverse } from "@langchain/aws";
import { HumanMessage, ToolMessage } from "@langchain/core/messages";
const reasoning = { reasoningContent: { reasoningText: { text: "I need the plan.", signature: "c2ln" } } };
const call = { toolUse: { toolUseId: "call_1", name: "plan", input: {} } };
for (const texts of [["I look."], ["I look.", "\n\n"], ["\n\n"]]) {
  let sent;
  const content = [reasoning, ...texts.map((text) => ({ text })), call];
  const send = async ({ input }) => ((sent = input.messages), { output: { message: { role: "assistant", content } }, stopReason: "tool_use", usage: {} });
  const model = new ChatBedrockConverse({ region: "us-east-1", model: "anthropic.claude-sonnet-4-5-20250929-v1:0", credentials: { accessKeyId: "none", secretAccessKey: "none" }, client: { send } });
  const question = new HumanMessage("What is next?");
  const answer = await model.invoke([question]);
  await model.invoke([question, answer, new ToolMessage({ content: "rest", tool_call_id: "call_1" })]);
  console.log("received:", JSON.stringify(content));
  console.log("sent:    ", JSON.stringify(sent[1].content));
}
JS
node blank.mjs >observed
cat observed
cat >expected <<'TEXT'
received: [{"reasoningContent":{"reasoningText":{"text":"I need the plan.","signature":"c2ln"}}},{"text":"I look."},{"toolUse":{"toolUseId":"call_1","name":"plan","input":{}}}]
sent:     [{"reasoningContent":{"reasoningText":{"text":"I need the plan.","signature":"c2ln"}}},{"text":"I look."},{"toolUse":{"toolUseId":"call_1","name":"plan","input":{}}}]
received: [{"reasoningContent":{"reasoningText":{"text":"I need the plan.","signature":"c2ln"}}},{"text":"I look."},{"text":"\n\n"},{"toolUse":{"toolUseId":"call_1","name":"plan","input":{}}}]
sent:     [{"reasoningContent":{"reasoningText":{"text":"I need the plan.","signature":"c2ln"}}},{"text":"I look.\n\n"},{"toolUse":{"toolUseId":"call_1","name":"plan","input":{}}}]
received: [{"reasoningContent":{"reasoningText":{"text":"I need the plan.","signature":"c2ln"}}},{"text":"\n\n"},{"toolUse":{"toolUseId":"call_1","name":"plan","input":{}}}]
sent:     [{"reasoningContent":{"reasoningText":{"text":"I need the plan.","signature":"c2ln"}},"text":"undefined\n\n"},{"toolUse":{"toolUseId":"call_1","name":"plan","input":{}}}]
TEXT
diff expected observed
