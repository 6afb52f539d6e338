package cmd

import (
	"strings"
	"testing"
	"testing/iotest"

	"github.com/eaapl/handoff/schemas"
)

// TestOrderOfReports checks that errors and reports of commands that rewrite messages are in the order of the
// input. The arrival of the input determines which documents are processed together, and must not affect the
// output.
func TestOrderOfReports(t *testing.T) {
	example, err := schemas.Example("sw4rm-context")
	if err != nil {
		t.Fatal(err)
	}
	message := strings.ReplaceAll(string(example), "\n", " ")
	broken := strings.Replace(message, `"user_messages"`, `"user_message"`, 1)
	unfilled := strings.Replace(message, `"session_id"`, `"session"`, 1)
	input := strings.Repeat(message+"\n{\"a\":1}\n"+broken+"\n[]\n"+unfilled+"\n", 5)
	for _, command := range [][]string{
		{"convert", "--format-out", "eaapl", "--mapping"},
		{"convert", "--format-out", "eaapl", "--mapping", "-f", "json", "--lenient"},
		{"trim", "--max-tokens", "400", "-f", "json"},
		{"sw4rm", "prepare", "--max-history", "2"},
	} {
		wantOut, wantErr := runReading(strings.NewReader(input), command...)
		out, problems := runReading(iotest.OneByteReader(strings.NewReader(input)), command...)
		if strings.Count(wantErr, "\n") < 10 {
			t.Errorf("%q: expected errors and reports, found:\n%s", command, wantErr)
		}
		if out != wantOut || problems != wantErr {
			t.Errorf("%q: read byte by byte:\n%s\nread as a whole:\n%s", command, problems, wantErr)
		}
	}
}
