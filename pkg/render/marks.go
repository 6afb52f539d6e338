package render

import "strings"

// The marks by which chat templates, and the prompts of tools, separate turns and roles, by model family
// (from the templates in the models' tokenizer_config.json, llama.cpp's llama-chat.cpp and FastChat's
// conversation.py). Names are in small letters, with "#" for a number at their end. Marks that may have any
// name are not listed: <|name|>, with at least one of the bars (ChatML, Llama 3 and 4, Phi, Zephyr, GLM,
// Command R, Granite, DeepSeek, Kimi, Hunyuan, Harmony and most others), and [|name|] (EXAONE, YuLan,
// BlueLM).

// isTagName reports whether a name makes a mark in angle brackets, as in <s> and </tool_call>.
func isTagName(name string) bool {
	if strings.HasPrefix(name, "seed:") { // Seed-OSS
		return true
	}
	switch numbered(name) {
	case "s", "bos", "eos", "pad", "unk", "sys", // Llama 1 and 2, Mistral, Gemma; Monarch and Saiga: <s>system
		"start_of_turn", "end_of_turn", "start_of_image", "end_of_image", "start_function_call", "end_function_call", "start_function_response", "end_function_response", // Gemma
		"begin_of_text", "end_of_text", "sop", "eop", // GLM
		"bos_token", "eos_token", "eop_token", // Command R
		"reserved_#",              // Baichuan
		"extra_id_#", "special_#", // Nemotron
		"unused#", "tokens_unused_#", "eoh", "eoa", "eom", // Gemma, InternLM, MOSS
		"role",                                                          // Ling: <role>HUMAN</role>
		"sep",                                                           // Reka
		"beginning_of_sentence", "end_of_sentence", "begin_of_sentence", // MiniMax
		"end_of_utterance",                           // SmolVLM, Idefics
		"_user", "_bot", "_start", "_end", "_system", // TeleChat
		"user", "ai", "bot", // MiniCPM, and prompts without a template
		"system", "system_prompt", "system-prompt", "system_message", "system_instruction", "system_instructions", "system-reminder", "developer", "assistant", "human",
		"user_message", "user_prompt", "user_query", "assistant_message", "assistant_response",
		"think", "thinking", "scratch_pad", // DeepSeek, Qwen, Hermes
		"tools", "tool_call", "tool_calls", "tool_response", "tool_responses", "tool_result", "tool_results", // Qwen, Hermes, GLM
		"function_call", "function_calls", "function_result", "function_results", "invoke",
		"antml:function_calls", "antml:invoke", "antml:parameter", "antml:thinking": // Claude
		return true
	}
	return false
}

// isAssigned is [isTagName] for names before "=", as in <function=pay> (Qwen Coder, Llama 3.1).
func isAssigned(name string) bool { return name == "function" || name == "parameter" }

// isBracketName is [isTagName] for square brackets, as in [INST] and [/INST]. name has no white space.
func isBracketName(name string) bool {
	switch numbered(name) {
	case "inst", "sys", // Llama 2, Mistral
		"system_prompt", "available_tools", "tool_calls", "tool_results", "tool_content", "model_settings", "args", "call_id", "think", // Mistral
		"gmask", "round#", // GLM
		"bos", "eos", "eot", // Kimi
		"sep",                                                                                       // YandexGPT, Skywork
		"unused#",                                                                                   // Pangu
		"system", "systemprompt", "systemmessage", "user", "assistant", "human", "bot", "developer": // Skywork, and prompts without a template
		return true
	}
	return false
}

// isSpeaker reports whether words and a colon at the start of a line make a mark, as "Human:" does, or
// after the signs of a heading, as "### Response:".
func isSpeaker(words string, heading bool) bool {
	switch words {
	case "human", "user", "assistant", "system", "developer", "ai", // Claude, Vicuna, RWKV, DeepSeek 2, Orion, Falcon
		"bot", "chatbot", "gpt", "falcon", // Koala, Falcon
		"gpt4 user", "gpt4 assistant", "gpt4 correct user", "gpt4 correct assistant", "code user", "code assistant", "math correct user", "math correct assistant", // OpenChat, Starling
		"system prompt", "system message", "system instruction", "system instructions", "user message", "assistant message": // Phind, and prompts without a template
		return true
	case "instruction", "instructions", "response", "input", "question", "answer": // Alpaca, DeepSeek Coder, WizardLM, TigerBot
		return heading
	}
	return false
}

// foreignSpeakers are the speakers in models of other languages: YandexGPT, GLM 2, Pangu.
var foreignSpeakers = []string{"пользователь", "ассистент", "система", "问", "答", "用户", "助手", "系统", "系统提示"}

// foreignTags are the names in angle brackets of MiniCPM.
var foreignTags = []string{"用户", "助手"}

// literals are marks of MiniMax, which have no name.
var literals = []string{"]~b]", "]~!b[", "[e~["}

// numbered returns a name with "#" for the number at its end.
func numbered(name string) string {
	if short := strings.TrimRight(name, "0123456789"); short != name {
		return short + "#"
	}
	return name
}
