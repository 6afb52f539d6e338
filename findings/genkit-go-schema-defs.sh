#!/bin/sh
# Package:  github.com/firebase/genkit/go v1.4.0 (Go), plugins anthropic and compat_oai/openai
# Guess:    a tool's schema that refers to its own $defs, as the generators of schemas make it, is sent as it is.
# Observed: to Anthropic, it is sent without $defs and without additionalProperties, so that its $ref has no target.
#           There is no error. To OpenAI, it is sent whole.
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

func check(err error) {
	if err != nil {
		panic(err)
	}
}

func main() {
	ctx := context.Background()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var sent struct {
			Tools []struct {
				Input    json.RawMessage `json:"input_schema"`
				Function struct{ Parameters json.RawMessage }
			}
		}
		check(json.NewDecoder(r.Body).Decode(&sent))
		fmt.Printf("%s %s%s\n", r.URL.Path, sent.Tools[0].Input, sent.Tools[0].Function.Parameters)
		w.Header().Set("Content-Type", "application/json")
		if r.URL.Path == "/v1/messages" {
			fmt.Fprint(w, `{"id":"1","type":"message","role":"assistant","model":"claude","content":[{"type":"text","text":"Done."}],"stop_reason":"end_turn","usage":{"input_tokens":1,"output_tokens":1}}`)
			return
		}
		fmt.Fprint(w, `{"id":"1","object":"chat.completion","created":0,"model":"gpt","choices":[{"index":0,"message":{"role":"assistant","content":"Done."},"finish_reason":"stop"}]}`)
	}))
	defer server.Close()
	g := genkit.Init(ctx, genkit.WithPlugins(
		&anthropic.Anthropic{APIKey: "none", BaseURL: server.URL},
		&openai.OpenAI{APIKey: "none", Opts: []option.RequestOption{option.WithBaseURL(server.URL)}},
	))
	var schema map[string]any
	check(json.Unmarshal([]byte(`{"type":"object","properties":{"to":{"$ref":"#/$defs/address"}},"required":["to"],"additionalProperties":false,"$defs":{"address":{"type":"object","properties":{"city":{"type":"string"}}}}}`), &schema))
	send := genkit.DefineToolWithInputSchema(g, "send", "Sends the parcel", schema, func(ctx *ai.ToolContext, input any) (string, error) { return "sent", nil })
	_, err := genkit.Generate(ctx, g, ai.WithModelName("anthropic/claude-sonnet-4-5-20250929"), ai.WithConfig(map[string]any{"max_tokens": 100}), ai.WithPrompt("Send it."), ai.WithTools(send))
	check(err)
	_, err = genkit.Generate(ctx, g, ai.WithModelName("openai/gpt-4o"), ai.WithPrompt("Send it."), ai.WithTools(send))
	check(err)
}
GO
go run . >observed 2>log || { cat log && exit 1; }
cat observed
cat >expected <<'TEXT'
/v1/messages {"properties":{"to":{"$ref":"#/$defs/address"}},"required":["to"],"type":"object"}
/chat/completions {"$defs":{"address":{"properties":{"city":{"type":"string"}},"type":"object"}},"additionalProperties":false,"properties":{"to":{"$ref":"#/$defs/address"}},"required":["to"],"type":"object"}
TEXT
diff expected observed
