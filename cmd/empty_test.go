package cmd

import (
	"bytes"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/eaapl/handoff/internal/program"
)

// TestEmptyInput checks that an empty input is one document that is not a message, for every command
// (docs/streaming.md).
func TestEmptyInput(t *testing.T) {
	hostileFolder(t) // skips the test if necessary
	t.Chdir(t.TempDir())
	key, _ := runHere("", "keygen")
	pair, _ := runHere("", "keygen", "--type", "p256")
	definitions, _ := runHere("", "example", "openai-agents")
	for name, text := range map[string]string{"key": key, "pair": pair, "agent": `{"agent_id":"a","name":"a","state":"RUNNABLE","capabilities":[]}`, "registry": "[]", "definitions": definitions, "empty.json": ""} {
		if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	no := []string{"validate", "openai agents check"} // commands with exit code 1
	runs := 0
	for _, r := range hostileRuns {
		if slices.Contains([]string{"new", "keygen", "schema show", "schema bundle", "compress"}, r.command) || r.flags == "--text" {
			continue // they read no messages
		}
		if r.command == "openai filter" {
			r.flags += " --last 1"
		}
		args := slices.Concat(strings.Fields(r.command), strings.Fields(r.flags))
		want := program.ExitTrouble
		if slices.Contains(no, r.command) {
			want = program.ExitNo
		}
		for _, input := range []string{"-", "empty.json"} {
			var out, problems bytes.Buffer
			code := runWriting(strings.NewReader(""), &out, &problems, append(args, input)...)
			if runs++; code != want {
				t.Errorf("%s %s: exit code %d, want %d: %s%s", r.command, r.flags, code, want, out.String(), problems.String())
			} else if said := out.String() + problems.String(); want == program.ExitTrouble && !slices.ContainsFunc([]string{"empty: ", "is empty", "contains no envelopes"}, func(text string) bool { return strings.Contains(said, text) }) {
				t.Errorf("%s %s %s: it does not report that the input is empty: %s", r.command, r.flags, input, said)
			}
			if r.messages && out.Len() > 0 {
				t.Errorf("%s %s %s: wrote %q", r.command, r.flags, input, out.String())
			}
		}
	}
	if runs < 100 {
		t.Errorf("%d runs are too few", runs)
	}
}
