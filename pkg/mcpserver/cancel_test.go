package mcpserver_test

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"sync"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/eaapl/handoff/pkg/mcpserver"
)

// blocking are files whose reading blocks.
type blocking struct{ opened, released chan struct{} }

func (b blocking) Open(string) (io.ReadCloser, error) {
	b.opened <- struct{}{}
	<-b.released
	return nil, errors.New("released")
}

func (b blocking) Write(string, []byte, bool) error { return errors.New("not now") }

// TestCancel cancels a call that would wait forever: it ends, and no more run at once than may.
func TestCancel(t *testing.T) {
	b := blocking{make(chan struct{}, 10), make(chan struct{})}
	s := connect(t, mcpserver.Options{Files: b, Concurrency: 2})
	ctx, cancel := context.WithCancel(t.Context())
	var calls sync.WaitGroup
	for range 5 {
		calls.Go(func() {
			if _, err := s.CallTool(ctx, &mcp.CallToolParams{Name: "validate", Arguments: json.RawMessage(`{"path":"x"}`)}); err == nil {
				t.Error("a call that was cancelled has a result")
			}
		})
	}
	<-b.opened
	<-b.opened
	if err := s.Ping(t.Context(), nil); err != nil { // while all slots are taken
		t.Error(err)
	}
	if len(b.opened) > 0 {
		t.Error("more run at once than may")
	}
	cancel()
	calls.Wait()
	close(b.released)
	if text, failed := call(t, s, "validate", `{"message":{}}`); failed {
		t.Errorf("after that: %s", text)
	}
}
