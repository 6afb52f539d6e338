// Package neterror rewords network errors in plain language.
package neterror

import (
	"context"
	"errors"
	"fmt"
	"net"
	"syscall"
)

// Plain returns the error of a network call without the names of Go functions and system calls: the address
// and the problem. It returns other errors unchanged.
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
