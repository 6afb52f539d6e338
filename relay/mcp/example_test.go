package mcp_test

import (
	"bytes"
	"context"
	"fmt"
	"strings"

	"github.com/eaapl/handoff/relay/mcp"
)

// A client sends its requests in lines, here all at once.
func ExampleServer_Serve() {
	requests := `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"me","version":"1"}}}
{"jsonrpc":"2.0","method":"notifications/initialized"}
{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"diff","arguments":{"old":{"a":9007199254740993},"new":{"a":9007199254740993}}}}
`
	var answers bytes.Buffer
	s := mcp.New(mcp.Options{Version: "1.0.0"})
	if err := s.Serve(context.Background(), strings.NewReader(requests), &answers); err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(strings.Contains(answers.String(), `"structuredContent":{"same":true,`))
	// Output: true
}
