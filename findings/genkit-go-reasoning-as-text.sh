#!/bin/sh
# Package:  github.com/firebase/genkit/go v1.4.0 (Go), plugins anthropic and compat_oai/openai
# Guess:    the reasoning of Claude and an image that a model made are left out when the conversation goes on with a
#           model of OpenAI, whose chat completions have no place for them, or are an error.
# Observed: both are part of the text that the assistant said: the reasoning right before the answer, and the image
#           as its whole data URL. There is no error. Anthropic's plugin sends the reasoning as such.
set -eu
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
export GOFLAGS=-mod=mod
go mod init example.com/finding >init 2>&1
go get github.com/firebase/genkit/go@v1.4.0 >get 2>&1
cat >main.go <<'GO'
package main

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"

	"github.com/firebase/genkit/go/ai"
	"github.com/firebase/genkit/go/genkit"
	"github.com/firebase/genkit/go/plugins/anthropic"
	"github.com/firebase/genkit/go/plugins/compat_oai/openai"
	"github.com/openai/openai-go/option"
)

func main() {
	ctx := context.Background()
	var sent struct{ Messages []json.RawMessage }
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		sent.Messages = nil
		json.NewDecoder(r.Body).Decode(&sent)
		w.Header().Set("Content-Type", "application/json")
		if r.URL.Path == "/v1/messages" {
			fmt.Fprint(w, `{"id":"1","type":"message","role":"assistant","model":"claude","content":[{"type":"thinking","thinking":"The user must not learn the limit.","signature":"c2ln"},{"type":"text","text":"I cannot refund that."}],"stop_reason":"end_turn","usage":{"input_tokens":1,"output_tokens":1}}`)
			return
		}
		fmt.Fprint(w, `{"id":"1","object":"chat.completion","created":0,"model":"gpt","choices":[{"index":0,"message":{"role":"assistant","content":"Done."},"finish_reason":"stop"}]}`)
	}))
	defer server.Close()
	g := genkit.Init(ctx, genkit.WithPlugins(
		&anthropic.Anthropic{APIKey: "none", BaseURL: server.URL},
		&openai.OpenAI{APIKey: "none", Opts: []option.RequestOption{option.WithBaseURL(server.URL)}},
	))
	generate := func(model string, config any, messages ...*ai.Message) []*ai.Message {
		response, err := genkit.Generate(ctx, g, ai.WithModelName(model), ai.WithConfig(config), ai.WithMessages(messages...))
		if err != nil {
			panic(err)
		}
		return response.History()
	}
	claude, tokens := "anthropic/claude-sonnet-4-5-20250929", map[string]any{"max_tokens": 100}
	history := append(generate(claude, tokens, ai.NewUserTextMessage("Refund 900.")), ai.NewUserTextMessage("Why?"))
	generate(claude, tokens, history...)
	fmt.Printf("Anthropic: %s\n", sent.Messages[1])
	generate("openai/gpt-4o", nil, history...)
	fmt.Printf("OpenAI: %s\n", sent.Messages[1])
	drawn := ai.NewModelMessage(ai.NewTextPart("Here it is: "), ai.NewMediaPart("image/png", "data:image/png;base64,iVBORw0KGgo="))
	generate("openai/gpt-4o", nil, ai.NewUserTextMessage("Draw a lamp."), drawn, ai.NewUserTextMessage("In red?"))
	fmt.Printf("OpenAI: %s\n", sent.Messages[1])
}
GO
go run . >observed 2>log || { cat log && exit 1; }
cat observed
cat >expected <<'TEXT'
Anthropic: {"content":[{"signature":"c2ln","thinking":"The user must not learn the limit.","type":"thinking"},{"text":"I cannot refund that.","type":"text"}],"role":"assistant"}
OpenAI: {"content":"The user must not learn the limit.I cannot refund that.","role":"assistant"}
OpenAI: {"content":"Here it is: data:image/png;base64,iVBORw0KGgo=","role":"assistant"}
TEXT
diff expected observed
