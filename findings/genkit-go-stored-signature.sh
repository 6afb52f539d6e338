#!/bin/sh
# Package:  github.com/firebase/genkit/go v1.4.0 (Go), plugin anthropic
# Guess:    a conversation that json.Marshal stores and json.Unmarshal reads back goes on as it would have gone on
#           without that: Anthropic gets its reasoning with the signature.
# Observed: the signature is in the stored JSON, but is sent as an empty text, without an error. Anthropic refuses a
#           reasoning whose signature is not its own.
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
)

func check(err error) {
	if err != nil {
		panic(err)
	}
}

func main() {
	ctx := context.Background()
	var sent struct{ Messages []json.RawMessage }
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		sent.Messages = nil
		check(json.NewDecoder(r.Body).Decode(&sent))
		w.Header().Set("Content-Type", "application/json")
		fmt.Fprint(w, `{"id":"1","type":"message","role":"assistant","model":"claude","content":[{"type":"thinking","thinking":"900 is above the limit.","signature":"c2ln"},{"type":"text","text":"I cannot refund that."}],"stop_reason":"end_turn","usage":{"input_tokens":1,"output_tokens":1}}`)
	}))
	defer server.Close()
	g := genkit.Init(ctx, genkit.WithPlugins(&anthropic.Anthropic{APIKey: "none", BaseURL: server.URL}))
	generate := func(messages ...*ai.Message) []*ai.Message {
		response, err := genkit.Generate(ctx, g, ai.WithModelName("anthropic/claude-sonnet-4-5-20250929"),
			ai.WithConfig(map[string]any{"max_tokens": 100}), ai.WithMessages(messages...))
		check(err)
		return response.History()
	}
	question := ai.NewUserTextMessage("Why?")
	history := generate(ai.NewUserTextMessage("Refund 900."))
	stored, err := json.Marshal(history)
	check(err)
	fmt.Printf("stored: %s\n", stored)
	var read []*ai.Message
	check(json.Unmarshal(stored, &read))
	generate(append(history, question)...)
	fmt.Printf("sent: %s\n", sent.Messages[1])
	generate(append(read, question)...)
	fmt.Printf("sent after reading: %s\n", sent.Messages[1])
}
GO
go run . >observed 2>log || { cat log && exit 1; }
cat observed
cat >expected <<'TEXT'
stored: [{"content":[{"text":"Refund 900."}],"role":"user"},{"content":[{"metadata":{"signature":"YzJsbg=="},"reasoning":"900 is above the limit."},{"text":"I cannot refund that."}],"role":"model"}]
sent: {"content":[{"signature":"c2ln","thinking":"900 is above the limit.","type":"thinking"},{"text":"I cannot refund that.","type":"text"}],"role":"assistant"}
sent after reading: {"content":[{"signature":"","thinking":"900 is above the limit.","type":"thinking"},{"text":"I cannot refund that.","type":"text"}],"role":"assistant"}
TEXT
diff expected observed
