//go:build unix

package command_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/eaapl/handoff/internal/child"
	"github.com/eaapl/handoff/internal/summarize/command"
	"github.com/eaapl/handoff/pkg/summarize"
)

var request = summarize.Request{
	Previous: "Before.", MaxTokens: 50, Count: func(text string) int { return len(strings.Fields(text)) },
	Turns: []summarize.Turn{{Role: "user", Text: "a < b", JSON: []byte(`{"role":"user","content":"a < b","x":1.0}`)}},
}

func run(shell string, timeout time.Duration) (string, error) {
	o := child.Options{Command: shell, Env: child.Environment(os.Environ(), nil), Stderr: func(string) {}}
	summary, err := command.Summarizer{Set: &child.Set{}, Child: o, Timeout: timeout}.Summarize(context.Background(), request)
	return summary.Text, err
}

// The command receives the request as one line of JSON, with unchanged turns.
func Example() {
	fmt.Println(run("cat", 0))
	// Output:
	// {"previousSummary":"Before.","maxTokens":50,"turns":[{"role":"user","content":"a < b","x":1.0}]} <nil>
}

func TestErrors(t *testing.T) {
	for _, tt := range []struct{ command, want string }{
		{"true", "the summariser wrote nothing"},
		{"echo; echo ' '", "the summariser wrote nothing"},
		{"echo half; exit 3", "the summariser ended with exit code 3"},
		{"echo half; kill -KILL $$", "the summariser failed: signal: killed"},
		{"yes", "the summariser wrote more than 1048576 bytes"},
		{"sleep 1000", "the summariser has not ended after 300ms"},
	} {
		timeout := time.Minute
		if strings.HasPrefix(tt.command, "sleep") {
			timeout = 300 * time.Millisecond
		}
		if text, err := run(tt.command, timeout); err == nil || err.Error() != tt.want || text != "" {
			t.Errorf("%s: %q, error %v", tt.command, text, err)
		}
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, err := command.Summarizer{Set: &child.Set{}, Child: child.Options{Command: "sleep 1000", Env: os.Environ(), Stderr: func(string) {}}}.Summarize(ctx, request)
	if !errors.Is(err, context.Canceled) {
		t.Errorf("stopped: error %v", err)
	}
}
