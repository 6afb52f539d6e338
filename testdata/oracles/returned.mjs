// Prints histories as the SDKs return them when a model, in place of which is a fake network, answers with
// every type of part: a line for each, with the SDK, the provider that it is for, and the history. The test
// TestReturned of pkg/repair reads the lines in testdata/returned.
import Anthropic from "@anthropic-ai/sdk";
import { createAnthropic } from "@ai-sdk/anthropic";
import { createGoogle } from "@ai-sdk/google";
import { createOpenAI } from "@ai-sdk/openai";
import { BedrockRuntimeClient, ConverseCommand } from "@aws-sdk/client-bedrock-runtime";
import { BaseLlm, InMemorySessionService, FunctionTool as AdkTool, LlmAgent, Runner as AdkRunner } from "@google/adk";
import { GoogleGenAI } from "@google/genai";
import { ChatAnthropic } from "@langchain/anthropic";
import { HumanMessage, mapChatMessagesToStoredMessages } from "@langchain/core/messages";
import { tool as langChainTool } from "@langchain/core/tools";
import { createReactAgent } from "@langchain/langgraph/prebuilt";
import { ChatOpenAI } from "@langchain/openai";
import { Agent, Runner, setTracingDisabled, tool as agentTool, webSearchTool } from "@openai/agents";
import { OpenAIResponsesModel } from "@openai/agents-openai";
import { convertToModelMessages, generateText, readUIMessageStream, stepCountIs, streamText, tool } from "ai";
import OpenAI from "openai";
import { z } from "zod";

for (const name of ["log", "info", "warn", "debug"]) console[name] = console.error;
globalThis.AI_SDK_LOG_WARNINGS = false;
setTracingDisabled(true);

// write prints a history, with others in place of random ids.
function write(of, provider, history) {
  const ids = new Map();
  const fixed = (key, value) => {
    if (!/id$/i.test(key) || !/^[A-Za-z0-9]{16}$/.test(value)) return value;
    if (!ids.has(value)) ids.set(value, `id${ids.size}`);
    return ids.get(value);
  };
  process.stdout.write(JSON.stringify({ of, for: provider, history }, fixed) + "\n");
}

// json is a fetch that gives the answers one after another; events gives them as events of a stream.
const json = (...answers) => async () => Response.json(answers.shift());
const events = (...answers) => async () =>
  new Response(answers.shift().map((e) => `${e.type ? `event: ${e.type}\n` : ""}data: ${JSON.stringify(e)}\n\n`).join(""), { headers: { "content-type": "text/event-stream" } });

