package child

import (
	"context"
	"errors"
	"fmt"
	"io"
	"time"
)

// Bounds limit a command's time and output.
type Bounds struct {
	Timeout time.Duration // from its start to its end; 0 means no limit
	Output  int           // bytes
}

// Exchange runs a command with an input and returns its output. The error completes a sentence that
// starts with the command's name: it cannot be started, takes too long, writes too much, or ended
// with a nonzero exit code.
func (s *Set) Exchange(ctx context.Context, o Options, input []byte, b Bounds) ([]byte, error) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	if b.Timeout > 0 {
		ctx, cancel = context.WithTimeoutCause(ctx, b.Timeout, fmt.Errorf("has not ended after %s", b.Timeout))
		defer cancel()
	}
	p, err := s.Start(ctx, o)
	if err != nil {
		return nil, fmt.Errorf("cannot be started: %w", err)
	}
	go func() {
		p.Write(input) // the command need not read all of it
		p.CloseInput()
	}()
	output, unread := io.ReadAll(io.LimitReader(p, int64(b.Output)+1))
	long := len(output) > b.Output
	if long {
		cancel()
	}
	err = p.Wait()
	var ended interface{ ExitCode() int }
	switch {
	case long:
		return nil, fmt.Errorf("wrote more than %d bytes", b.Output)
	case context.Cause(ctx) != nil:
		return nil, context.Cause(ctx)
	case errors.As(err, &ended) && ended.ExitCode() > 0:
		return nil, fmt.Errorf("ended with exit code %d", ended.ExitCode())
	case err != nil:
		return nil, fmt.Errorf("failed: %w", err)
	case unread != nil:
		return nil, fmt.Errorf("cannot be read: %w", unread)
	}
	return output, nil
}
