package mcp_test

import (
	"encoding/json"
	"fmt"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/eaapl/handoff/internal/oracle"
	"github.com/eaapl/handoff/internal/tier"
)

// built is the folder of the built handoff, "" if it is not built. TestMain removes it.
var built string

// program builds handoff, which clients start.
func program(t *testing.T) string {
	t.Helper()
	handoff := filepath.Join(built, "handoff")
	if built != "" {
		return handoff
	}
	dir, err := os.MkdirTemp("", "mcp")
	if err != nil {
		t.Fatal(err)
	}
	built, handoff = dir, filepath.Join(dir, "handoff")
	if out, err := exec.Command("go", "build", "-ldflags=-s -w", "-o", dir, "github.com/eaapl/handoff", "github.com/eaapl/handoff/relay/handoff-relay").CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	return handoff
}

func TestMain(m *testing.M) {
	code := tier.Run(m)
	if built != "" {
		os.RemoveAll(built)
	}
	os.Exit(code)
}

// serve starts handoff mcp over HTTP, and returns its address and its token.
func serve(t *testing.T, handoff string) (address, token string) {
	t.Helper()
	c := exec.Command(handoff, "mcp", "--listen", "127.0.0.1:0")
	stderr, err := c.StderrPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		c.Process.Kill()
		c.Wait() // it was killed
	})
	if _, err := fmt.Fscanf(stderr, "handoff: listening at %s\nhandoff: bearer token: %s\n", &address, &token); err != nil {
		t.Fatal(err)
	}
	return address, token
}

// TestInspector calls the server through the command line of the MCP Inspector.
func TestInspector(t *testing.T) {
	dir := filepath.Dir(oracle.InstallClients(t))
	handoff := program(t)
	questions := []struct {
		args []string
		want string
	}{
		{[]string{"--method", "resources/read", "--uri", "handoff://rules/lint/secret"}, `lint/secret`},
		{[]string{"--method", "prompts/get", "--prompt-name", "make_handoff", "--prompt-args", "to=scorer"}, `scorer`},
		{[]string{"--method", "tools/call", "--tool-name", "count", "--tool-arg", `message={"messages":[{"role":"user","content":"hello"}]}`}, `"format": "openai-chat"`},
		{[]string{"--method", "tools/list"}, `"name": "read_result"`},
		{[]string{"--method", "resources/list"}, `"uri": "handoff://rules"`},
		{[]string{"--method", "resources/templates/list"}, `handoff://rules/{+rule}`},
		{[]string{"--method", "prompts/list"}, `"name": "make_handoff"`},
	}
	// Starting the Inspector takes most of the time. TestTools, TestResources and TestPrompts also check the
	// lists.
	for _, tt := range questions[:tier.Count(1, len(questions))] {
		args := append([]string{filepath.Join("node_modules", ".bin", "mcp-inspector"), "--cli", handoff, "mcp"}, tt.args...)
		c := exec.CommandContext(t.Context(), "node", args...)
		c.Dir = dir
		out, err := c.CombinedOutput()
		if err != nil || !strings.Contains(string(out), tt.want) {
			t.Errorf("%s: %v, want %q in\n%.2000s", tt.args, err, tt.want, out)
		}
	}
}

// Reasons why scenarios of the conformance tests do not apply.
const (
	fixtures = "it calls a tool, reads a resource or gets a prompt that only a server made for these tests has"
	notYet   = "the server offers no such thing: it writes no log, has no resources that change, and asks its client nothing"
)

// conformance has the scenarios for servers, with the reason why each does not apply, "" if it must pass.
// TestOutputs, TestResources and TestPrompts test the same as scenarios with fixtures.
var conformance = map[string]string{
	"server-initialize": "", "ping": "", "completion-complete": fixtures, "tools-list": "", "resources-list": "", "prompts-list": "",
	"dns-rebinding-protection": "", "server-sse-multiple-streams": "",
	"tools-call-simple-text": fixtures, "tools-call-image": fixtures, "tools-call-audio": fixtures, "tools-call-embedded-resource": fixtures,
	"tools-call-mixed-content": fixtures, "tools-call-error": fixtures, "json-schema-2020-12": fixtures, "resources-read-text": fixtures,
	"resources-read-binary": fixtures, "resources-templates-read": fixtures, "prompts-get-simple": fixtures, "prompts-get-with-args": fixtures,
	"prompts-get-embedded-resource": fixtures, "prompts-get-with-image": fixtures, "tools-call-with-progress": fixtures,
	"logging-set-level": notYet, "tools-call-with-logging": notYet, "tools-call-sampling": notYet, "tools-call-elicitation": notYet,
	"elicitation-sep1034-defaults": notYet, "elicitation-sep1330-enums": notYet, "resources-subscribe": notYet, "resources-unsubscribe": notYet,
	"server-sse-polling": notYet,
}

// TestConformance runs the applicable scenarios of @modelcontextprotocol/conformance, through a proxy that adds
// the token.
func TestConformance(t *testing.T) {
	scripts := oracle.InstallClients(t)
	address, token := serve(t, program(t))
	target, err := url.Parse(address)
	if err != nil {
		t.Fatal(err)
	}
	proxy := httptest.NewServer(&httputil.ReverseProxy{FlushInterval: -1, Rewrite: func(r *httputil.ProxyRequest) {
		r.Out.URL.Scheme, r.Out.URL.Host = target.Scheme, target.Host
		r.Out.Host = r.In.Host
		r.Out.Header.Set("Authorization", "Bearer "+token)
	}})
	defer proxy.Close()
	run := func(args ...string) ([]byte, error) {
		c := exec.CommandContext(t.Context(), "node", append([]string{"--import", filepath.Join(scripts, "node20.mjs"), filepath.Join("node_modules", "@modelcontextprotocol", "conformance", "dist", "index.js")}, args...)...)
		c.Dir = filepath.Dir(scripts)
		return c.CombinedOutput()
	}
	list, err := run("list", "--server")
	if err != nil {
		t.Fatalf("%v\n%.2000s", err, list)
	}
	listed := 0
	for line := range strings.Lines(string(list)) {
		name, ok := strings.CutPrefix(strings.TrimSpace(line), "- ")
		if !ok {
			continue
		}
		listed++
		name, _, _ = strings.Cut(name, " ")
		why, known := conformance[name]
		switch {
		case !known:
			t.Errorf("%s: say in the table whether it has to pass", name)
		case why == "":
			results := t.TempDir()
			out, err := run("server", "--url", proxy.URL+"/mcp", "--scenario", name, "--output-dir", results)
			if err != nil || passed(t, results) == 0 {
				t.Errorf("%s: %v\n%.3000s", name, err, out)
			}
		}
	}
	if listed != len(conformance) {
		t.Errorf("%d scenarios are listed, and %d in the table", listed, len(conformance))
	}
}

// passed returns the number of passed checks of a run, and reports failed ones.
func passed(t *testing.T, dir string) int {
	t.Helper()
	n := 0
	err := filepath.WalkDir(dir, func(path string, _ os.DirEntry, err error) error {
		if err != nil || filepath.Base(path) != "checks.json" {
			return err
		}
		text, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		var checks []struct{ ID, Status, ErrorMessage string }
		if err := json.Unmarshal(text, &checks); err != nil {
			return err
		}
		for _, c := range checks {
			switch c.Status {
			case "SUCCESS":
				n++
			case "FAILURE":
				t.Errorf("%s: %s", c.ID, c.ErrorMessage)
			}
		}
		return nil
	})
	if err != nil {
		t.Error(err)
	}
	return n
}
