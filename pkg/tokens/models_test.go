package tokens

import "testing"

func TestForModel(t *testing.T) {
	for _, tt := range []struct {
		model  string
		want   Encoding // "" is unknown
		exact  bool
		window int
	}{
		{model: "gpt-5", want: O200kBase, exact: true, window: 400_000},
		{model: "gpt-5-mini-2025-08-07", want: O200kBase, exact: true, window: 400_000},
		{model: "gpt-5-chat-latest", want: O200kBase, exact: true, window: 128_000},
		{model: "gpt-5.2", want: O200kBase, window: 400_000},
		{model: "gpt-9", want: O200kBase},
		{model: "gpt-oss-120b", want: O200kHarmony, exact: true, window: 131_072},
		{model: "gpt-4o", want: O200kBase, exact: true, window: 128_000},
		{model: "openai/GPT-4o-mini", want: O200kBase, exact: true, window: 128_000},
		{model: "gpt-4o-realtime-preview", want: O200kBase, exact: true},
		{model: "gpt-4.1-nano", want: O200kBase, exact: true, window: 1_047_576},
		{model: "gpt-4", want: Cl100kBase, exact: true, window: 8_192},
		{model: "gpt-4-0613", want: Cl100kBase, exact: true, window: 8_192},
		{model: "gpt-4-turbo", want: Cl100kBase, exact: true, window: 128_000},
		{model: "gpt-4-32k-0613", want: Cl100kBase, exact: true, window: 32_768},
		{model: "ft:gpt-4o:acme::x1", want: O200kBase, exact: true, window: 128_000},
		{model: "ft:gpt-3.5-turbo:acme::x1", want: Cl100kBase, exact: true, window: 16_385},
		{model: "o1", want: O200kBase, exact: true, window: 200_000},
		{model: "o1-mini-2024-09-12", want: O200kBase, exact: true, window: 128_000},
		{model: "o3-pro", want: O200kBase, exact: true, window: 200_000},
		{model: "text-davinci-003", want: P50kBase, exact: true, window: 4_097},
		{model: "text-davinci-edit-001", want: P50kEdit, exact: true},
		{model: "davinci", want: R50kBase, exact: true},
		{model: "davinci-002", want: Cl100kBase, exact: true, window: 16_384},
		{model: "gpt2", want: R50kBase, exact: true, window: 1_024},
		{model: "claude-3-5-sonnet-20241022", want: O200kBase, window: 200_000},
		{model: "claude-sonnet-4-5", want: O200kBase},
		{model: "gemini-2.5-flash", want: O200kBase, window: 1_048_576},
		{model: "models/gemini-2.5-flash-preview-tts", want: O200kBase},
		{model: "meta-llama/Llama-3.1-70B-Instruct", want: O200kBase, window: 131_072},
		{model: "llama3:8b", want: O200kBase},
		{model: "mistral-large-latest", want: O200kBase},
		{model: "adagio"},
		{model: "o11"},
		{model: ""},
		{model: "openai/"},
	} {
		e, exact, ok := ForModel(tt.model)
		if e != tt.want || exact != tt.exact || ok != (tt.want != "") {
			t.Errorf("%q: got %q, exact %t, ok %t; want %q, exact %t", tt.model, e, exact, ok, tt.want, tt.exact)
		}
		if w, ok := Window(tt.model); w != tt.window || ok != (tt.window > 0) {
			t.Errorf("%q: got a window of %d, ok %t; want %d", tt.model, w, ok, tt.window)
		}
	}
}

func TestFamilies(t *testing.T) {
	seen := map[string]bool{}
	for _, f := range families {
		if seen[f.prefix] {
			t.Errorf("%q is there twice", f.prefix)
		}
		seen[f.prefix] = true
		if _, err := New(f.encoding); err != nil {
			t.Errorf("%q: %v", f.prefix, err)
		}
	}
}
