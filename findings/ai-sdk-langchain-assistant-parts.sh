#!/bin/sh
# Package:  @ai-sdk/langchain 3.0.99 with ai 7.0.173, @langchain/core 1.4.0, @langchain/langgraph 1.7.3 (npm)
# Guess:    toBaseMessages keeps the reasoning and the files of an assistant, because LangChain has content
#           blocks for both. It keeps the files of a user.
# Observed: both are dropped without an error, and an answer that is only a file becomes an empty message.
set -eu
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
npm install --silent --no-audit --no-fund @ai-sdk/langchain@3.0.99 ai@7.0.173 @langchain/core@1.4.0 @langchain/langgraph@1.7.3
cat >parts.mjs <<'JS'
import { toBaseMessages } from "@ai-sdk/langchain";
const file = { type: "file", mediaType: "image/png", url: "data:image/png;base64,iVBORw0KGgo=" };
const text = { type: "text", text: "The box is damaged." };
for (const [role, parts] of [["user", [text, file]], ["assistant", [text, file]], ["assistant", [{ type: "reasoning", text: "I see a dent." }, text]], ["assistant", [file]]]) {
  const [message] = await toBaseMessages([{ id: "m1", role, parts }]);
  console.log(role, parts.map((part) => part.type).join(), "->", JSON.stringify(message.contentBlocks.map((block) => block.type)), JSON.stringify(message.text));
}
JS
node parts.mjs >observed
cat observed
cat >expected <<'TEXT'
user text,file -> ["text","image"] "The box is damaged."
assistant text,file -> ["text"] "The box is damaged."
assistant reasoning,text -> ["text"] "The box is damaged."
assistant file -> ["text"] ""
TEXT
diff expected observed