// What the models say: an array of steps, of which the last has no call for the client.
const claude = {
  "web search": [[
    { type: "server_tool_use", id: "srvtoolu_1", name: "web_search", input: { query: "ferry to Bonn" } },
    { type: "web_search_tool_result", tool_use_id: "srvtoolu_1", content: [{ type: "web_search_result", url: "https://example.test/ferry", title: "Ferry", encrypted_content: "Eqf0", page_age: null }] },
    { type: "text", text: "At nine.", citations: [{ type: "web_search_result_location", url: "https://example.test/ferry", title: "Ferry", encrypted_index: "Eo8B", cited_text: "leaves at nine" }] },
  ]],
  "failed web search": [[
    { type: "server_tool_use", id: "srvtoolu_1", name: "web_search", input: { query: "ferry" } },
    { type: "web_search_tool_result", tool_use_id: "srvtoolu_1", content: { type: "web_search_tool_result_error", error_code: "max_uses_exceeded" } },
    { type: "text", text: "I could not search." },
  ]],
  "web fetch": [[
    { type: "server_tool_use", id: "srvtoolu_1", name: "web_fetch", input: { url: "https://example.test/ferry" } },
    { type: "web_fetch_tool_result", tool_use_id: "srvtoolu_1", content: { type: "web_fetch_result", url: "https://example.test/ferry", retrieved_at: "2026-11-02T10:00:00Z",
      content: { type: "document", title: "Ferry", citations: { enabled: false }, source: { type: "text", media_type: "text/plain", data: "It leaves at nine." } } } },
    { type: "text", text: "At nine." },
  ]],
  "code execution": [[
    { type: "server_tool_use", id: "srvtoolu_1", name: "bash_code_execution", input: { command: "ls" } },
    { type: "bash_code_execution_tool_result", tool_use_id: "srvtoolu_1", content: { type: "bash_code_execution_result", stdout: "a.txt\n", stderr: "", return_code: 0, content: [] } },
    { type: "server_tool_use", id: "srvtoolu_2", name: "text_editor_code_execution", input: { command: "view", path: "a.txt" } },
    { type: "text_editor_code_execution_tool_result", tool_use_id: "srvtoolu_2", content: { type: "text_editor_code_execution_view_result", file_type: "text", content: "nine", num_lines: 1, start_line: 1, total_lines: 1 } },
    { type: "text", text: "At nine." },
  ]],
  "thinking, parallel calls": [[
    { type: "thinking", thinking: "Two lookups.", signature: "EqQBCkYI" },
    { type: "redacted_thinking", data: "EmwKAhgB" },
    { type: "text", text: "I look." },
    { type: "tool_use", id: "toolu_1", name: "tide", input: { at: "Bonn" } },
    { type: "tool_use", id: "toolu_2", name: "tide", input: { at: "Kiel" } },
  ], [{ type: "text", text: "Low, and high." }]],
  "tool search": [[
    { type: "server_tool_use", id: "srvtoolu_1", name: "tool_search_tool_regex", input: { query: "tide" } },
    { type: "tool_search_tool_result", tool_use_id: "srvtoolu_1", content: { type: "tool_search_tool_search_result", tool_references: [{ type: "tool_reference", tool_name: "tide" }] } },
    { type: "tool_use", id: "toolu_1", name: "tide", input: { at: "Bonn" } },
  ], [{ type: "text", text: "Low." }]],
  "server of the Model Context Protocol": [[
    { type: "mcp_tool_use", id: "mcptoolu_1", name: "tide", server_name: "harbour", input: { at: "Bonn" } },
    { type: "mcp_tool_result", tool_use_id: "mcptoolu_1", is_error: false, content: [{ type: "text", text: "low" }] },
    { type: "text", text: "Low." },
  ]],
  "programmatic calls": [[
    { type: "server_tool_use", id: "srvtoolu_1", name: "code_execution", input: { code: "print(await tide(at='Bonn'))" } },
    { type: "tool_use", id: "toolu_1", name: "tide", input: { at: "Bonn" }, caller: { type: "code_execution_20250825", tool_id: "srvtoolu_1" } },
  ], [
    { type: "code_execution_tool_result", tool_use_id: "srvtoolu_1", content: { type: "code_execution_result", stdout: "low\n", stderr: "", return_code: 0, content: [] } },
    { type: "text", text: "Low." },
  ]],
};
let answers = 0; // for ids
const claudeMessage = (content) => ({
  id: `msg_${++answers}`, type: "message", role: "assistant", model: "claude-sonnet-4-5", content, stop_sequence: null, usage: { input_tokens: 1, output_tokens: 1 },
  stop_reason: content.some((b) => b.type === "tool_use") ? "tool_use" : "end_turn",
});

// claudeStream is the message as a stream.
function claudeStream(content) {
  const whole = claudeMessage(content);
  const all = [{ type: "message_start", message: { ...whole, content: [], stop_reason: null } }];
  for (const [index, block] of content.entries()) {
    const { text, input, thinking, signature, citations, ...rest } = block;
    const empty = { ...rest, ...(text !== undefined && { text: "" }), ...(input !== undefined && { input: {} }), ...(thinking !== undefined && { thinking: "", signature: "" }) };
    all.push({ type: "content_block_start", index, content_block: empty });
    const delta = (delta) => all.push({ type: "content_block_delta", index, delta });
    for (const citation of citations ?? []) delta({ type: "citations_delta", citation });
    if (text) for (const piece of text.split(/(?<= )/)) delta({ type: "text_delta", text: piece });
    if (thinking) delta({ type: "thinking_delta", thinking });
    if (signature) delta({ type: "signature_delta", signature });
    if (input) delta({ type: "input_json_delta", partial_json: JSON.stringify(input) });
    all.push({ type: "content_block_stop", index });
  }
  return [...all, { type: "message_delta", delta: { stop_reason: whole.stop_reason, stop_sequence: null }, usage: { output_tokens: 1 } }, { type: "message_stop" }];
}

const question = "When does the ferry leave?";
const tides = (at) => (at === "Kiel" ? "high" : "low");

