package repair

import (
	"testing"

	"github.com/eaapl/handoff/pkg/format"
	"github.com/eaapl/handoff/pkg/provider"
)

// TestJPEG checks that the only wrong name of a type that needs no conversion of the image is mended.
func TestJPEG(t *testing.T) {
	for _, tt := range []struct {
		from     format.Format
		to       provider.Provider
		in, want string
	}{
		{format.Anthropic, provider.Anthropic,
			`[{"role":"user","content":[{"type":"image","source":{"type":"base64","media_type":"image/jpg","data":"QUJD"}}]}]`,
			`[{"role":"user","content":[{"type":"image","source":{"type":"base64","media_type":"image/jpeg","data":"QUJD"}}]}]`},
		{format.OpenAIChat, provider.OpenAIChat,
			`[{"role":"user","content":[{"type":"image_url","image_url":{"url":"data:image/jpg;base64,QUJD"}}]}]`,
			`[{"role":"user","content":[{"type":"image_url","image_url":{"url":"data:image/jpeg;base64,QUJD"}}]}]`},
		{format.Gemini, provider.Gemini,
			`[{"role":"user","parts":[{"inline_data":{"mime_type":"image/jpg","data":"QUJD"}}]}]`,
			`[{"role":"user","parts":[{"inline_data":{"mime_type":"image/jpeg","data":"QUJD"}}]}]`},
		{format.BedrockConverse, provider.BedrockConverse,
			`[{"role":"user","content":[{"text":"Look."},{"image":{"format":"jpg","source":{"bytes":"QUJD"}}}]}]`,
			`[{"role":"user","content":[{"text":"Look."},{"image":{"format":"jpeg","source":{"bytes":"QUJD"}}}]}]`},
		{format.AISDK, provider.Anthropic,
			`[{"role":"user","content":[{"type":"file","data":"QUJD","mediaType":"image/jpg"}]}]`,
			`[{"role":"user","content":[{"type":"file","data":"QUJD","mediaType":"image/jpeg"}]}]`},
		{format.Anthropic, provider.Anthropic,
			`[{"role":"user","content":[{"type":"image","source":{"type":"base64","media_type":"image/bmp","data":"QUJD"}}]}]`, ""},
	} {
		r := repaired(t, []byte(tt.in), Options{Format: tt.from, For: tt.to})
		if tt.want == "" {
			if len(r.Left) != 1 {
				t.Errorf("left: %+v in %s", r.Left, r.Text)
			}
			continue
		}
		if string(r.Text) != tt.want || len(r.Left) > 0 {
			t.Errorf("got %s, left %+v, want %s", r.Text, r.Left, tt.want)
		}
	}
}

// TestSpoken checks that a turn of the assistant with the transcript of its audio is not empty.
func TestSpoken(t *testing.T) {
	const history = `[{"role":"user","content":"a"},{"role":"assistant","content":null,"audio":{"id":"audio_1","transcript":"b"}},{"role":"user","content":"c"}]`
	for _, p := range []provider.Provider{provider.OpenAIChat, provider.OpenAIResponses, provider.Anthropic, provider.Gemini, provider.BedrockConverse} {
		if r := repaired(t, []byte(history), Options{Format: format.OpenAIChat, For: p}); len(r.Steps)+len(r.Left) > 0 {
			t.Errorf("%s: %+v, left %+v", p, r.Steps, r.Left)
		}
	}
}
