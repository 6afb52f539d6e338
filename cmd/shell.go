package cmd

import (
	"context"
	"os/exec"
	"runtime"
)

// shellCommand returns a command that the system's shell runs, and that ends with
// the context.
func shellCommand(ctx context.Context, command string) *exec.Cmd {
	if runtime.GOOS == "windows" {
		return exec.CommandContext(ctx, "cmd", "/c", command)
	}
	return exec.CommandContext(ctx, "sh", "-c", command)
}
