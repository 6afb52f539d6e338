package cmd

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// mcpCommand returns handoff mcp as a separate process.
func mcpCommand(t testing.TB, args ...string) *exec.Cmd {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	// The test binary acts as handoff under that name: see testscript.Main.
	handoff := filepath.Join(t.TempDir(), "handoff")
	if err := os.Symlink(self, handoff); err != nil {
		t.Skipf("no symbolic link: %v", err)
	}
	c := exec.Command(handoff, append([]string{"mcp"}, args...)...)
	c.Env = append(os.Environ(), "XDG_CONFIG_HOME="+t.TempDir(), "XDG_STATE_HOME="+t.TempDir())
	return c
}

// toolText calls a tool and returns its text.
func toolText(t *testing.T, s *mcp.ClientSession, name, arguments string) string {
	t.Helper()
	r, err := s.CallTool(t.Context(), &mcp.CallToolParams{Name: name, Arguments: json.RawMessage(arguments)})
	if err != nil {
		t.Fatal(err)
	}
	return r.Content[0].(*mcp.TextContent).Text
}

// TestMCPChild uses a client of the SDK, which starts the server, to take messages from a folder, accept them, and
// query the task in the audit log.
func TestMCPChild(t *testing.T) {
	dir := t.TempDir()
	message, err := os.ReadFile("../schemas/examples/message.json")
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "message.json"), message, 0o600); err != nil {
		t.Fatal(err)
	}
	c := mcpCommand(t, "--root", dir, "--audit-log", filepath.Join(t.TempDir(), "audit.db"))
	c.Stderr = os.Stderr
	client := mcp.NewClient(&mcp.Implementation{Name: "test", Version: "1"}, nil)
	s, err := client.Connect(t.Context(), &mcp.CommandTransport{Command: c}, nil)
	if err != nil {
		t.Fatal(err)
	}
	var answer struct{ Status, TaskID, Reason string }
	for i, want := range []string{"ACCEPTED", "DUPLICATE"} {
		text := toolText(t, s, "accept", `{"path":"message.json"}`)
		if err := json.Unmarshal([]byte(text), &answer); err != nil || answer.Status != want {
			t.Fatalf("attempt %d: %s", i+1, text)
		}
	}
	if text := toolText(t, s, "accept", `{"message":{"handoffId":1,"handoffId":2}}`); !strings.Contains(text, "REJECTED") || !strings.Contains(text, "twice") {
		t.Errorf("broken message: %s", text)
	}
	brief, full := toolText(t, s, "trace", fmt.Sprintf(`{"taskId":%q}`, answer.TaskID)), toolText(t, s, "trace", fmt.Sprintf(`{"taskId":%q,"detail":"full"}`, answer.TaskID))
	if !strings.Contains(brief, `"handoffId"`) || strings.Contains(brief, `"taskDescription"`) || !strings.Contains(full, `"taskDescription"`) {
		t.Errorf("trace: %s\n%s", brief, full)
	}
	if text := toolText(t, s, "trace", `{"taskId":"00000000-0000-4000-8000-000000000000"}`); !strings.Contains(text, "no record") {
		t.Errorf("unknown task: %s", text)
	}
	if text := toolText(t, s, "validate", `{"path":"../../../../etc/passwd"}`); !strings.Contains(text, "outside the permitted folders") {
		t.Errorf("path outside of the root: %s", text)
	}
	if err := s.Close(); err != nil {
		t.Error(err)
	}
}

// TestMCPClientGone checks that the server ends without an error when the client ends, in any way.
func TestMCPClientGone(t *testing.T) {
	for _, tt := range []struct {
		name string
		end  func(in io.Closer, out io.Closer, p *os.Process)
		code int
	}{
		{"closes both", func(in, out io.Closer, _ *os.Process) { out.Close(); in.Close() }, 0},
		{"closes its side", func(in, _ io.Closer, _ *os.Process) { in.Close() }, 0},
		{"interrupts", func(_, _ io.Closer, p *os.Process) { p.Signal(os.Interrupt) }, 130},
	} {
		t.Run(tt.name, func(t *testing.T) {
			c := mcpCommand(t)
			var stderr bytes.Buffer
			c.Stderr = &stderr
			in, err := c.StdinPipe()
			if err != nil {
				t.Fatal(err)
			}
			out, w, err := os.Pipe()
			if err != nil {
				t.Fatal(err)
			}
			c.Stdout = w
			if err := c.Start(); err != nil {
				t.Fatal(err)
			}
			w.Close()
			fmt.Fprintln(in, `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"x","version":"1"}}}`)
			if line, err := bufio.NewReader(out).ReadString('\n'); err != nil || !strings.Contains(line, `"serverInfo"`) {
				t.Fatalf("%q, %v", line, err)
			}
			tt.end(in, out, c.Process)
			stuck := time.AfterFunc(time.Minute, func() { c.Process.Kill() })
			c.Wait() // the exit code is checked
			if stuck.Stop(); c.ProcessState.ExitCode() != tt.code || stderr.Len() > 0 {
				t.Errorf("exit code %d, want %d; stderr %q", c.ProcessState.ExitCode(), tt.code, &stderr)
			}
		})
	}
}

