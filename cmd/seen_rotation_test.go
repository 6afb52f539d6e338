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

// TestSeenRotated replaces the file of accepted ids while a verifier runs, and lets
// other processes make it longer than the verifier knew it: what they have accepted is
// then a replay for the verifier too.
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
				if i == 0 || i == messages { // all before the last are within what the verifier knew
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
				t.Skip(err) // Windows does not rename a file that is open
			}
			for _, some := range [][]string{files[1:4], files[4 : messages+1]} {
				programtest.Run(t, append([]string{"verify", "--key-file", "key", "--seen", "ids"}, some...)...)
			}
			for i := 1; i <= messages; i++ {
				if line := verify(i); !strings.Contains(line, `"reason":"replayed"`) {
					t.Errorf("message %d, which another process had accepted: %s", i, line)
				}
			}
			// And what the verifier accepts is known to the others.
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
