// A model behind the Chat Completions API on this machine, which records requests, and the turns in a request.
import { createServer } from "node:http";

// answer is the model's answer to each request. It is no turn of the session.
const answer = "This is the answer of the model for the tests.";

// chatModel starts the model. It returns its address, and a function that returns the requests since the last call.
export async function chatModel() {
  let requests = [];
  const server = createServer(async (request, response) => {
    let body = "";
    for await (const part of request) body += part;
    if (request.method === "POST") requests.push(JSON.parse(body));
    response.writeHead(200, { "content-type": "text/event-stream" });
    for (const [delta, finish_reason] of [[{ role: "assistant", content: answer }, null], [{}, "stop"]]) {
      const usage = { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 };
      const chunk = { id: "c", object: "chat.completion.chunk", created: 1, model: "m", choices: [{ index: 0, delta, finish_reason }], usage };
      response.write(`data: ${JSON.stringify(chunk)}\n\n`);
    }
    response.end("data: [DONE]\n\n");
  });
  await new Promise((listens) => server.listen(0, "127.0.0.1", listens));
  const taken = () => {
    const all = requests;
    requests = [];
    return all;
  };
  return { url: `http://127.0.0.1:${server.address().port}/v1`, taken };
}

const textOf = (content) => (typeof content === "string" ? content : (content ?? []).map((part) => part.text ?? "").join("\n"));

// chatTurns converts messages of the Chat Completions API. shown returns the turns in a text of the user.
export function chatTurns(messages, shown) {
  const all = [];
  const calls = new Map();
  for (const { role, content, tool_calls, tool_call_id } of messages) {
    const text = textOf(content);
    if (role === "user") all.push(...shown(text));
    if (role === "assistant" && text && text !== answer) all.push({ role, text });
    for (const { id, function: called } of tool_calls ?? []) {
      const call = { role: "assistant", tool: called.name, input: called.arguments };
      calls.set(id, call);
      all.push(call);
    }
    if (role === "tool" && calls.has(tool_call_id)) calls.get(tool_call_id).result = text;
  }
  return all;
}
