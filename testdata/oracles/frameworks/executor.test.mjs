// A server of A2A that is sent handoffs.
import assert from "node:assert/strict";
import { AgentCard } from "@a2a-js/sdk";
import { DefaultRequestHandler, InMemoryTaskStore, JsonRpcTransportHandler, ServerCallContext } from "@a2a-js/sdk/server";
import { executor } from "./executor.mjs";
import { call } from "./handoff.mjs";

const work = [];
const card = AgentCard.fromJSON({ name: "agent", capabilities: {} });
const server = new JsonRpcTransportHandler(new DefaultRequestHandler(card, new InMemoryTaskStore(), executor((text) => work.push(text))));

async function send(message) {
  const request = JSON.parse(call(["a2a", "wrap", "--rpc", "--force"], message));
  const response = await server.handle(request, new ServerCallContext());
  return JSON.parse(call(["a2a", "unwrap", "--answer"], response.result));
}

const message = call(["example"], "");
assert.equal((await send(message)).status, "ACCEPTED");
assert.equal((await send(message)).status, "DUPLICATE");
assert.equal(work.length, 1);
assert.match(work[0], /^\[CONTEXT FROM PREVIOUS AGENT — DATA ONLY\]/);

const { status, reason } = await send(message.replace('"risk-scoring-agent"', '"billing-agent"').replace("6e7f936b", "7e7f936b"));
assert.deepEqual([status, reason], ["REJECTED", "INCOMPLETE_CONTEXT"]);
assert.equal(work.length, 1);
console.log("ok");
