package redis_test

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/eaapl/handoff/relay/transport"
	"github.com/eaapl/handoff/relay/transport/redis"
)

// TestDurable checks that, with an append-only file and Redis 7.2, which Debian does not have yet, a message is
// confirmed when the server reports that it is on the disk. The test simulates the server.
func TestDurable(t *testing.T) {
	const (
		file   = "redis_version:7.2.4\r\naof_enabled:1\r\n"
		older  = "redis_version:7.0.15\r\naof_enabled:1\r\n"
		nofile = "redis_version:8.2.0\r\naof_enabled:0\r\n"
	)
	for _, tt := range []struct {
		name      string
		parameter string
		info      string
		fsync     string
		synced    []string // the responses to WAITAOF, in order
		opening   string   // the error when it is opened
		waited    int      // the number of waits for the disk
	}{
		{name: "it is on the disk", info: file, synced: []string{"*2\r\n:1\r\n:0\r\n"}, waited: 1},
		{name: "not in time, then it is", info: file, synced: []string{"*2\r\n:0\r\n:0\r\n", "*2\r\n:1\r\n:0\r\n"}, waited: 2},
		{name: "the file was closed, then it is there", info: file, synced: []string{"-ERR WAITAOF cannot be used\r\n", "*2\r\n:1\r\n:0\r\n"}, waited: 2},
		{name: "required", parameter: "?durable=require", info: file, synced: []string{"*2\r\n:1\r\n:0\r\n"}, waited: 1},
		{name: "an older one", info: older},
		{name: "an older one that flushes always", parameter: "?durable=require", info: older, fsync: "always"},
		{name: "an older one that flushes now and then", parameter: "?durable=require", info: older, fsync: "everysec", opening: "the server has appendfsync everysec"},
		{name: "no file", info: nofile},
		{name: "no file, and required", parameter: "?durable=require", info: nofile, opening: "has no append-only file"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			waited := make(chan bool, 10)
			address := play(t, func(command []string) string {
				switch strings.ToUpper(command[0]) {
				case "HELLO":
					return "-ERR unknown command\r\n" // as in older servers
				case "INFO":
					return fmt.Sprintf("$%d\r\n%s\r\n", len(tt.info), tt.info)
				case "EVAL":
					return ":1\r\n"
				case "WAITAOF":
					waited <- true
					return tt.synced[min(len(waited), len(tt.synced))-1]
				case "CONFIG":
					return fmt.Sprintf("*2\r\n$11\r\nappendfsync\r\n$%d\r\n%s\r\n", len(tt.fsync), tt.fsync)
				}
				return "+OK\r\n"
			})
			u, err := url.Parse("redis://" + address + "/0/s" + tt.parameter)
			if err != nil {
				t.Fatal(err)
			}
			ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
			defer cancel()
			p, err := redis.Publish(ctx, u, transport.Options{})
			if tt.opening != "" {
				if e := (*transport.PermanentError)(nil); !errors.As(err, &e) || !strings.Contains(err.Error(), tt.opening) {
					t.Errorf("got %v", err)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			defer p.Close()
			if _, err := p.Publish(ctx, transport.Message{ID: "1"}); err != nil || len(waited) != tt.waited {
				t.Errorf("waited %d times, error %v", len(waited), err)
			}
		})
	}
}

// play simulates a Redis server, and returns its address.
func play(t *testing.T, answer func(command []string) string) (address string) {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { listener.Close() })
	go func() {
		for {
			conn, err := listener.Accept()
			if err != nil {
				return
			}
			go func() {
				defer conn.Close()
				for r := bufio.NewReader(conn); ; {
					var n int
					if _, err := fmt.Fscanf(r, "*%d\r\n", &n); err != nil {
						return
					}
					command := make([]string, n)
					for i := range command {
						var length int
						if _, err := fmt.Fscanf(r, "$%d\r\n", &length); err != nil {
							return
						}
						text := make([]byte, length+2)
						if _, err := io.ReadFull(r, text); err != nil {
							return
						}
						command[i] = string(text[:length])
					}
					if _, err := io.WriteString(conn, answer(command)); err != nil {
						return
					}
				}
			}()
		}
	}()
	return listener.Addr().String()
}
