package cmd

import (
	"bufio"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/eaapl/handoff/internal/programtest"
)

// TestServersAtConnectionLimit checks that clients with the token are served even if clients without it use the
// maximum number of connections: with an idle connection, half a header or half a body.
func TestServersAtConnectionLimit(t *testing.T) {
	const token, connections, patience = "0123456789abcdefghijklmn", 256, 30 * time.Second
	t.Chdir(t.TempDir())
	if err := os.WriteFile("token", []byte(token), 0o600); err != nil {
		t.Fatal(err)
	}
	programtest.Run(t, "audit", "init", "--audit-log", "a.db")
	message := programtest.Run(t, "example")
	for _, tt := range []struct {
		args              []string
		method, path      string
		accept, body      string
		refused, answered int
	}{
		{[]string{"serve", "--listen", "127.0.0.1:0"}, "GET", "/", "", "", 401, 200},
		{[]string{"mcp", "--listen", "127.0.0.1:0"}, "POST", "/mcp", "application/json, text/event-stream", `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"x","version":"1"}}}`, 401, 200},
		{[]string{"receive", "http://127.0.0.1:0/handoffs"}, "POST", "/handoffs", "", message, 401, 202},
	} {
		t.Run(tt.args[0], func(t *testing.T) {
			c := exec.Command("handoff", append(tt.args, "--token-file", "token", "--audit-log", "a.db")...)
			address := listeningAddress(t, c)
			request := func(token string, length int) string {
				return fmt.Sprintf("%s %s HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Bearer %s\r\nContent-Type: application/json\r\nAccept: %s\r\nContent-Length: %d\r\n\r\n", tt.method, tt.path, token, tt.accept, length)
			}
			ask := func(sent string) (net.Conn, *bufio.Reader) {
				t.Helper()
				c, err := net.Dial("tcp", address)
				if err != nil {
					t.Fatal(err)
				}
				t.Cleanup(func() { c.Close() })
				if err := c.SetDeadline(time.Now().Add(patience)); err != nil {
					t.Fatal(err)
				}
				if _, err := io.WriteString(c, sent); err != nil {
					t.Fatal(err)
				}
				return c, bufio.NewReader(c)
			}
			status := func(r *bufio.Reader) int {
				t.Helper()
				answer, err := http.ReadResponse(r, nil)
				if err != nil {
					t.Fatal(err)
				}
				return answer.StatusCode
			}
			for i := range connections {
				_, r := ask(request("", 0))
				if got := status(r); got != tt.refused {
					t.Fatalf("without the token: status %d", got)
				}
				ask([]string{"POST / HTTP/1.1\r\nHost:", request(token, 1000) + "{"}[i%2])
			}
			_, r := ask(request(token, len(tt.body)) + tt.body)
			if got := status(r); got != tt.answered {
				t.Errorf("with the token: status %d", got)
			}
		})
	}
}

// listeningAddress starts a server, and returns the printed address, as one of this machine.
func listeningAddress(t *testing.T, c *exec.Cmd) string {
	t.Helper()
	stderr, err := c.StderrPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		c.Process.Kill()
		c.Wait() // killed
	})
	port := regexp.MustCompile(`^handoff: listening at .*?:(\d+)(/|,|$)`)
	var printed strings.Builder
	lines := bufio.NewScanner(stderr)
	for lines.Scan() {
		if found := port.FindStringSubmatch(lines.Text()); found != nil {
			go io.Copy(io.Discard, stderr)
			return net.JoinHostPort("127.0.0.1", found[1])
		}
		printed.WriteString(lines.Text() + "\n")
	}
	t.Fatalf("the server printed no address: %s", &printed)
	return ""
}
