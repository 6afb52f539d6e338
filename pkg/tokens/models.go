package tokens

import "strings"

// ForModel returns the encoding of a model, found by the longest known prefix of its name. exact is
// true if the model's maker documents that encoding, and false if the model's encoding is
// unpublished or different. ok is false for an unknown name. Case, a path before the name
// ("openai/gpt-5") and the mark of a fine-tuned model ("ft:gpt-4o:org") are ignored.
func ForModel(model string) (e Encoding, exact, ok bool) {
	f, ok := find(model)
	return f.encoding, f.exact, ok
}

// Window returns the context window of a model in tokens, as documented by its maker; for Gemini,
// the limit of the input. ok is false if the window is unknown, differs between models of that name,
// or depends on the request.
func Window(model string) (tokens int, ok bool) {
	f, _ := find(model)
	return f.window, f.window > 0
}

func find(model string) (longest family, ok bool) {
	name := strings.ToLower(model[strings.LastIndexByte(model, '/')+1:])
	name = strings.TrimPrefix(name, "ft:")
	name = strings.ReplaceAll(name, ":", "-") + "-"
	for _, f := range families {
		if strings.HasPrefix(name, f.prefix) && len(f.prefix) > len(longest.prefix) {
			longest = f
		}
	}
	return longest, longest.prefix != ""
}

// A family has the properties shared by models whose names start with the prefix. A dash at the end
// of the prefix matches the end of the name too.
type family struct {
	prefix   string
	encoding Encoding
	exact    bool
	window   int // 0 is unknown
}

// families follows tiktoken's table of models for the encodings, and the makers' model pages for the
// windows.
var families = []family{
	{"gpt-", O200kBase, false, 0}, // future models
	{"gpt-5-", O200kBase, true, 400_000},
	{"gpt-5-chat-", O200kBase, true, 128_000},
	{"gpt-5.1-", O200kBase, false, 400_000},
	{"gpt-5.1-chat-", O200kBase, false, 128_000},
	{"gpt-5.2-", O200kBase, false, 400_000},
	{"gpt-5.2-chat-", O200kBase, false, 128_000},
	{"gpt-oss-", O200kHarmony, true, 131_072},
	{"gpt-4.5-", O200kBase, true, 128_000},
	{"gpt-4.1-", O200kBase, true, 1_047_576},
	{"gpt-4o-", O200kBase, true, 128_000},
	{"gpt-4o-realtime-", O200kBase, true, 0},
	{"gpt-4o-mini-realtime-", O200kBase, true, 0},
	{"gpt-4o-transcribe-", O200kBase, true, 0},
	{"gpt-4o-mini-transcribe-", O200kBase, true, 0},
	{"gpt-4o-mini-tts-", O200kBase, true, 0},
	{"chatgpt-4o-", O200kBase, true, 128_000},
	{"o1-", O200kBase, true, 200_000},
	{"o1-mini-", O200kBase, true, 128_000},
	{"o1-preview-", O200kBase, true, 128_000},
	{"o3-", O200kBase, true, 200_000},
	{"o4-mini-", O200kBase, true, 200_000},
	{"gpt-4-", Cl100kBase, true, 8_192},
	{"gpt-4-32k-", Cl100kBase, true, 32_768},
	{"gpt-4-turbo-", Cl100kBase, true, 128_000},
	{"gpt-4-1106-", Cl100kBase, true, 128_000},
	{"gpt-4-0125-", Cl100kBase, true, 128_000},
	{"gpt-4-vision-", Cl100kBase, true, 128_000},
	{"gpt-3.5-turbo-", Cl100kBase, true, 16_385},
	{"gpt-3.5-turbo-0301-", Cl100kBase, true, 4_096},
	{"gpt-3.5-turbo-0613-", Cl100kBase, true, 4_096},
	{"gpt-3.5-turbo-instruct-", Cl100kBase, true, 4_096},
	{"gpt-35-turbo-", Cl100kBase, true, 0}, // Azure's name, for several windows
	{"davinci-002-", Cl100kBase, true, 16_384},
	{"babbage-002-", Cl100kBase, true, 16_384},
	{"text-embedding-ada-002-", Cl100kBase, true, 0},
	{"text-embedding-3-", Cl100kBase, true, 0},
	{"text-davinci-002-", P50kBase, true, 4_097},
	{"text-davinci-003-", P50kBase, true, 4_097},
	{"code-davinci-", P50kBase, true, 0},
	{"code-cushman-", P50kBase, true, 0},
	{"davinci-codex-", P50kBase, true, 0},
	{"cushman-codex-", P50kBase, true, 0},
	{"text-davinci-edit-", P50kEdit, true, 0},
	{"code-davinci-edit-", P50kEdit, true, 0},
	{"text-davinci-001-", R50kBase, true, 0},
	{"text-curie-001-", R50kBase, true, 0},
	{"text-babbage-001-", R50kBase, true, 0},
	{"text-ada-001-", R50kBase, true, 0},
	{"davinci-", R50kBase, true, 0},
	{"curie-", R50kBase, true, 0},
	{"babbage-", R50kBase, true, 0},
	{"ada-", R50kBase, true, 0},
	{"text-similarity-", R50kBase, true, 0},
	{"text-search-", R50kBase, true, 0},
	{"code-search-", R50kBase, true, 0},
	{"gpt2-", R50kBase, true, 1_024}, // its encoding, gpt2, counts the same

	{"claude-", O200kBase, false, 0},
	{"claude-2.0-", O200kBase, false, 100_000},
	{"claude-2.1-", O200kBase, false, 200_000},
	{"claude-3-", O200kBase, false, 200_000},
	{"claude-opus-4-0-", O200kBase, false, 200_000},
	{"claude-opus-4-20250514-", O200kBase, false, 200_000},
	{"claude-opus-4-1-", O200kBase, false, 200_000},
	{"claude-opus-4-5-", O200kBase, false, 200_000},
	{"claude-haiku-4-5-", O200kBase, false, 200_000},
	{"gemini-", O200kBase, false, 0},
	{"gemini-1.5-pro-", O200kBase, false, 2_097_152},
	{"gemini-1.5-flash-", O200kBase, false, 1_048_576},
	{"gemini-2.5-pro-", O200kBase, false, 1_048_576},
	{"gemini-2.5-pro-preview-tts-", O200kBase, false, 0},
	{"gemini-2.5-flash-", O200kBase, false, 1_048_576},
	{"gemini-2.5-flash-preview-tts-", O200kBase, false, 0},
	{"gemini-2.5-flash-image-", O200kBase, false, 0},
	{"gemini-2.5-flash-native-", O200kBase, false, 0},
	{"gemma", O200kBase, false, 0},
	{"llama", O200kBase, false, 0},
	{"llama-3.1-", O200kBase, false, 131_072},
	{"llama-3.3-", O200kBase, false, 131_072},
	{"meta-llama-", O200kBase, false, 0},
	{"meta-llama-3.1-", O200kBase, false, 131_072},
	{"mistral", O200kBase, false, 0},
	{"ministral", O200kBase, false, 0},
	{"magistral", O200kBase, false, 0},
	{"mixtral", O200kBase, false, 0},
	{"codestral", O200kBase, false, 0},
	{"devstral", O200kBase, false, 0},
	{"pixtral", O200kBase, false, 0},
	{"deepseek", O200kBase, false, 0},
	{"qwen", O200kBase, false, 0},
	{"grok-", O200kBase, false, 0},
	{"command-", O200kBase, false, 0},
}
