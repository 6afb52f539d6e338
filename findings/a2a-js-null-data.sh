#!/bin/sh
# Package:  @a2a-js/sdk 1.3.0 (npm)
# Guess:    a message that the SDK sends is the message that the SDK reads. A part may have null as its data, such
#           as the result of a tool that found nothing: data is a google.protobuf.Value, for which null is a value.
# Observed: the SDK sends the null, and reads a part without any content, which it sends on as {}. There is no
#           error. It reads 0, false, an empty text, and null in a list or an object.
set -eu
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
npm install --silent --no-audit --no-fund @a2a-js/sdk@1.3.0
cat >null.mjs <<'JS'
import { Message } from "@a2a-js/sdk";
import { JsonRpcTransportFactory } from "@a2a-js/sdk/client";
let sent;
const echo = async (url, { body }) => {
  const { id, params } = JSON.parse(body);
  sent = params.message;
  return Response.json({ jsonrpc: "2.0", id, result: { message: { ...sent, role: "ROLE_AGENT" } } });
};
const transport = await new JsonRpcTransportFactory({ fetchImpl: echo }).create("http://agent.invalid", { name: "echo" });
for (const value of [0, false, "", [null], { found: null }, null]) {
  const message = Message.fromJSON({ messageId: "1", role: "ROLE_USER" });
  message.parts = [{ content: { $case: "data", value }, filename: "", mediaType: "" }];
  const answer = await transport.sendMessage({ message });
  const [read] = answer.parts;
  console.log("sent:", JSON.stringify(sent.parts[0]), "read:", JSON.stringify(read.content), "sent again:", JSON.stringify(Message.toJSON({ ...message, parts: [read] }).parts[0]));
}
JS
node null.mjs >observed
cat observed
cat >expected <<'TEXT'
sent: {"data":0} read: {"$case":"data","value":0} sent again: {"data":0}
sent: {"data":false} read: {"$case":"data","value":false} sent again: {"data":false}
sent: {"data":""} read: {"$case":"data","value":""} sent again: {"data":""}
sent: {"data":[null]} read: {"$case":"data","value":[null]} sent again: {"data":[null]}
sent: {"data":{"found":null}} read: {"$case":"data","value":{"found":null}} sent again: {"data":{"found":null}}
sent: {"data":null} read: undefined sent again: {}
TEXT
diff expected observed
