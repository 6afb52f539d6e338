// Package neterror says in plain words why something on the network could not be reached.
package neterror

import (
	"context"
	"errors"
	"fmt"
	"net"
	"syscall"
)

// Plain returns the error of a call over the network without the names of Go's functions and
// of system calls: the address, and what is wrong there. An error of another kind stays as it
// is.
func Plain(err error) error {
	if e := (*net.DNSError)(nil); errors.As(err, &e) {
		return fmt.Errorf("%s: %s", e.Name, e.Err)
	}
	if e := (*net.OpError)(nil); errors.As(err, &e) && !e.Timeout() {
		cause := e.Err
		if number := syscall.Errno(0); errors.As(cause, &number) {
			cause = number
		}
		if e.Addr == nil {
			return cause
		}
		return fmt.Errorf("%s: %w", e.Addr, cause)
	}
	if timeout := net.Error(nil); errors.Is(err, context.DeadlineExceeded) || errors.As(err, &timeout) && timeout.Timeout() {
		return errNoAnswer
	}
	return err
}

var errNoAnswer = errors.New("no answer in time")
