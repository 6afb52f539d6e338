package mcp_test

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"sync"
	"testing"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/eaapl/handoff/pkg/safety"
	"github.com/eaapl/handoff/pkg/validate"
	"github.com/eaapl/handoff/relay/mcp"
)

// blocking are files whose reads block.
type blocking struct{ opened, released chan struct{} }

func (b blocking) Open(string) (io.ReadCloser, error) {
	b.opened <- struct{}{}
	<-b.released
	return nil, errors.New("released")
}

func (b blocking) Write(string, []byte, bool) error { return errors.New("not now") }

// TestCancel cancels a call that would wait forever, and checks that it ends and that the number of concurrent
// calls is limited.
func TestCancel(t *testing.T) {
	b := blocking{make(chan struct{}, 10), make(chan struct{})}
	s := connect(t, mcp.Options{Files: b, Concurrency: 2})
	ctx, cancel := context.WithCancel(t.Context())
	var calls sync.WaitGroup
	for range 5 {
		calls.Go(func() {
			if _, err := s.CallTool(ctx, &sdk.CallToolParams{Name: "validate", Arguments: json.RawMessage(`{"path":"x"}`)}); err == nil {
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

// endless are files with an endless number of messages. A read puts a value into the channel.
type endless chan struct{}

func (e endless) Open(string) (io.ReadCloser, error) { return io.NopCloser(e), nil }

func (e endless) Write(string, []byte, bool) error { return errors.New("not now") }

func (e endless) Read(p []byte) (int, error) {
	begun(e)
	return copy(p, "{}\n"), nil
}

// waiting is a scanner that works until its context ends. A text puts a value into its channel.
type waiting struct {
	safety.Scanner
	started chan struct{}
}

func (w waiting) Scan(ctx context.Context, _ safety.Field, _ string) (safety.Verdict, error) {
	begun(w.started)
	<-ctx.Done()
	return safety.Verdict{}, ctx.Err()
}

// begun puts a value into a channel unless it is full.
func begun(c chan struct{}) {
	select {
	case c <- struct{}{}:
	default:
	}
}

// TestCancelEndsWork cancels calls whose work would never end, and checks that it ends, and that the next call
// gets the only slot.
func TestCancelEndsWork(t *testing.T) {
	started := make(chan struct{}, 1)
	s := connect(t, mcp.Options{Files: endless(started), Concurrency: 1, Checks: validate.Options{Scanner: waiting{started: started}}})
	for _, tt := range []struct{ name, tool, arguments string }{
		{"messages before one of a file", "validate", `{"path":"x","index":1000000000}`},
		{"messages before one of the document", "trim", `{"path":"x","index":1000000000,"last":1}`},
		{"a long text", "validate", `{"message":` + example(t, "message") + `}`},
		{"a long text to scan", "scan", `{"message":` + example(t, "message") + `}`},
		{"a long plain text", "scan", `{"text":"x","plain":true}`},
	} {
		ctx, cancel := context.WithCancel(t.Context())
		go func() {
			<-started
			cancel()
		}()
		if r, err := s.CallTool(ctx, &sdk.CallToolParams{Name: tt.tool, Arguments: json.RawMessage(tt.arguments)}); err == nil {
			t.Errorf("%s: a call that was cancelled has the result %v", tt.name, r.Content)
		}
		if text, failed := call(t, s, "count", `{"message":{"messages":[]}}`); failed {
			t.Errorf("%s: after that: %s", tt.name, text)
		}
		select {
		case <-started: // a read after the one that ended the call
		default:
		}
	}
}
