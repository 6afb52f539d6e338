// Package relay finds and runs handoff-relay, the program that delivers and records messages.
package relay

import (
	"context"
	_ "embed"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"

	"github.com/spf13/cobra"

	"github.com/eaapl/handoff/internal/program"
	"github.com/eaapl/handoff/internal/report"
	"github.com/eaapl/handoff/internal/term"
)

// Commands describes the commands of handoff-relay; go test ./cmd -run Generated -update makes it.
//
//go:embed commands.json
var Commands []byte

// Name is the name of the program.
const Name = "handoff-relay"

// InProcess runs handoff-relay in this process and returns its exit code. Tests set it; it is nil in the program.
var InProcess func(stdin io.Reader, stdout, stderr io.Writer, args []string) int

// An AbsentError reports that handoff-relay is not installed.
type AbsentError struct{}

func (*AbsentError) Error() string {
	return Name + ", the program that delivers and records messages, is not installed"
}

// find returns the path of handoff-relay: beside this program, or else on PATH.
func find() (string, error) {
	name := Name
	if runtime.GOOS == "windows" {
		name += ".exe"
	}
	if self, err := os.Executable(); err == nil {
		if self, err = filepath.EvalSymlinks(self); err == nil {
			beside := filepath.Join(filepath.Dir(self), name)
			if info, err := os.Stat(beside); err == nil && info.Mode().IsRegular() {
				return beside, nil
			}
		}
	}
	path, err := exec.LookPath(name)
	if err != nil {
		return "", term.WithHint(&AbsentError{}, "put it beside handoff, or on PATH: it is in the packages of handoff, or run \"go install github.com/eaapl/handoff/relay/handoff-relay@latest\" (docs/install.md)")
	}
	return path, nil
}

// Run replaces this program by handoff-relay with a command line, the same streams and the same process id. On
// Windows it runs handoff-relay and returns its exit code as a [program.ExitError].
func Run(c *cobra.Command, args []string) error {
	if InProcess != nil {
		return ended(InProcess(c.InOrStdin(), c.OutOrStdout(), c.ErrOrStderr(), args))
	}
	path, err := find()
	if err != nil {
		return fmt.Errorf("handoff %s: %w", args[0], err)
	}
	return replaceBy(path, append([]string{Name}, args...), environment())
}

// Start runs a command line of handoff-relay as a child and waits for it. Errors are an [*AbsentError] or a
// [program.ExitError], among others.
func Start(ctx context.Context, stdin io.Reader, stdout, stderr io.Writer, args []string) error {
	if InProcess != nil {
		return ended(InProcess(stdin, stdout, stderr, args))
	}
	path, err := find()
	if err != nil {
		return err
	}
	c := exec.CommandContext(ctx, path, args...)
	c.Env, c.Stdin, c.Stdout, c.Stderr = environment(), stdin, stdout, stderr
	return run(c)
}

// run runs a program. Its exit code, if it is not 0, is a [program.ExitError].
func run(c *exec.Cmd) error {
	err := c.Run()
	if exit := (*exec.ExitError)(nil); errors.As(err, &exit) {
		return program.ExitError(exit.ExitCode())
	}
	return err
}

// ended returns an exit code as an error, nil for 0.
func ended(code int) error {
	if code == 0 {
		return nil
	}
	return program.ExitError(code)
}

// environment returns the environment of this process and the version that handoff-relay must have.
func environment() []string {
	return append(os.Environ(), program.VersionVariable+"="+report.BuildVersion())
}
