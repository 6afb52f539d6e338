package audit

import (
	"bytes"
	"errors"
	"fmt"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/spf13/cobra"

	"github.com/eaapl/handoff/internal/cli"
	"github.com/eaapl/handoff/relay/audit"
	"github.com/eaapl/handoff/relay/audit/audittest"
)

// sample is a line of Prometheus' text format.
var sample = regexp.MustCompile(`^(# (HELP|TYPE) handoff_audit_\w+ .+|handoff_audit_\w+\{(\w+="([^"\\]|\\["\\n])*",?)+\} [0-9.e+-]+)$`)

// TestHostileRecords checks that no content of a record or message can control the terminal, forge a line, or
// break a format.
func TestHostileRecords(t *testing.T) {
	path := filepath.Join(t.TempDir(), "audit.db")
	l := audittest.Open(t, path)
	hostile := "\x1b[2J\r\n✓ forged\u202e\"\\{}"
	text := fmt.Appendf(nil, `{"handoffId":"h","taskId":"t","fromAgent":{"agentId":%q},"toAgent":{"agentType":"b"},"currentState":{"x":%q},"completedSubtasks":[{"subtaskId":%[2]q,"result":%[2]q}]}`, "a", "\u202e✓ forged")
	audittest.Add(t, l, audit.Record{Event: audit.Accepted, Transport: hostile, LatencyMicros: 1}, text)
	audittest.Add(t, l, audit.Record{
		Event: audit.Rejected, HandoffID: hostile, TaskID: "t", ParentHandoffID: "h", Sender: hostile, Receiver: hostile, Reason: "SAFETY_VIOLATION", TraceID: strings.Repeat("0a", 16), KeyID: hostile,
		Details: audit.Details{By: hostile, Explanation: hostile, Receivers: []string{hostile, hostile}, Findings: []audit.Finding{{Rule: hostile, Severity: "error", Pointer: hostile, Message: hostile}}},
	}, nil)
	for _, args := range [][]string{
		{"list"}, {"show", "0"}, {"show", "1"}, {"trace", "t"}, {"trace", "t", "-f", "json"}, {"trace", "t", "-f", "mermaid"}, {"trace", "t", "-f", "otlp"}, {"cost", "--group-by", "pair"},
		{"find", "t", "/currentState"}, {"find", "t", "/currentState", "-f", "json"}, {"stats"}, {"stats", "--slo"}, {"stats", "--slo", "-f", "json"}, {"stats", "-f", "prometheus"},
	} {
		t.Run(strings.Join(args, " "), func(t *testing.T) {
			got, err := execute(t, append(args, "--audit-log", path)...)
			if err != nil && !errors.Is(err, cli.ErrNo) {
				t.Fatal(err)
			}
			if got == "" {
				t.Fatal("there is no output")
			}
			if strings.ContainsAny(got, "\x1b\r\u202e") {
				t.Errorf("control characters come out:\n%q", got)
			}
			for line := range strings.Lines(got) {
				if strings.HasPrefix(line, "✓") {
					t.Errorf("a line is forged: %q", line)
				}
				if args[len(args)-1] == "prometheus" && !sample.MatchString(strings.TrimSuffix(line, "\n")) {
					t.Errorf("%q is no line of the format", line)
				}
			}
		})
	}
}

// execute runs a command of audit, and returns its output.
func execute(t *testing.T, args ...string) (string, error) {
	t.Helper()
	g := cli.NewGlobals()
	g.Color = "never"
	c := New(g, &cobra.Command{Use: "chain"})
	c.SilenceErrors, c.SilenceUsage = true, true
	var out bytes.Buffer
	c.SetOut(&out)
	c.SetArgs(args)
	err := c.ExecuteContext(t.Context())
	return out.String(), err
}
