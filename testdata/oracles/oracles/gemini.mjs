// @google/genai: Content[].
import { GoogleGenAI } from "@google/genai";
import { typed } from "../types.mjs";
import { body, takes } from "../wire.mjs";

const requests = [];
globalThis.fetch = takes(requests);
const ai = new GoogleGenAI({ apiKey: "none", httpOptions: { retryOptions: { attempts: 1 } } });
const model = "gemini-2.5-flash";
const history = (document) => (Array.isArray(document) ? document : document.contents);
const types = typed(`import type { Content } from "@google/genai";`, `Content[]`, history);

export default () => Object.assign(check, { all: types.all });

function check(document) {
  const contents = history(document);
  return {
    checks: {
      types: () => types(document),
      // What was left out of the history of a chat, as it is sent, is not in curated.
      chat: async () => {
        const chat = ai.chats.create({ model, history: contents });
        await send(() => chat.sendMessage({ message: "on" }));
        return { curated: chat.getHistory(true) };
      },
      generate: async () => ({ request: await send(() => ai.models.generateContent({ model, contents })) }),
    },
  };
}

function send(request) {
  requests.length = 0;
  return body(requests, request);
}
