package mcp_test

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"

	"github.com/eaapl/handoff/pkg/jsonstream"
	"github.com/eaapl/handoff/relay/mcp"
)

// FuzzLines sends arbitrary lines, and checks that each output line is one JSON-RPC message, and that a later
// request has a response.
func FuzzLines(f *testing.F) {
	for _, line := range []string{
		`{"jsonrpc":"2.0","id":2,"method":"tools/list"}`, `[]`, `[[]]`, `{"id":1}`, `{"jsonrpc":"2.0","id":null,"method":"ping"}`,
		`{"jsonrpc":"2.0","id":"a","method":"tools/call","params":{"name":"validate","arguments":{"text":"{}{}","index":1}}}`,
		`{"jsonrpc":"2.0","id":3,"method":"tools/call","params":{"name":"diff","arguments":{"old":{"a":1,"a":1},"newText":"[]"}}}`,
		`{"jsonrpc":"2.0","id":4,"method":"resources/read","params":{"uri":"handoff://rules/lint"}}`,
		`{"jsonrpc":"2.0","id":5,"method":"prompts/get","params":{"name":"make_handoff","arguments":{"to":"x"}}}`,
		`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":5}}`,
		`{"jsonrpc":"2.0","id":6,"result":{}}`, "{\"jsonrpc\":\"2.0\",\"id\":\"\xff\"}",
		"{\"jsonrpc\":\"2.0\",\"id\":7,\"method\":\"resources/read\",\"params\":{\"uri\":\"handoff://rules/\x7f\"}}",
	} {
		f.Add([]byte(line))
	}
	server := mcp.New(mcp.Options{Limits: jsonstream.Limits{MaxBytes: 10000}})
	f.Fuzz(func(t *testing.T, lines []byte) {
		var out bytes.Buffer
		in := `{"jsonrpc":"2.0","id":"start","method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"x","version":"1"}}}` + "\n" +
			`{"jsonrpc":"2.0","method":"notifications/initialized"}` + "\n" + string(lines) + "\n" + `{"jsonrpc":"2.0","id":"the last","method":"ping"}`
		if err := server.Serve(t.Context(), strings.NewReader(in), &out); err != nil {
			t.Fatal(err)
		}
		answered := false
		for line := range strings.Lines(out.String()) {
			type message struct {
				JSONRPC string
				ID      any
			}
			messages := make([]message, 1)
			target := any(&messages[0])
			if strings.HasPrefix(line, "[") { // the response to a batch
				target = &messages
			}
			err := json.Unmarshal([]byte(line), target)
			for _, m := range messages {
				if err != nil || m.JSONRPC != "2.0" {
					t.Fatalf("%q: %v", line, err)
				}
				answered = answered || m.ID == "the last"
			}
		}
		if !answered {
			t.Errorf("the last request was not answered: %q", out.String())
		}
	})
}
