package render

import (
	"strings"
	"testing"
	"unicode"

	"pgregory.net/rapid"

	"github.com/eaapl/handoff/internal/view"
)

// templates have the marks of chat templates, by model family, in texts of messages.
var templates = map[string][]string{
	"ChatML, Qwen, Yi, MPT, DBRX": {"<|im_start|>system", "<|im_end|>"},
	"Llama 2":                     {"[INST]", "[/INST]", "<<SYS>>", "<</SYS>>", "<s>", "</s>"},
	"Llama 3":                     {"<|begin_of_text|>", "<|start_header_id|>system<|end_header_id|>", "<|eot_id|>", "<|eom_id|>", "<|python_tag|>"},
	"Llama 4":                     {"<|header_start|>user<|header_end|>", "<|eot|>"},
	"Mistral":                     {"[SYSTEM_PROMPT]", "[/SYSTEM_PROMPT]", "[AVAILABLE_TOOLS]", "[TOOL_CALLS]", "[TOOL_RESULTS]", "[ARGS]", "[THINK]"},
	"Gemma":                       {"<start_of_turn>model", "<end_of_turn>", "<bos>", "<start_function_call>"},
	"Phi":                         {"<|system|>", "<|user|>", "<|end|>", "<|im_sep|>"},
	"DeepSeek":                    {"<｜begin▁of▁sentence｜>", "<｜User｜>", "<｜Assistant｜>", "### Instruction:", "### Response:", "User: x", "<|EOT|>"},
	"Command R":                   {"<|START_OF_TURN_TOKEN|><|SYSTEM_TOKEN|>", "<|CHATBOT_TOKEN|>", "<BOS_TOKEN>"},
	"Granite":                     {"<|start_of_role|>system<|end_of_role|>", "<|tool_call|>"},
	"Falcon":                      {"User: x", "Falcon: x", "<|assistant|>"},
	"Vicuna":                      {"USER: x", "ASSISTANT: x", "hello. USER: x", "hi ASSISTANT: sure"},
	"Alpaca":                      {"### Instruction:\nx", "### Input:\nx", "### Response:\nx", "say ### Instruction: x", "###Instruction:"},
	"Zephyr, Tulu, StarChat":      {"<|system|>", "<|endoftext|>"},
	"OpenChat":                    {"GPT4 Correct User: x", "GPT4 Correct Assistant: x", "Code User: x", "<|end_of_turn|>"},
	"EXAONE":                      {"[|system|]", "[|user|]", "[|assistant|]", "[|endofturn|]"},
	"YuLan, BlueLM":               {"[|Human|]", "[|AI|]:"},
	"InternLM, MOSS":              {"<|User|>:", "<|Bot|>:", "<eoh>", "<eoa>", "<TOKENS_UNUSED_1>"},
	"GLM":                         {"[gMASK]", "<sop>", "<|observation|>", "[Round 1]", "问：x", "答：x"},
	"Baichuan":                    {"<reserved_106>", "<reserved_107>"},
	"Solar, Orca, Guanaco":        {"### User:", "### Assistant:", "### System:", "### Human:"},
	"Harmony (gpt-oss)":           {"<|start|>developer<|message|>", "<|channel|>analysis", "<|return|>", "<|call|>"},
	"Claude":                      {"\n\nHuman: x", "\n\nAssistant: x", `a\n\nHuman: x`, `<invoke name="pay">`},
	"Jamba":                       {"<|bom|>", "<|system|>", "<|eom|>"},
	"Nemotron":                    {"<extra_id_0>System", "<extra_id_1>User", "<SPECIAL_10>System"},
	"Kimi":                        {"<|im_system|>system<|im_middle|>", "<|im_user|>", "[EOT]"},
	"MiniMax":                     {"]~!b[", "]~b]system", "[e~[", "<beginning_of_sentence>system", "<end_of_sentence>"},
	"Hunyuan":                     {"<|startoftext|>", "<|extra_4|>", "<｜hy_User｜>", "<｜hy_place▁holder▁no▁3｜>"},
	"MiniCPM":                     {"<用户>", "<AI>"},
	"YandexGPT":                   {" Пользователь: x", " Ассистент:[SEP]"},
	"Ling":                        {"<role>HUMAN</role>"},
	"Pangu":                       {"[unused9]系统：x", "[unused10]"},
	"Skywork":                     {"[USER]", "[BOT]"},
	"TeleChat, Reka, Idefics":     {"<_user>", "<_bot>", "<sep>", "<end_of_utterance>"},
	"Seed":                        {"<seed:bos>system", "<seed:tool_call>"},
	"Megrez, GigaChat, dots":      {"<|role_start|>", "user<|role_sep|>", "<|userprompt|>"},
	"Qwen Coder":                  {"<function=pay>", "<tool_call>"},
	"Phind":                       {"### System Prompt:", "### User Message:"},
	"without a template":          {"[SYSTEM]", "[system]", "<user>", "</user>", "<system>", "System prompt: x", "SYSTEM PROMPT:", "System message: x", "<|user>"},
}

// isMarked reports whether a text has been broken up.
func isMarked(text string) bool { return strings.Contains(string(neutral(nil, text, inText)), Quoted) }

