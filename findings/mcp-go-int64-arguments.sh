#!/bin/sh
# Package:  github.com/modelcontextprotocol/go-sdk v1.8.0 (Go), mcp.AddTool
# Guess:    an integer argument reaches the handler's field of the type int64 as the client sent it, or is refused.
#           An int64 that the handler returns reaches the client.
# Observed: above 2^53, both are another number, without an error. encoding/json reads the arguments exactly.
set -eu
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
export GOFLAGS=-mod=mod
go mod init example.com/finding >init 2>&1
go get github.com/modelcontextprotocol/go-sdk@v1.8.0 >get 2>&1
cat >main.go <<'GO'
package main

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

type order struct {
	ID int64 `json:"id"`
}

func check(err error) {
	if err != nil {
		panic(err)
	}
}

func main() {
	ctx := context.Background()
	server := mcp.NewServer(&mcp.Implementation{Name: "shop", Version: "1"}, nil)
	mcp.AddTool(server, &mcp.Tool{Name: "refund"}, func(_ context.Context, r *mcp.CallToolRequest, in order) (*mcp.CallToolResult, order, error) {
		var direct order
		check(json.Unmarshal(r.Params.Arguments, &direct))
		fmt.Println("sent:", string(r.Params.Arguments), "handler:", in.ID, "json.Unmarshal:", direct.ID)
		return nil, direct, nil
	})
	one, other := mcp.NewInMemoryTransports()
	_, err := server.Connect(ctx, one, nil)
	check(err)
	client, err := mcp.NewClient(&mcp.Implementation{Name: "agent", Version: "1"}, nil).Connect(ctx, other, nil)
	check(err)
	for _, id := range []string{"17", "9007199254740993", "1234567890123456789"} {
		result, err := client.CallTool(ctx, &mcp.CallToolParams{Name: "refund", Arguments: json.RawMessage(`{"id":` + id + `}`)})
		check(err)
		for _, content := range result.Content {
			fmt.Println("result:", content.(*mcp.TextContent).Text)
		}
	}
}
GO
go run . >observed
cat observed
cat >expected <<'TEXT'
sent: {"id":17} handler: 17 json.Unmarshal: 17
result: {"id":17}
sent: {"id":9007199254740993} handler: 9007199254740992 json.Unmarshal: 9007199254740993
result: {"id":9007199254740992}
sent: {"id":1234567890123456789} handler: 1234567890123456800 json.Unmarshal: 1234567890123456789
result: {"id":1234567890123456800}
TEXT
diff expected observed
