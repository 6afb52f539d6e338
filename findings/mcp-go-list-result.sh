#!/bin/sh
# Package:  github.com/mark3labs/mcp-go v1.2.1 (Go), whose server is called by @modelcontextprotocol/sdk 1.32.2 (npm)
# Guess:    a tool whose typed handler returns a list has a result that a client reads: the list within an object, or
#           no structuredContent, which is an object in MCP. WithOutputSchema refuses a list, or lists its schema.
# Observed: the server sends the list as structuredContent, and null for an empty list, because of which the client
#           refuses the whole result. The outputSchema is left out without an error. A list within a struct is read.
set -eu
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
export GOFLAGS=-mod=mod
npm install --silent --no-audit --no-fund @modelcontextprotocol/sdk@1.32.2
go mod init example.com/finding >init 2>&1
go get github.com/mark3labs/mcp-go@v1.2.1 >get 2>&1
cat >main.go <<'GO'
package main

import (
	"context"

	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"
)

type arguments struct {
	Floor int `json:"floor"`
}

type room struct {
	Name string `json:"name"`
}

type rooms struct {
	Rooms []room `json:"rooms"`
}

func find(floor int) []room {
	if floor == 0 {
		return nil
	}
	return []room{{"blue"}}
}

func main() {
	s := server.NewMCPServer("hotel", "1.0.0")
	s.AddTool(mcp.NewTool("list", mcp.WithInputSchema[arguments](), mcp.WithOutputSchema[[]room]()),
		mcp.NewStructuredToolHandler(func(_ context.Context, _ mcp.CallToolRequest, a arguments) ([]room, error) { return find(a.Floor), nil }))
	s.AddTool(mcp.NewTool("struct", mcp.WithInputSchema[arguments](), mcp.WithOutputSchema[rooms]()),
		mcp.NewStructuredToolHandler(func(_ context.Context, _ mcp.CallToolRequest, a arguments) (rooms, error) { return rooms{find(a.Floor)}, nil }))
	server.ServeStdio(s)
}
GO
go build -o server . >build 2>&1 || { cat build && exit 1; }
cat >client.mjs <<'JS'
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js";
const client = new Client({ name: "client", version: "1.0.0" });
await client.connect(new StdioClientTransport({ command: "./server" }));
for (const { name, outputSchema } of (await client.listTools()).tools) console.log(name, "outputSchema:", outputSchema?.type);
for (const name of ["list", "struct"])
  for (const floor of [1, 0]) {
    const result = await client.callTool({ name, arguments: { floor } }).catch((error) => error);
    console.log(name, floor, result instanceof Error ? result.issues?.[0].message : JSON.stringify(result.structuredContent));
  }
await client.close();
JS
node client.mjs >observed
cat observed
cat >expected <<'TEXT'
list outputSchema: undefined
struct outputSchema: object
list 1 Invalid input: expected record, received array
list 0 Invalid input: expected record, received null
struct 1 {"rooms":[{"name":"blue"}]}
struct 0 {"rooms":null}
TEXT
diff expected observed