// Anthropic's own SDK: the messages that a program keeps.
for (const [name, steps] of Object.entries(claude)) {
  for (const streamed of [false, true]) {
    const client = new Anthropic({ apiKey: "none", fetch: streamed ? events(...steps.map(claudeStream)) : json(...steps.map(claudeMessage)) });
    const messages = [{ role: "user", content: question }];
    for (const step of steps) {
      const request = { model: "claude-sonnet-4-5", max_tokens: 1024, messages };
      const { role, content } = streamed ? await client.messages.stream(request).finalMessage() : await client.messages.create(request);
      messages.push({ role, content });
      const results = step.filter((b) => b.type === "tool_use").map((b) => ({ type: "tool_result", tool_use_id: b.id, content: tides(b.input.at) }));
      messages.push({ role: "user", content: results.length ? results : "Thanks." });
    }
    write(`@anthropic-ai/sdk, ${name}${streamed ? ", streamed" : ""}`, "anthropic", messages);
  }
}

const gpt = {
  "web search": [[
    { type: "reasoning", id: "rs_1", summary: [], encrypted_content: "gAAAAABq" },
    { type: "web_search_call", id: "ws_1", status: "completed", action: { type: "search", query: "ferry to Bonn", queries: ["ferry to Bonn"] } },
    { type: "message", id: "msg_1", role: "assistant", status: "completed", content: [{ type: "output_text", text: "At nine.", logprobs: [],
      annotations: [{ type: "url_citation", start_index: 0, end_index: 8, url: "https://example.test/ferry", title: "Ferry" }] }] },
  ]],
  "file search, code interpreter": [[
    { type: "reasoning", id: "rs_1", summary: [], encrypted_content: "gAAAAABq" },
    { type: "file_search_call", id: "fs_1", status: "completed", queries: ["ferry"], results: [{ file_id: "file-1", filename: "ferry.txt", score: 0.9, text: "at nine", attributes: {} }] },
    { type: "code_interpreter_call", id: "ci_1", status: "completed", container_id: "cntr_1", code: "print(9)", outputs: [{ type: "logs", logs: "9" }] },
    { type: "image_generation_call", id: "ig_1", status: "completed", result: "iVBORw0KGgo=" },
    { type: "message", id: "msg_1", role: "assistant", status: "completed", content: [{ type: "output_text", text: "At nine.", annotations: [], logprobs: [] }] },
  ]],
  "server of the Model Context Protocol": [[
    { type: "reasoning", id: "rs_1", summary: [], encrypted_content: "gAAAAABq" },
    { type: "mcp_list_tools", id: "mcpl_1", server_label: "harbour", tools: [{ name: "tide", description: "The tide.", input_schema: { type: "object" }, annotations: {} }] },
    { type: "mcp_call", id: "mcp_1", server_label: "harbour", name: "tide", arguments: "{\"at\":\"Bonn\"}", output: "low", status: "completed" },
    { type: "message", id: "msg_1", role: "assistant", status: "completed", content: [{ type: "output_text", text: "Low.", annotations: [], logprobs: [] }] },
  ]],
  "tool search": [[
    { type: "reasoning", id: "rs_1", summary: [{ type: "summary_text", text: "I search." }], encrypted_content: "gAAAAABq" },
    { type: "tool_search_call", id: "tsc_1", call_id: null, execution: "server", status: "completed", arguments: { paths: ["harbour"] } },
    { type: "tool_search_output", id: "tso_1", call_id: null, execution: "server", status: "completed", tools: [{ type: "function", name: "tide", parameters: {}, strict: true }] },
    { type: "function_call", id: "fc_1", call_id: "call_1", name: "tide", arguments: "{\"at\":\"Bonn\"}", status: "completed" },
  ], [{ type: "reasoning", id: "rs_2", summary: [], encrypted_content: "gAAAAABr" }, { type: "message", id: "msg_2", role: "assistant", status: "completed", content: [{ type: "output_text", text: "Low.", annotations: [], logprobs: [] }] }]],
  "parallel calls, refusal": [[
    { type: "reasoning", id: "rs_1", summary: [], encrypted_content: "gAAAAABq" },
    { type: "function_call", id: "fc_1", call_id: "call_1", name: "tide", arguments: "{\"at\":\"Bonn\"}", status: "completed" },
    { type: "function_call", id: "fc_2", call_id: "call_2", name: "tide", arguments: "{\"at\":\"Kiel\"}", status: "completed" },
  ], [{ type: "reasoning", id: "rs_2", summary: [], encrypted_content: "gAAAAABr" }, { type: "message", id: "msg_2", role: "assistant", status: "completed", content: [{ type: "refusal", refusal: "I will not say." }] }]],
  "custom call": [[
    { type: "custom_tool_call", id: "ctc_1", call_id: "call_1", name: "tide", input: "Bonn" },
  ], [{ type: "reasoning", id: "rs_2", summary: [], encrypted_content: "gAAAAABr" }, { type: "message", id: "msg_2", role: "assistant", status: "completed", content: [{ type: "output_text", text: "Low.", annotations: [], logprobs: [] }] }]],
};
const gptResponse = (output) => ({
  id: `resp_${++answers}`, object: "response", created_at: 1764000000, status: "completed", error: null, incomplete_details: null, instructions: null, metadata: {}, model: "gpt-5",
  output, parallel_tool_calls: true, temperature: 1, tool_choice: "auto", tools: [], top_p: 1,
  usage: { input_tokens: 1, input_tokens_details: { cached_tokens: 0 }, output_tokens: 1, output_tokens_details: { reasoning_tokens: 0 }, total_tokens: 2 },
});

