#!/bin/sh
# Package:  cloudevents 10.0.0 (npm)
# Guess:    an event in the structured mode of HTTP is read with its data, whichever JSON value that is.
# Observed: the data false, 0 and "" are dropped without an error, as if the event had none. The JSON that the same
#           package writes has them, and true, 17 and "a" are read.
set -eu
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
npm install --silent --no-audit --no-fund cloudevents@10.0.0
cat >data.mjs <<'JS'
import { CloudEvent, HTTP } from "cloudevents";
for (const data of [true, 17, "a", [], false, 0, ""]) {
  const message = HTTP.structured(new CloudEvent({ id: "1", source: "/agent", type: "answer", datacontenttype: "application/json", data }));
  console.log("written:", JSON.stringify(JSON.parse(message.body).data), "read:", JSON.stringify(HTTP.toEvent(message).data));
}
JS
node data.mjs >observed
cat observed
cat >expected <<'TEXT'
written: true read: true
written: 17 read: 17
written: "a" read: "a"
written: [] read: []
written: false read: undefined
written: 0 read: undefined
written: "" read: undefined
TEXT
diff expected observed
