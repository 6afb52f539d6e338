package cmd

import (
	"bytes"
	"context"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/eaapl/handoff/relay/audit/storetest"
	"github.com/eaapl/handoff/schemas"
)

// TestRollback is the integration test of that name in EAAPL-MAG006, section 13.2: agent B rejects the
// handoff; agent A's checkpoint is restored, and the task is PENDING_HANDOFF again. Sender and receiver are
// separate processes, each with its audit log.
func TestRollback(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("the command of --auto needs a POSIX shell")
	}
	for _, tt := range []struct {
		name    string
		address func(*testing.T) string // of a new place; skips the test without its server
	}{
		{"dir", func(t *testing.T) string { return "dir:" + filepath.Join(t.TempDir(), "queue") }},
		{"SQLite", func(t *testing.T) string {
			return "sqlite:" + filepath.Join(t.TempDir(), "queue.db") + "?queue=handoffs"
		}},
		{"PostgreSQL", func(t *testing.T) string { return storetest.Postgres(t) + "&queue=handoffs" }},
		{"HTTP", func(t *testing.T) string { return "http://" + freeAddress(t) + "/handoffs" }},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			address, folder := tt.address(t), t.TempDir()
			message, err := schemas.Example("message")
			if err != nil {
				t.Fatal(err)
			}
			// A checkpoint is arbitrary data of the agent, and must not change.
			checkpoint := []byte("{ \"step\": 1.0, \"é\": \"\xff\x00\" }\r\n")
			in := func(name string) string { return filepath.Join(folder, name) }
			for name, text := range map[string][]byte{"m.json": message, "checkpoint": checkpoint} {
				if err := os.WriteFile(in(name), text, 0o600); err != nil {
					t.Fatal(err)
				}
			}
			ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
			defer cancel()
			// B requires a member of currentState that A does not provide.
			b := exec.CommandContext(ctx, "handoff", "receive", address, "--audit-log", in("b.db"), "--require-state", "/whatA/never/gives", "-q")
			b.Stderr = os.Stderr
			if err := b.Start(); err != nil {
				t.Fatal(err)
			}
			defer func() {
				cancel()
				_ = b.Wait() // killed
			}()
			waitForServer(t, address)
			a := func(wantCode int, args ...string) string {
				t.Helper()
				c := exec.CommandContext(ctx, "handoff", append(args, "--audit-log", in("a.db"), "--store", in("a-state.db"))...)
				var stdout, stderr bytes.Buffer
				c.Stdout, c.Stderr = &stdout, &stderr
				if _ = c.Run(); c.ProcessState.ExitCode() != wantCode {
					t.Fatalf("%s: exit code %d, want %d: %s", args[0], c.ProcessState.ExitCode(), wantCode, stderr.String())
				}
				return stdout.String()
			}
			answer := a(1, "send", in("m.json"), "--checkpoint", in("checkpoint"), "--to", address, "--wait", "30s", "--retries", "1", "--auto", "cat > '"+in("restored")+"'")
			if !strings.Contains(answer, `"status":"REJECTED","reason":"INCOMPLETE_CONTEXT"`) {
				t.Errorf("the answer is %s", answer)
			}
			if got, err := os.ReadFile(in("restored")); err != nil || !bytes.Equal(got, checkpoint) {
				t.Errorf("the command of --auto has %q, %v", got, err)
			}
			if got := a(0, "rollback", "6e7f936b-cafd-4624-8754-0bafc4e8acb3"); got != string(checkpoint) {
				t.Errorf("the checkpoint is %q", got)
			}
			status := a(0, "status", "cc35de8b-6ece-4435-abfd-a60e12baff98", "-f", "json", "--offline")
			if !strings.Contains(status, `"status":"PENDING_HANDOFF"`) || !strings.Contains(status, `"state":"ROLLED_BACK"`) {
				t.Errorf("the task is %s", status)
			}
			out, err := exec.CommandContext(ctx, "handoff", "audit", "list", "-f", "json", "--audit-log", in("a.db")).CombinedOutput()
			if err != nil || strings.Count(string(out), `"event":"ROLLED_BACK"`) != 1 || strings.Count(string(out), `"event":"DISPATCHED"`) != 1 {
				t.Errorf("the audit log of the sender has %s, %v", out, err)
			}
		})
	}
}

// freeAddress returns an unused address of this machine.
func freeAddress(t *testing.T) string {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	return l.Addr().String()
}

// waitForServer waits until a server listens at an http:// address.
func waitForServer(t *testing.T, address string) {
	t.Helper()
	host, ok := strings.CutPrefix(address, "http://")
	if !ok {
		return
	}
	host, _, _ = strings.Cut(host, "/")
	for until := time.Now().Add(30 * time.Second); ; {
		conn, err := net.DialTimeout("tcp", host, time.Second)
		if err == nil {
			conn.Close()
			return
		}
		if time.Now().After(until) {
			t.Fatal(err)
		}
		time.Sleep(10 * time.Millisecond)
	}
}