// gptStream is the response as a stream.
function gptStream(output) {
  const whole = gptResponse(output);
  const all = [{ type: "response.created", response: { ...whole, output: [], status: "in_progress" } }];
  for (const [output_index, item] of output.entries()) {
    const of = { item_id: item.id, output_index };
    const started = { ...item, ...(item.status && { status: "in_progress" }), ...(item.content && { content: [] }), ...(item.type === "function_call" && { arguments: "" }) };
    all.push({ type: "response.output_item.added", output_index, item: started });
    for (const [content_index, part] of (item.content ?? []).entries()) {
      const empty = part.type === "refusal" ? { ...part, refusal: "" } : { ...part, text: "", annotations: [] };
      all.push({ type: "response.content_part.added", ...of, content_index, part: empty });
      if (part.type === "refusal") all.push({ type: "response.refusal.delta", ...of, content_index, delta: part.refusal });
      else all.push({ type: "response.output_text.delta", ...of, content_index, delta: part.text, logprobs: [] });
      for (const [annotation_index, annotation] of (part.annotations ?? []).entries())
        all.push({ type: "response.output_text.annotation.added", ...of, content_index, annotation_index, annotation });
      all.push({ type: "response.content_part.done", ...of, content_index, part });
    }
    if (item.type === "function_call") all.push({ type: "response.function_call_arguments.delta", ...of, delta: item.arguments });
    if (item.type === "custom_tool_call") all.push({ type: "response.custom_tool_call_input.delta", ...of, delta: item.input });
    all.push({ type: "response.output_item.done", output_index, item });
  }
  return [...all, { type: "response.completed", response: whole }].map((e, i) => ({ ...e, sequence_number: i }));
}

// openai, the Responses API: the items that a program keeps.
for (const [name, steps] of Object.entries(gpt)) {
  for (const streamed of [false, true]) {
    const client = new OpenAI({ apiKey: "none", fetch: streamed ? events(...steps.map(gptStream)) : json(...steps.map(gptResponse)) });
    const input = [{ role: "user", content: question }];
    for (const step of steps) {
      const request = { model: "gpt-5", input, store: false, include: ["reasoning.encrypted_content"] };
      const { output } = streamed ? await client.responses.stream(request).finalResponse() : await client.responses.create(request);
      input.push(...output);
      for (const item of step) {
        if (item.type === "function_call") input.push({ type: "function_call_output", call_id: item.call_id, output: tides(JSON.parse(item.arguments).at) });
        if (item.type === "custom_tool_call") input.push({ type: "custom_tool_call_output", call_id: item.call_id, output: "low" });
      }
    }
    input.push({ role: "user", content: "Thanks." });
    write(`openai, responses, ${name}${streamed ? ", streamed" : ""}`, "openai-responses", input);
  }
}

