#!/bin/sh
# Package:  cloudevents 10.0.0 (npm)
# Guess:    an event with a JSON value as its data is read with this value, in the structured and in the binary
#           mode of HTTP.
# Observed: the structured mode drops false, 0 and "", which the same package wrote, without an error. The binary
#           mode writes a text without quotes: the text {"order":17}, as the arguments of a tool are, is read as
#           an object, and the text lamp is no JSON for other readers.
set -eu
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
npm install --silent --no-audit --no-fund cloudevents@10.0.0
cat >data.mjs <<'JS'
import { CloudEvent, HTTP } from "cloudevents";
const event = (data) => new CloudEvent({ id: "1", source: "/agent", type: "answer", datacontenttype: "application/json", data });
for (const data of [true, 17, [], false, 0, ""]) {
  const message = HTTP.structured(event(data));
  console.log("structured", JSON.stringify(JSON.parse(message.body).data), "read:", JSON.stringify(HTTP.toEvent(message).data));
}
for (const data of [{ order: 17 }, JSON.stringify({ order: 17 }), "lamp"]) {
  const structured = HTTP.structured(event(data)), binary = HTTP.binary(event(data));
  console.log("structured", JSON.stringify(JSON.parse(structured.body).data), "read:", JSON.stringify(HTTP.toEvent(structured).data));
  console.log("binary", binary.body, "read:", JSON.stringify(HTTP.toEvent(binary).data));
}
JS
node data.mjs >observed
cat observed
cat >expected <<'TEXT'
structured true read: true
structured 17 read: 17
structured [] read: []
structured false read: undefined
structured 0 read: undefined
structured "" read: undefined
structured {"order":17} read: {"order":17}
binary {"order":17} read: {"order":17}
structured "{\"order\":17}" read: "{\"order\":17}"
binary {"order":17} read: {"order":17}
structured "lamp" read: "lamp"
binary lamp read: "lamp"
TEXT
diff expected observed
