// The OpenAI Agents SDK for JavaScript: the requests that its models make from the items of a run.
import { setTracingDisabled, withTrace } from "@openai/agents-core";
import { OpenAIChatCompletionsModel, OpenAIResponsesModel } from "@openai/agents-openai";
import OpenAI from "openai";
import { attempt, recorder, serve, version } from "../serve.mjs";

setTracingDisabled(true);
const { fetch, sent } = recorder();
const client = new OpenAI({ apiKey: "none", maxRetries: 0, fetch });
const models = {
  "openai-chat": new OpenAIChatCompletionsModel(client, "gpt-4o"),
  "openai-responses": new OpenAIResponsesModel(client, "gpt-5"),
};

// request returns the body of the request that the next agent's model makes after a handoff.
function request(history, target) {
  const { inputHistory, preHandoffItems, newItems } = JSON.parse(history);
  const before = typeof inputHistory === "string" ? [{ role: "user", content: inputHistory }] : inputHistory;
  const input = [...before, ...preHandoffItems.map((item) => item.rawItem), ...newItems.map((item) => item.rawItem)];
  const options = { input, modelSettings: {}, tools: [], handoffs: [], outputType: "text", tracing: false };
  return sent(() => withTrace("adapter", () => models[target].getResponse(options)));
}

serve(`@openai/agents ${version(import.meta.url, "@openai/agents")}`, {
  "convert-history": ({ format, history, to }) =>
    format === "openai-js" && to.length === 1 && models[to[0]] ? attempt(() => request(history, to[0])) : undefined,
});
