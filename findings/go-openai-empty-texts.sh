#!/bin/sh
# Package:  github.com/sashabaranov/go-openai v1.43.0 (Go), ChatCompletionMessage
# Guess:    a history of chat completions that is read into ChatCompletionMessage and written again says the same:
#           the empty result of a tool stays an empty text, and a part that the type does not know is an error.
# Observed: the content of an empty result, and the empty arguments of a call, are left out, though the API requires
#           both. Of a file, an audio or a refusal, only the type is left. There is no error. A text and an image stay.
set -eu
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
export GOFLAGS=-mod=mod
go mod init example.com/finding >init 2>&1
go get github.com/sashabaranov/go-openai@v1.43.0 >get 2>&1
cat >main.go <<'GO'
package main

import (
	"encoding/json"
	"fmt"

	openai "github.com/sashabaranov/go-openai"
)

func main() {
	for _, message := range []string{
		`{"role":"user","content":[{"type":"text","text":"Look."},{"type":"image_url","image_url":{"url":"https://example.com/a.png"}}]}`,
		`{"role":"tool","content":"done","tool_call_id":"call_1"}`,
		`{"role":"tool","content":"","tool_call_id":"call_1"}`,
		`{"role":"assistant","tool_calls":[{"id":"call_1","type":"function","function":{"name":"ping","arguments":""}}]}`,
		`{"role":"user","content":[{"type":"file","file":{"file_id":"file-1"}}]}`,
		`{"role":"user","content":[{"type":"input_audio","input_audio":{"data":"UklGRg==","format":"wav"}}]}`,
		`{"role":"assistant","content":[{"type":"refusal","refusal":"I cannot help with that."}]}`,
	} {
		var read openai.ChatCompletionMessage
		if err := json.Unmarshal([]byte(message), &read); err != nil {
			panic(err)
		}
		written, err := json.Marshal(read)
		if err != nil {
			panic(err)
		}
		fmt.Printf("read:    %s\nwritten: %s\n", message, written)
	}
}
GO
go run . >observed 2>log || { cat log && exit 1; }
cat observed
cat >expected <<'TEXT'
read:    {"role":"user","content":[{"type":"text","text":"Look."},{"type":"image_url","image_url":{"url":"https://example.com/a.png"}}]}
written: {"role":"user","content":[{"type":"text","text":"Look."},{"type":"image_url","image_url":{"url":"https://example.com/a.png"}}]}
read:    {"role":"tool","content":"done","tool_call_id":"call_1"}
written: {"role":"tool","content":"done","tool_call_id":"call_1"}
read:    {"role":"tool","content":"","tool_call_id":"call_1"}
written: {"role":"tool","tool_call_id":"call_1"}
read:    {"role":"assistant","tool_calls":[{"id":"call_1","type":"function","function":{"name":"ping","arguments":""}}]}
written: {"role":"assistant","tool_calls":[{"id":"call_1","type":"function","function":{"name":"ping"}}]}
read:    {"role":"user","content":[{"type":"file","file":{"file_id":"file-1"}}]}
written: {"role":"user","content":[{"type":"file"}]}
read:    {"role":"user","content":[{"type":"input_audio","input_audio":{"data":"UklGRg==","format":"wav"}}]}
written: {"role":"user","content":[{"type":"input_audio"}]}
read:    {"role":"assistant","content":[{"type":"refusal","refusal":"I cannot help with that."}]}
written: {"role":"assistant","content":[{"type":"refusal"}]}
TEXT
diff expected observed
