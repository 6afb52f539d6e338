package cmd

import (
	"bufio"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"testing"

	"github.com/eaapl/handoff/internal/program"
	"github.com/eaapl/handoff/internal/programtest"
)

// TestSeenRotated replaces the file of accepted IDs while a verifier runs, and lets other processes extend it
// beyond the length known to the verifier. It checks that the IDs that they accepted are replays for the verifier,
// too.
func TestSeenRotated(t *testing.T) {
	tests := []struct {
		name  string
		begin func(path string) error
	}{
		{"renamed", func(path string) error { return os.Rename(path, path+".1") }},
		{"removed", os.Remove}, // the next file may get the same identity
		{"truncated", func(path string) error { return os.Truncate(path, 0) }},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Chdir(t.TempDir())
			programtest.Run(t, "keygen", "-o", "key")
			const messages = 10
			var files []string
			for i := range messages + 2 {
				file := fmt.Sprintf("m%d.json", i)
				files = append(files, file)
				id := fmt.Sprint("id-", i)
				if i == 0 || i == messages { // all but the last are within the part known to the verifier
					id += strings.Repeat("x", 100)
				}
				if err := os.WriteFile(file, fmt.Appendf(nil, `{"handoffId":%q}`, id), 0o600); err != nil {
					t.Fatal(err)
				}
			}
			programtest.Run(t, append([]string{"sign", "-i", "--force", "--key-file", "key"}, files...)...)

			verifier := exec.Command("handoff", "verify", "-f", "json", "--key-file", "key", "--seen", "ids")
			in, err := verifier.StdinPipe()
			if err != nil {
				t.Fatal(err)
			}
			out, err := verifier.StdoutPipe()
			if err != nil {
				t.Fatal(err)
			}
			if err := verifier.Start(); err != nil {
				t.Fatal(err)
			}
			defer verifier.Wait() // some of its answers are no
			defer in.Close()
			verdicts := bufio.NewReader(out)
			verify := func(i int) string {
				signed, err := os.ReadFile(files[i])
				if err != nil {
					t.Fatal(err)
				}
				if _, err := in.Write(signed); err != nil {
					t.Fatal(err)
				}
				line, err := verdicts.ReadString('\n')
				if err != nil {
					t.Fatal(err)
				}
				return line
			}

			if line := verify(0); !strings.Contains(line, `"valid":true`) {
				t.Fatalf("the first message: %s", line)
			}
			if err := tt.begin("ids"); err != nil {
				t.Skip(err) // Windows cannot rename an open file
			}
			for _, some := range [][]string{files[1:4], files[4 : messages+1]} {
				programtest.Run(t, append([]string{"verify", "--key-file", "key", "--seen", "ids"}, some...)...)
			}
			for i := 1; i <= messages; i++ {
				if line := verify(i); !strings.Contains(line, `"reason":"replayed"`) {
					t.Errorf("message %d, which another process had accepted: %s", i, line)
				}
			}
			// The others know the IDs accepted by the verifier.
			if line := verify(messages + 1); !strings.Contains(line, `"valid":true`) {
				t.Errorf("the last message: %s", line)
			}
			again := exec.Command("handoff", "verify", "--key-file", "key", "--seen", "ids", files[messages+1])
			if err := again.Run(); err == nil || again.ProcessState.ExitCode() != program.ExitNo {
				t.Errorf("another process: %v", err)
			}
		})
	}
}
