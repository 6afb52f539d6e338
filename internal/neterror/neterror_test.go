package neterror_test

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"syscall"
	"testing"

	"github.com/eaapl/handoff/internal/neterror"
)

func TestPlain(t *testing.T) {
	address := &net.TCPAddr{IP: net.IPv4(127, 0, 0, 1), Port: 5999}
	refused := os.NewSyscallError("connect", syscall.ECONNREFUSED)
	for _, tt := range []struct {
		err  error
		want string
	}{
		{fmt.Errorf("dialling: %w", &net.OpError{Op: "dial", Net: "tcp", Addr: address, Err: refused}), "127.0.0.1:5999: connection refused"},
		{&net.OpError{Op: "write", Net: "tcp", Err: refused}, "connection refused"},
		{&net.OpError{Op: "dial", Net: "tcp", Err: &net.DNSError{Err: "no such host", Name: "db.invalid", Server: "10.0.0.1:53", IsNotFound: true}}, "db.invalid: no such host"},
		{&net.OpError{Op: "dial", Net: "tcp", Addr: address, Err: os.ErrDeadlineExceeded}, "no answer in time"},
		{fmt.Errorf("posting: %w", context.DeadlineExceeded), "no answer in time"},
		{errors.New("another"), "another"},
	} {
		if got := neterror.Plain(tt.err).Error(); got != tt.want {
			t.Errorf("%v: got %q, want %q", tt.err, got, tt.want)
		}
	}
	if err := neterror.Plain(&net.OpError{Op: "write", Addr: address, Err: os.NewSyscallError("write", syscall.EPIPE)}); !errors.Is(err, syscall.EPIPE) {
		t.Errorf("%v lost its cause", err)
	}
}