// openai, the Chat API.
const chat = {
  "parallel calls": [
    { role: "assistant", content: null, refusal: null, annotations: [], tool_calls: ["Bonn", "Kiel"].map((at, i) => ({ id: `call_${i}`, type: "function", function: { name: "tide", arguments: JSON.stringify({ at }) } })) },
    { role: "assistant", content: "Low, and high.", refusal: null, annotations: [] },
  ],
  refusal: [{ role: "assistant", content: null, refusal: "I will not say.", annotations: [] }],
  "cited search": [{ role: "assistant", content: "At nine.", refusal: null, annotations: [{ type: "url_citation", url_citation: { start_index: 0, end_index: 8, title: "Ferry", url: "https://example.test/ferry" } }] }],
  "custom call": [
    { role: "assistant", content: null, refusal: null, annotations: [], tool_calls: [{ id: "call_1", type: "custom", custom: { name: "tide", input: "Bonn" } }] },
    { role: "assistant", content: "Low.", refusal: null, annotations: [] },
  ],
};
const completion = (message) => ({ id: "c", object: "chat.completion", created: 1764000000, model: "gpt-5", choices: [{ index: 0, message, logprobs: null, finish_reason: message.tool_calls ? "tool_calls" : "stop" }] });
for (const [name, steps] of Object.entries(chat)) {
  const client = new OpenAI({ apiKey: "none", fetch: json(...steps.map(completion)) });
  const messages = [{ role: "user", content: question }];
  for (let step = 0; step < steps.length; step++) {
    const { message } = (await client.chat.completions.create({ model: "gpt-5", messages })).choices[0];
    messages.push(message);
    for (const call of message.tool_calls ?? []) messages.push({ role: "tool", tool_call_id: call.id, content: "low" });
  }
  messages.push({ role: "user", content: "Thanks." });
  write(`openai, chat, ${name}`, "openai-chat", messages);
}

// The AI SDK with its providers: the messages of the response, after the question.
const tools = { tide: tool({ inputSchema: z.any(), execute: ({ at }) => tides(at) }) };
const googleSteps = {
  "code execution": [[
    { text: "I compute.", thought: true, thoughtSignature: "CiQB" },
    { executableCode: { language: "PYTHON", code: "print(9)" } },
    { codeExecutionResult: { outcome: "OUTCOME_OK", output: "9\n" } },
    { text: "At nine.", thoughtSignature: "CiQC" },
  ]],
  "parallel calls": [[
    { functionCall: { name: "tide", args: { at: "Bonn" } }, thoughtSignature: "CiQB" },
    { functionCall: { name: "tide", args: { at: "Kiel" } } },
  ], [{ text: "Low, and high." }]],
  "an image": [[{ text: "Here it is." }, { inlineData: { mimeType: "image/png", data: "iVBORw0KGgo=" } }]],
};
const googleAnswer = (parts) => ({ candidates: [{ content: { role: "model", parts }, finishReason: "STOP", index: 0 }], usageMetadata: { promptTokenCount: 1, candidatesTokenCount: 1, totalTokenCount: 2 } });
const googleStream = (parts) => parts.map((part) => googleAnswer([part]));

const aiProviders = [
  ["anthropic", claude, claudeMessage, claudeStream, (fetch) => createAnthropic({ apiKey: "none", fetch })("claude-sonnet-4-5"), (p) => ({
    web_search: p.tools.webSearch_20250305(), web_fetch: p.tools.webFetch_20250910(), code_execution: p.tools.codeExecution_20250825(), tool_search_tool_regex: p.tools.toolSearchRegex_20251119(),
  }), createAnthropic({ apiKey: "none" })],
  ["openai-responses", gpt, gptResponse, gptStream, (fetch) => createOpenAI({ apiKey: "none", fetch }).responses("gpt-5"), (p) => ({
    web_search: p.tools.webSearch(), file_search: p.tools.fileSearch({ vectorStoreIds: ["v"] }), code_interpreter: p.tools.codeInterpreter(), image_generation: p.tools.imageGeneration(),
  }), createOpenAI({ apiKey: "none" })],
  ["gemini", googleSteps, googleAnswer, googleStream, (fetch) => createGoogle({ apiKey: "none", fetch })("gemini-3-pro"), (p) => ({ code_execution: p.tools.codeExecution({}) }), createGoogle({ apiKey: "none" })],
];
for (const [provider, all, whole, stream, model, hosted, of] of aiProviders) {
  for (const [name, steps] of Object.entries(all)) {
    if (name === "custom call") continue; // the SDK has no such call
    let n = 0;
    const options = { messages: [{ role: "user", content: question }], tools: { ...tools, ...hosted(of) }, stopWhen: stepCountIs(5), maxRetries: 0 };
    const { responseMessages } = await generateText({ ...options, model: model(json(...steps.map(whole))) });
    write(`ai, ${provider}, ${name}`, provider, [...options.messages, ...responseMessages, { role: "user", content: "Thanks." }]);

    const streamed = streamText({ ...options, model: model(events(...steps.map(stream))) });
    let ui;
    for await (const message of readUIMessageStream({ stream: streamed.toUIMessageStream({ generateMessageId: () => `m${++n}`, sendSources: true }) })) ui = message;
    const messages = [{ id: "u1", role: "user", parts: [{ type: "text", text: question }] }, ui, { id: "u2", role: "user", parts: [{ type: "text", text: "Thanks." }] }];
    write(`ai, ${provider}, ${name}, UIMessages`, provider, messages);
    write(`ai, ${provider}, ${name}, UIMessages converted`, provider, await convertToModelMessages(messages));
  }
}

