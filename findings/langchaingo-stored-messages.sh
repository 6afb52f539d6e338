#!/bin/sh
# Package:  github.com/tmc/langchaingo v0.1.14 (Go), llms.ConvertChatMessageToModel and ToChatMessage
# Guess:    a chat message that is converted to the model that the histories store, and back, is the same
#           message. What the model has no place for is an error.
# Observed: the message of a system and the result of a tool come back as nil, with a line in the log only,
#           and an assistant's message without its tool calls and reasoning.
set -eu
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
export GOFLAGS=-mod=mod
go mod init example.com/finding >init 2>&1
go get github.com/tmc/langchaingo@v0.1.14 >get 2>&1
cat >main.go <<'GO'
package main

import (
	"encoding/json"
	"fmt"

	"github.com/tmc/langchaingo/llms"
)

func main() {
	call := llms.ToolCall{ID: "call_1", Type: "function", FunctionCall: &llms.FunctionCall{Name: "refund", Arguments: `{"order":17}`}}
	for _, message := range []llms.ChatMessage{
		llms.HumanChatMessage{Content: "Refund order 17."},
		llms.SystemChatMessage{Content: "Answer in English."},
		llms.AIChatMessage{Content: "I look.", ToolCalls: []llms.ToolCall{call}, ReasoningContent: "It was paid twice."},
		llms.ToolChatMessage{ID: "call_1", Content: "refunded"},
	} {
		stored, err := json.Marshal(llms.ConvertChatMessageToModel(message))
		if err != nil {
			panic(err)
		}
		var model llms.ChatMessageModel
		if err := json.Unmarshal(stored, &model); err != nil {
			panic(err)
		}
		back := model.ToChatMessage()
		if assistant, ok := back.(llms.AIChatMessage); ok {
			fmt.Printf("%T %q calls: %d reasoning: %q\n", back, assistant.Content, len(assistant.ToolCalls), assistant.ReasoningContent)
			continue
		}
		fmt.Printf("%s: %v\n", message.GetType(), back)
	}
}
GO
go run . >observed 2>log
cat observed
cat >expected <<'TEXT'
human: {Refund order 17.}
system: <nil>
llms.AIChatMessage "I look." calls: 0 reasoning: ""
tool: <nil>
TEXT
diff expected observed