// TestMarksOfTemplates checks that the marks of all families are found, also if HTML, JSON or a URL
// escapes them.
func TestMarksOfTemplates(t *testing.T) {
	escapes := map[string]*strings.Replacer{
		"as it is":                      strings.NewReplacer(),
		"HTML":                          strings.NewReplacer("<", "&lt;", ">", "&gt;", "[", "&lsqb;", "]", "&rsqb;", "|", "&vert;", "#", "&num;", ":", "&colon;"),
		"HTML without semicolons":       strings.NewReplacer("<", "&lt", ">", "&gt"),
		"HTML by numbers":               strings.NewReplacer("<", "&#60;", ">", "&#62;", "[", "&#x5b;", "|", "&#124;"),
		"numbers without semicolons":    strings.NewReplacer("<", "&#60", ">", "&#62", "[", "&#91", "]", "&#93"),
		"HTML twice":                    strings.NewReplacer("<", "&amp;lt;", ">", "&amp;gt;", "[", "&amp;#91;"),
		"JSON":                          strings.NewReplacer("<", `\u003c`, ">", `\u003E`, "[", `\x5b`),
		"URL":                           strings.NewReplacer("<", "%3C", ">", "%3e", "[", "%5B", "|", "%7C"),
		"full-width and look-alike":     strings.NewReplacer("<", "＜", ">", "〉", "[", "［", "]", "】", "|", "｜", ":", "：", "#", "＃"),
		"in small letters":              strings.NewReplacer(),
		"with a soft hyphen in letters": strings.NewReplacer("s", "s\u00ad", "S", "S\u00ad", "u", "\u00adu"),
	}
	for family, marks := range templates {
		for _, mark := range marks {
			for how, escape := range escapes {
				text := escape.Replace(mark)
				if how == "in small letters" && family != "Vicuna" { // its turns in the middle of a line begin with capitals
					text = strings.ToLower(mark)
				}
				if !isMarked(text) {
					t.Errorf("%s, %s: %q is not broken up", family, how, text)
				}
				if back := string(restore(neutral(nil, text, inText))); back != text {
					t.Errorf("%s, %s: %q comes back as %q", family, how, text, back)
				}
			}
		}
	}
}

// TestMarksWithHiddenCharacters checks that a mark is found with any invisible characters in it,
// and that they are shown.
func TestMarksWithHiddenCharacters(t *testing.T) {
	var hidden []rune
	for r := rune(0); r <= unicode.MaxRune; r++ {
		if view.Ignorable(r) {
			hidden = append(hidden, r)
		}
	}
	var marks []string
	for _, list := range templates {
		marks = append(marks, list...)
	}
	rapid.Check(t, func(t *rapid.T) {
		mark := rapid.SampledFrom(marks).Draw(t, "mark")
		var text strings.Builder
		for _, r := range mark {
			text.WriteRune(r)
			for range rapid.IntRange(0, 2).Draw(t, "n") {
				if !strings.HasSuffix(text.String(), `\`) { // an escape is two characters
					text.WriteRune(rapid.SampledFrom(hidden).Draw(t, "hidden"))
				}
			}
		}
		out := string(neutral(nil, text.String(), inText))
		if !strings.Contains(out, Quoted) {
			t.Errorf("%q is not broken up: %q", text.String(), out)
		}
		if back := string(restore([]byte(out))); back != text.String() {
			t.Errorf("%q comes back as %q", text.String(), back)
		}
	})
}

// TestHiddenCharactersAreShown checks that no invisible character remains between letters, digits
// and signs that do not need it.
func TestHiddenCharactersAreShown(t *testing.T) {
	for r := rune(0); r <= unicode.MaxRune; r++ {
		if !view.Ignorable(r) {
			continue
		}
		for _, beside := range []string{"a", "Ж", "7", " ", "<", "漢"} {
			if text := beside + string(r) + string(r) + beside; strings.ContainsRune(strings.Replace(string(neutral(nil, text, inText)), string(r), "", 1), r) ||
				beside != "漢" && strings.ContainsRune(string(neutral(nil, text, inText)), r) {
				t.Errorf("U+%04X beside %q stays", r, beside)
			}
		}
	}
}

// TestOrdinaryTexts checks that ordinary texts of people and programs are unchanged.
func TestOrdinaryTexts(t *testing.T) {
	for _, text := range []string{
		"The user: a person. Response: none. Answer: 42, see system: main.",
		"## Response\n\nReturns 200.\n\n### Question\nWhat is it?\n\n# Users: 7",
		"if a < user && b > 0 { x = map[string]int{} } List<Item>; Array<String>; a[i][j]",
		"Model: gpt-5\nTool: search\nObservation: none\nName: Anna\nUser-Agent: curl/8",
		"GET /a?lt=1&lang=de&gt_=2&number=7&colony=1 100% of it, 5%, C:\\new\\users, \\d+:\\w",
		"| a | b |\n|---|---|\n| [link](https://example.com/#user:7) | #12: fixed ## |",
		"12:30:01 INFO [main] started; [x] done; [1]: note; {\"user\": \"anna\", \"system\": \"linux\"}",
		"Die Prüfung läuft – „bald“. Le café. Команда встретилась. 团队星期二开会。👍🏽 🎉 👩\u200d💻 ❤\ufe0f",
	} {
		if got := string(neutral(nil, text, inText)); got != text {
			t.Errorf("%q\nbecomes %q", text, got)
		}
	}
}
