// A chat model of LangChain that says what it is told to say.
import { BaseChatModel } from "@langchain/core/language_models/chat_models";
import { AIMessage } from "@langchain/core/messages";

// Scripted answers with the turns, one for each call, and keeps what it was given in calls.
export class Scripted extends BaseChatModel {
  calls = [];

  constructor(turns) {
    super({});
    this.turns = turns;
  }

  _llmType() {
    return "scripted";
  }

  bindTools() {
    return this;
  }

  async _generate(messages) {
    this.calls.push(messages);
    const message = new AIMessage(this.turns[this.calls.length - 1] ?? { content: "ok" });
    return { generations: [{ text: message.text, message }] };
  }
}
