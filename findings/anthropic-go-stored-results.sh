#!/bin/sh
# Package:  github.com/anthropics/anthropic-sdk-go v1.84.0 (Go)
# Guess:    a Message that json.Marshal stores and json.Unmarshal reads back is sent by ToParam as the message
#           itself is.
# Observed: the results of the tools that the API runs are sent as failed ones without a reason: the pages of a
#           search, a fetched page and the output of a program are lost, without an error. A text, and the call of
#           such a tool, are sent as before.
set -eu
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
export GOFLAGS=-mod=mod
go mod init example.com/finding >init 2>&1
go get github.com/anthropics/anthropic-sdk-go@v1.84.0 >get 2>&1
cat >main.go <<'GO'
package main

import (
	"encoding/json"
	"fmt"

	"github.com/anthropics/anthropic-sdk-go"
)

func check(err error) {
	if err != nil {
		panic(err)
	}
}

func main() {
	for _, block := range []string{
		`{"type":"text","text":"I search."}`,
		`{"type":"server_tool_use","id":"s1","name":"web_search","input":{"query":"lamps"}}`,
		`{"type":"web_search_tool_result","tool_use_id":"s1","content":[{"type":"web_search_result","title":"Lamps","url":"https://example.com","encrypted_content":"e","page_age":null}]}`,
		`{"type":"web_fetch_tool_result","tool_use_id":"s1","content":{"type":"web_fetch_result","url":"https://example.com","retrieved_at":null,"content":{"type":"document","title":"Lamps","citations":null,"source":{"type":"text","media_type":"text/plain","data":"A lamp."}}}}`,
		`{"type":"bash_code_execution_tool_result","tool_use_id":"s1","content":{"type":"bash_code_execution_result","stdout":"17","stderr":"","return_code":0,"content":[]}}`,
	} {
		answer := []byte(`{"id":"m1","type":"message","role":"assistant","model":"claude-sonnet-4-5","content":[` + block + `]}`)
		var message, back anthropic.Message
		check(json.Unmarshal(answer, &message))
		stored, err := json.Marshal(message)
		check(err)
		check(json.Unmarshal(stored, &back))
		fmt.Println(message.Content[0].Type)
		before, err := json.Marshal(message.Content[0].ToParam())
		check(err)
		after, err := json.Marshal(back.Content[0].ToParam())
		check(err)
		fmt.Printf("  %s\n  %s\n", before, after)
	}
}
GO
go run . >observed
cat observed
cat >expected <<'TEXT'
text
  {"text":"I search.","type":"text"}
  {"text":"I search.","type":"text"}
server_tool_use
  {"id":"s1","input":{"query":"lamps"},"name":"web_search","type":"server_tool_use"}
  {"id":"s1","input":{"query":"lamps"},"name":"web_search","type":"server_tool_use"}
web_search_tool_result
  {"content":[{"encrypted_content":"e","title":"Lamps","url":"https://example.com","page_age":null,"type":"web_search_result"}],"tool_use_id":"s1","type":"web_search_tool_result"}
  {"content":{"type":"web_search_tool_result_error"},"tool_use_id":"s1","type":"web_search_tool_result"}
web_fetch_tool_result
  {"content":{"type":"web_fetch_result","url":"https://example.com","retrieved_at":null,"content":{"type":"document","title":"Lamps","citations":null,"source":{"type":"text","media_type":"text/plain","data":"A lamp."}}},"tool_use_id":"s1","type":"web_fetch_tool_result"}
  {"content":{"type":"web_fetch_tool_result_error"},"tool_use_id":"s1","type":"web_fetch_tool_result"}
bash_code_execution_tool_result
  {"content":{"content":[],"return_code":0,"stderr":"","stdout":"17","type":"bash_code_execution_result"},"tool_use_id":"s1","type":"bash_code_execution_tool_result"}
  {"content":{"type":"bash_code_execution_tool_result_error"},"tool_use_id":"s1","type":"bash_code_execution_tool_result"}
TEXT
diff expected observed
