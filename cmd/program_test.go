package cmd

import (
	"bytes"
	"os/exec"
	"strings"
	"testing"
)

// program runs the program in a process of its own and returns what it prints.
func program(t *testing.T, args ...string) string {
	t.Helper()
	var stderr bytes.Buffer
	c := exec.Command("handoff", args...)
	c.Stderr = &stderr
	out, err := c.Output()
	if err != nil {
		t.Errorf("handoff %s: %v\n%s", strings.Join(args, " "), err, stderr.String())
	}
	return strings.TrimSpace(string(out))
}
