package program

import (
	"bytes"
	"errors"
	"fmt"
	"net"
	"os"
	"runtime"
	"runtime/debug"
	"syscall"
	"testing"
	"time"

	"github.com/eaapl/handoff/internal/cli"
)

func TestDelayCollection(t *testing.T) {
	t.Setenv("GOGC", "")
	const usual = 120
	defer debug.SetGCPercent(debug.SetGCPercent(usual))
	delayCollection()
	delayed := debug.SetGCPercent(800)
	if delayed != 800 {
		t.Errorf("%d percent at first, want 800", delayed)
	}
	for range 1000 {
		runtime.GC()
		time.Sleep(time.Millisecond) // time for the cleanup to run
		if debug.SetGCPercent(800) == usual {
			return
		}
	}
	t.Errorf("never %d percent again", usual)
}

// TestConnectionLost checks that only the end of a pipe is ignored silently.
func TestConnectionLost(t *testing.T) {
	broken := os.NewSyscallError("write", syscall.EPIPE)
	for _, tt := range []struct {
		err  error
		code int
		want string
	}{
		{fmt.Errorf("standard output: cannot be written: %w", broken), exitPipe, ""},
		{fmt.Errorf("the database: %w", &net.OpError{Op: "write", Net: "tcp", Err: broken}), ExitTrouble, "handoff: the database: write tcp: write: broken pipe\n"},
	} {
		var stderr bytes.Buffer
		if code := Fail(&stderr, tt.err); code != tt.code || stderr.String() != tt.want {
			t.Errorf("%v: got %d, %q", tt.err, code, stderr.String())
		}
	}
}

// TestClosed checks that a failure to close overrides an answer.
func TestClosed(t *testing.T) {
	trouble := errors.New("trouble")
	for _, tt := range []struct {
		err, closing error
		code         int
		want         string
	}{
		{nil, nil, ExitYes, ""},
		{cli.ErrNo, nil, ExitNo, ""},
		{nil, trouble, ExitTrouble, "handoff: trouble\n"},
		{cli.ErrNo, trouble, ExitTrouble, "handoff: trouble\n"},
		{cli.ErrReported, trouble, ExitTrouble, "handoff: trouble\n"},
		{errors.New("first"), trouble, ExitTrouble, "handoff: first\nhandoff: trouble\n"},
	} {
		var stderr bytes.Buffer
		if code := Fail(&stderr, cli.Closed(tt.err, nil, tt.closing)); code != tt.code || stderr.String() != tt.want {
			t.Errorf("%v, then %v: got %d, %q", tt.err, tt.closing, code, stderr.String())
		}
	}
}