// The AI SDK with approvals: granted and denied.
for (const approved of [true, false]) {
  const fetch = json(...[[claude["thinking, parallel calls"][0][3]], [{ type: "text", text: "Done." }]].map(claudeMessage));
  const options = { model: createAnthropic({ apiKey: "none", fetch })("claude-sonnet-4-5"), tools: { tide: tool({ inputSchema: z.any(), needsApproval: true, execute: ({ at }) => tides(at) }) }, stopWhen: stepCountIs(5) };
  const messages = [{ role: "user", content: question }];
  const first = await generateText({ ...options, messages });
  messages.push(...first.responseMessages);
  const asked = messages.at(-1).content.find((p) => p.type === "tool-approval-request");
  asked.approvalId = "ap1"; // else a random one
  messages.push({ role: "tool", content: [{ type: "tool-approval-response", approvalId: "ap1", approved, ...(!approved && { reason: "Too late." }) }] });
  messages.push(...(await generateText({ ...options, messages })).responseMessages, { role: "user", content: "Thanks." });
  write(`ai, an approval, ${approved ? "granted" : "denied"}`, "anthropic", messages);
}

// LangChain: the messages of an agent, stored and dumped.
const lookup = langChainTool(({ at }) => tides(at), { name: "tide", schema: z.object({ at: z.string() }) });
const settings = { apiKey: "none", maxRetries: 0, streaming: false };
const chatModels = [
  ["anthropic", claude, claudeMessage, (fetch) => new ChatAnthropic({ ...settings, model: "claude-sonnet-4-5", clientOptions: { fetch, maxRetries: 0 } })],
  ["anthropic", claude, claudeMessage, (fetch) => new ChatAnthropic({ ...settings, model: "claude-sonnet-4-5", outputVersion: "v1", clientOptions: { fetch, maxRetries: 0 } }), "v1"],
  ["openai-responses", gpt, gptResponse, (fetch) => new ChatOpenAI({ ...settings, model: "gpt-5", useResponsesApi: true, configuration: { fetch } })],
  ["openai-responses", gpt, gptResponse, (fetch) => new ChatOpenAI({ ...settings, model: "gpt-5", useResponsesApi: true, outputVersion: "v1", configuration: { fetch } }), "v1"],
];
for (const [provider, all, whole, model, version] of chatModels) {
  for (const [name, steps] of Object.entries(all)) {
    if (name === "custom call") continue;
    if (version && name === "programmatic calls") continue; // blocks of version 1 lose the caller
    const agent = createReactAgent({ llm: model(json(...steps.map(whole))), tools: [lookup] });
    const { messages } = await agent.invoke({ messages: [new HumanMessage({ id: "h1", content: question })] });
    messages.push(new HumanMessage({ id: "h2", content: "Thanks." }));
    for (const [i, message] of messages.entries()) message.id = `m${i}`;
    const of = `@langchain/core, ${provider}, ${name}${version ? `, ${version}` : ""}`;
    write(`${of}, stored`, provider, mapChatMessagesToStoredMessages(messages));
    write(`${of}, dumped`, provider, messages.map((m) => JSON.parse(JSON.stringify(m))));
  }
}

// The Agents SDK: the history of a run.
const harbour = agentTool({ name: "tide", description: "The tide.", parameters: z.object({ at: z.string() }), execute: ({ at }) => tides(at) });
for (const [name, steps] of Object.entries(gpt)) {
  if (name === "custom call" || name === "tool search") continue; // it would run them itself
  if (name === "parallel calls, refusal") continue; // it throws an error for a refusal
  const client = new OpenAI({ apiKey: "none", maxRetries: 0, fetch: json(...steps.map(gptResponse)) });
  const agent = new Agent({ name: "clerk", model: new OpenAIResponsesModel(client, "gpt-5"), tools: [harbour, webSearchTool()] });
  const result = await new Runner().run(agent, question);
  write(`@openai/agents, ${name}`, "openai-responses", [...result.history, { role: "user", content: "Thanks." }]);
}

