#!/bin/sh
# Package:  github.com/aws/aws-sdk-go-v2/service/bedrockruntime v1.63.13 (Go), Converse
# Guess:    a tool's input that is known as JSON, such as the json.RawMessage that other SDKs have it in, can be
#           sent with document.NewLazyDocument, or is refused. json.Marshal of a ToolUseBlock has the input.
# Observed: the JSON is sent as a list of the numbers of its bytes, and a json.Number as a text. json.Marshal
#           writes the input as {}. There is no error. A map is sent as it is.
set -eu
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
export GOFLAGS=-mod=mod
go mod init example.com/finding >init 2>&1
go get github.com/aws/aws-sdk-go-v2/service/bedrockruntime@v1.63.13 >get 2>&1
cat >main.go <<'GO'
package main

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/bedrockruntime"
	"github.com/aws/aws-sdk-go-v2/service/bedrockruntime/document"
	"github.com/aws/aws-sdk-go-v2/service/bedrockruntime/types"
)

func check(err error) {
	if err != nil {
		panic(err)
	}
}

func main() {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var request struct {
			Messages []struct {
				Content []struct{ ToolUse struct{ Input json.RawMessage } }
			}
		}
		check(json.NewDecoder(r.Body).Decode(&request))
		fmt.Println("sent:", string(request.Messages[0].Content[0].ToolUse.Input))
		fmt.Fprint(w, `{"output":{"message":{"role":"assistant","content":[{"toolUse":{"toolUseId":"t2","name":"refund","input":{"order":17}}}]}},"stopReason":"tool_use"}`)
	}))
	defer server.Close()
	client := bedrockruntime.New(bedrockruntime.Options{Region: "us-east-1", BaseEndpoint: aws.String(server.URL), Credentials: aws.CredentialsProviderFunc(func(context.Context) (aws.Credentials, error) {
		return aws.Credentials{AccessKeyID: "none", SecretAccessKey: "none"}, nil
	})})
	var answer *bedrockruntime.ConverseOutput
	for _, input := range []any{
		map[string]any{"order": 17},
		map[string]any{"order": json.Number("17")},
		json.RawMessage(`{"order":17}`),
	} {
		var err error
		answer, err = client.Converse(context.Background(), &bedrockruntime.ConverseInput{ModelId: aws.String("m"), Messages: []types.Message{{Role: types.ConversationRoleAssistant, Content: []types.ContentBlock{
			&types.ContentBlockMemberToolUse{Value: types.ToolUseBlock{ToolUseId: aws.String("t1"), Name: aws.String("refund"), Input: document.NewLazyDocument(input)}},
		}}}})
		check(err)
	}
	call := answer.Output.(*types.ConverseOutputMemberMessage).Value.Content[0].(*types.ContentBlockMemberToolUse).Value
	input, err := call.Input.MarshalSmithyDocument()
	check(err)
	stored, err := json.Marshal(call)
	check(err)
	fmt.Printf("received: %s json.Marshal: %s\n", input, stored)
}
GO
go run . >observed
cat observed
cat >expected <<'TEXT'
sent: {"order":17}
sent: {"order":"17"}
sent: [123,34,111,114,100,101,114,34,58,49,55,125]
received: {"order":17} json.Marshal: {"Input":{},"Name":"refund","ToolUseId":"t2","Type":""}
TEXT
diff expected observed