// serveMCP starts handoff mcp --listen, and returns its address and token.
func serveMCP(t testing.TB, args ...string) (address, token string) {
	t.Helper()
	address, token, _ = startMCP(t, args...)
	return address, token
}

// startMCP is serveMCP for tests that need the process.
func startMCP(t testing.TB, args ...string) (address, token string, c *exec.Cmd) {
	t.Helper()
	c = mcpCommand(t, append([]string{"--listen", "127.0.0.1:0"}, args...)...)
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
	lines := bufio.NewScanner(stderr)
	for lines.Scan() {
		if at, ok := strings.CutPrefix(lines.Text(), "handoff: listening at "); ok {
			address = at
		}
		if at, ok := strings.CutPrefix(lines.Text(), "handoff: bearer token: "); ok {
			return address, at, c
		}
	}
	t.Fatalf("the server printed no address: %v", lines.Err())
	return "", "", nil
}

// bearer adds a token to requests.
type bearer struct{ token string }

func (b bearer) RoundTrip(r *http.Request) (*http.Response, error) {
	r = r.Clone(r.Context())
	r.Header.Set("Authorization", "Bearer "+b.token)
	return http.DefaultTransport.RoundTrip(r)
}

// TestMCPHTTP uses a client of the SDK over HTTP.
func TestMCPHTTP(t *testing.T) {
	address, token := serveMCP(t)
	client := mcp.NewClient(&mcp.Implementation{Name: "test", Version: "1"}, nil)
	s, err := client.Connect(t.Context(), &mcp.StreamableClientTransport{Endpoint: address, HTTPClient: &http.Client{Transport: bearer{token}}}, nil)
	if err != nil {
		t.Fatal(err)
	}
	if text := toolText(t, s, "diff", `{"old":{"a":9007199254740993},"new":{"a":9007199254740992}}`); !strings.Contains(text, `"old":"9007199254740993"`) {
		t.Error(text)
	}
	if err := s.Close(); err != nil {
		t.Error(err)
	}
}

// TestMCPHTTPEnds checks that a signal ends the server without an error, even while a client listens.
func TestMCPHTTPEnds(t *testing.T) {
	address, token, c := startMCP(t)
	client := mcp.NewClient(&mcp.Implementation{Name: "test", Version: "1"}, nil)
	s, err := client.Connect(t.Context(), &mcp.StreamableClientTransport{Endpoint: address, HTTPClient: &http.Client{Transport: bearer{token}}}, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close() // the server has ended
	if err := c.Process.Signal(os.Interrupt); err != nil {
		t.Skip(err)
	}
	if err := c.Wait(); err != nil {
		t.Error(err)
	}
}

// TestMCPHTTPRefused checks that the server rejects requests without the token, with another host name, from
// another origin, and over the size limit.
func TestMCPHTTPRefused(t *testing.T) {
	address, token := serveMCP(t, "--max-message-bytes", "1000")
	const ping = `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"x","version":"1"}}}`
	for _, tt := range []struct {
		name, token, host, origin, body string
		want                            int
	}{
		{"allowed", token, "", "", ping, 200},
		{"its own origin", token, "", strings.TrimSuffix(address, "/mcp"), ping, 200},
		{"localhost", token, "localhost:1", "", ping, 200},
		{"no token", "", "", "", ping, 401},
		{"another token", token + "x", "", "", ping, 401},
		{"another name", token, "evil.example", "", ping, 403},
		{"a name with the same prefix", token, "localhost.evil.example", "", ping, 403},
		{"another origin", token, "", "http://evil.example", ping, 403},
		{"another port's origin", token, "", "http://127.0.0.1:1", ping, 403},
		{"no origin", token, "", "null", ping, 403},
		{"too large", token, "", "", `{"jsonrpc":"2.0","id":1,"method":"ping","params":{"x":"` + strings.Repeat("x", 2<<20) + `"}}`, 413},
	} {
		r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, address, strings.NewReader(tt.body))
		if err != nil {
			t.Fatal(err)
		}
		r.Header.Set("Content-Type", "application/json")
		r.Header.Set("Accept", "application/json, text/event-stream")
		if r.Host = tt.host; tt.token != "" {
			r.Header.Set("Authorization", "Bearer "+tt.token)
		}
		if tt.origin != "" {
			r.Header.Set("Origin", tt.origin)
		}
		answer, err := http.DefaultClient.Do(r)
		if err != nil {
			t.Errorf("%s: %v", tt.name, err)
			continue
		}
		text, err := io.ReadAll(answer.Body)
		if err != nil {
			t.Fatal(err)
		}
		if answer.Body.Close(); answer.StatusCode != tt.want {
			t.Errorf("%s: status %d, want %d", tt.name, answer.StatusCode, tt.want)
		}
		// The library behind the handler has guards of its own, which know localhost only.
		if tt.want == 403 && !strings.Contains(string(text), "this server does not have that name") && !strings.Contains(string(text), "pages of other origins") {
			t.Errorf("%s: refused behind our guard: %s", tt.name, text)
		}
	}
}