// Google's SDK: the history of a chat.
for (const [name, steps] of Object.entries(googleSteps)) {
  for (const streamed of [false, true]) {
    if (streamed && name === "parallel calls") continue; // the chat stores calls in two contents, which the API refuses
    globalThis.fetch = streamed ? events(...steps.map(googleStream)) : json(...steps.map(googleAnswer));
    const chat = new GoogleGenAI({ apiKey: "none" }).chats.create({ model: "gemini-3-pro" });
    let message = question;
    for (const step of steps) {
      if (streamed) for await (const _ of await chat.sendMessageStream({ message }));
      else await chat.sendMessage({ message });
      message = step.filter((p) => p.functionCall).map((p) => ({ functionResponse: { name: "tide", response: { output: tides(p.functionCall.args.at) } } }));
    }
    write(`@google/genai, ${name}${streamed ? ", streamed" : ""}`, "gemini", [...chat.getHistory(), { role: "user", parts: [{ text: "Thanks." }] }]);
  }
}

// Google's ADK: the events of a session.
class Model extends BaseLlm {
  constructor(steps) {
    super({ model: "fake" });
    this.steps = [...steps];
  }
  async *generateContentAsync() {
    yield { content: { role: "model", parts: structuredClone(this.steps.shift()) }, turnComplete: true };
  }
  async connect() {
    throw new Error("no live connections");
  }
}
for (const [name, steps] of Object.entries(googleSteps)) {
  const service = new InMemorySessionService();
  const names = { appName: "ferry", userId: "user", sessionId: "session" };
  await service.createSession(names);
  const tide = new AdkTool({ name: "tide", description: "The tide.", parameters: z.object({ at: z.string() }), execute: ({ at }) => tides(at) });
  const runner = new AdkRunner({ appName: "ferry", agent: new LlmAgent({ name: "clerk", model: new Model([...steps, [{ text: "Bye." }]]), tools: [tide] }), sessionService: service });
  for (const text of [question, "Thanks."]) for await (const _ of runner.runAsync({ ...names, newMessage: { role: "user", parts: [{ text }] } }));
  const { events } = await service.getSession(names);
  const ids = new Map(); // random ids and times become fixed ones
  const fixed = (value) => JSON.parse(JSON.stringify(value, (key, v) => (/id$/i.test(key) && typeof v === "string" ? (ids.has(v) || ids.set(v, `id${ids.size}`), ids.get(v)) : key === "timestamp" ? 1764000000 : v)));
  write(`@google/adk, ${name}`, "gemini", fixed(events.slice(0, -1)));
}

// Amazon's SDK for Converse.
const nova = [
  { reasoningContent: { reasoningText: { text: "I look.", signature: "EqQB" } } },
  { toolUse: { toolUseId: "tooluse_1", name: "tide", input: { at: "Bonn" } } },
];
{
  const steps = [nova, [{ text: "Low." }]];
  const body = (content) => ({ output: { message: { role: "assistant", content } }, stopReason: content.some((b) => b.toolUse) ? "tool_use" : "end_turn", usage: { inputTokens: 1, outputTokens: 1, totalTokens: 2 }, metrics: { latencyMs: 1 } });
  const handle = async () => ({ response: { statusCode: 200, headers: { "content-type": "application/json" }, body: new Blob([JSON.stringify(body(steps.shift()))]).stream() } });
  const client = new BedrockRuntimeClient({ credentials: { accessKeyId: "none", secretAccessKey: "none" }, region: "us-east-1", requestHandler: { handle } });
  const messages = [{ role: "user", content: [{ text: question }, { cachePoint: { type: "default" } }] }];
  messages.push((await client.send(new ConverseCommand({ modelId: "model", messages }))).output.message);
  messages.push({ role: "user", content: [{ toolResult: { toolUseId: "tooluse_1", status: "success", content: [{ text: "low" }] } }] });
  messages.push((await client.send(new ConverseCommand({ modelId: "model", messages }))).output.message);
  messages.push({ role: "user", content: [{ text: "Thanks." }] });
  write("@aws-sdk/client-bedrock-runtime", "bedrock-converse", messages);
}
process.exit(0);
