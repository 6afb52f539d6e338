//go:build unix

package command_test

import (
	"context"
	"os"
	"strings"
	"testing"

	"github.com/eaapl/handoff/internal/child"
	"github.com/eaapl/handoff/internal/summarize/command"
	"github.com/eaapl/handoff/pkg/summarize"
)

// A command reports the cost of the summary on standard error; other lines are for people.
func TestUsage(t *testing.T) {
	for _, tt := range []struct {
		stderr, wrong string
		want          summarize.Usage
	}{
		{`handoff-usage: {"promptTokens":1200,"completionTokens":150,"costUSD":0.00042,"model":"gpt-5-mini"}`, "", summarize.Usage{PromptTokens: 1200, CompletionTokens: 150, CostUSD: "0.00042", Model: "gpt-5-mini"}},
		{`handoff-usage: {"costUSD":1e-3}`, "", summarize.Usage{CostUSD: "1e-3"}},
		{"thinking", "", summarize.Usage{}},
		{`handoff-usage: {"costUSD":-1}`, "with a number below 0", summarize.Usage{}},
		{`handoff-usage: {"cost":1}`, "is invalid", summarize.Usage{}},
		{`handoff-usage: x`, "is invalid", summarize.Usage{}},
	} {
		said := ""
		o := child.Options{Command: `printf '%s\n' "$SAYS" >&2; echo so far`, Env: append(child.Environment(os.Environ(), nil), "SAYS="+tt.stderr), Stderr: func(line string) { said += line }}
		s, err := command.Summarizer{Set: &child.Set{}, Child: o}.Summarize(context.Background(), request)
		switch {
		case tt.wrong != "":
			if err == nil || !strings.Contains(err.Error(), tt.wrong) {
				t.Errorf("%s: %v, want one that says %q", tt.stderr, err, tt.wrong)
			}
		case err != nil || s.Text != "so far" || s.Usage != tt.want:
			t.Errorf("%s: %+v, %v; want %+v", tt.stderr, s, err, tt.want)
		case (said == "") != (tt.want != summarize.Usage{}):
			t.Errorf("%s: shown as %q", tt.stderr, said)
		}
	}
}
