#!/bin/sh
# Package:  @google/genai 3.3.0 (npm) and google.golang.org/genai v1.77.0 (Go), chats with streamed answers
# Guess:    the next request of a chat has the question and the answer that were streamed, also if the last piece
#           of the stream has no content beside its finishReason: the types and the API have that as optional.
# Observed: the next request has neither the question nor the answer, in both SDKs. If every piece has a text, it
#           has both.
set -eu
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
npm install --silent --no-audit --no-fund --ignore-scripts @google/genai@3.3.0
cat >streams.json <<'JSON'
[[{"candidates": [{"content": {"role": "model", "parts": [{"text": "The lamp is "}]}}]},
  {"candidates": [{"content": {"role": "model", "parts": [{"text": "blue."}]}, "finishReason": "STOP"}]}],
 [{"candidates": [{"content": {"role": "model", "parts": [{"text": "The lamp is blue."}]}}]},
  {"candidates": [{"content": {"role": "model"}, "finishReason": "STOP"}]}],
 [{"candidates": [{"content": {"role": "model", "parts": [{"text": "The lamp is blue."}]}}]},
  {"candidates": [{"finishReason": "STOP"}], "usageMetadata": {"totalTokenCount": 9}}]]
JSON
cat >chat.mjs <<'JS'
import { readFileSync } from "node:fs";
import { GoogleGenAI } from "@google/genai";
for (const stream of JSON.parse(readFileSync("streams.json"))) {
  let sent;
  globalThis.fetch = async (_, { body }) => {
    sent = JSON.parse(body).contents;
    return new Response(stream.map((piece) => `data: ${JSON.stringify(piece)}\n\n`).join(""), { headers: { "content-type": "text/event-stream" } });
  };
  const chat = new GoogleGenAI({ apiKey: "none" }).chats.create({ model: "gemini-2.5-flash" });
  for (const message of ["Which colour has the lamp?", "And the chair?"]) for await (const _ of await chat.sendMessageStream({ message }));
  console.log("JavaScript:", sent.flatMap((content) => content.parts.map((part) => part.text)).join(" | "));
}
JS
node chat.mjs >observed
export GOFLAGS=-mod=mod
go mod init example.com/finding >init 2>&1
go get google.golang.org/genai@v1.77.0 >get 2>&1
cat >main.go <<'GO'
package main

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"

	"google.golang.org/genai"
)

func main() {
	var streams [][]json.RawMessage
	data, err := os.ReadFile("streams.json")
	if err == nil {
		err = json.Unmarshal(data, &streams)
	}
	if err != nil {
		panic(err)
	}
	ctx := context.Background()
	for _, stream := range streams {
		var sent struct{ Contents []*genai.Content }
		server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			sent.Contents = nil
			json.NewDecoder(r.Body).Decode(&sent)
			for _, piece := range stream {
				fmt.Fprintf(w, "data: %s\n\n", strings.ReplaceAll(string(piece), "\n", ""))
			}
		}))
		client, err := genai.NewClient(ctx, &genai.ClientConfig{APIKey: "none", Backend: genai.BackendGeminiAPI, HTTPOptions: genai.HTTPOptions{BaseURL: server.URL}})
		if err != nil {
			panic(err)
		}
		chat, err := client.Chats.Create(ctx, "gemini-2.5-flash", nil, nil)
		if err != nil {
			panic(err)
		}
		for _, message := range []string{"Which colour has the lamp?", "And the chair?"} {
			for _, err := range chat.SendMessageStream(ctx, genai.Part{Text: message}) {
				if err != nil {
					panic(err)
				}
			}
		}
		var texts []string
		for _, content := range sent.Contents {
			for _, part := range content.Parts {
				texts = append(texts, part.Text)
			}
		}
		fmt.Println("Go:", strings.Join(texts, " | "))
		server.Close()
	}
}
GO
go run . >>observed
cat observed
cat >expected <<'TEXT'
JavaScript: Which colour has the lamp? | The lamp is  | blue. | And the chair?
JavaScript: And the chair?
JavaScript: And the chair?
Go: Which colour has the lamp? | The lamp is  | blue. | And the chair?
Go: And the chair?
Go: And the chair?
TEXT
diff expected observed
