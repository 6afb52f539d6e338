package cmd

import (
	"os/exec"
	"slices"
	"strings"
	"testing"
)

// heavy are the modules that only relay may import: databases, brokers and the SDK of the Model Context
// Protocol.
var heavy = []string{"github.com/jackc/", "modernc.org/", "github.com/nats-io/", "github.com/redis/", "github.com/rabbitmq/", "github.com/modelcontextprotocol/"}

// connecting are the packages of the standard library that connect to a network or accept connections.
var connecting = []string{"net/http", "crypto/tls", "net/smtp", "net/rpc"}

// TestPlanes checks that only relay imports relay, a database, a broker, the SDK of the Model Context Protocol or a
// package that connects to a network, so that handoff links none of them and connects to no network.
func TestPlanes(t *testing.T) {
	out, err := exec.Command("go", "list", "-deps", "-f", `{{if not .Standard}}{{.ImportPath}}{{range .Imports}} {{.}}{{end}}{{end}}`, module, module+"/cmd/...", module+"/internal/...", module+"/pkg/...").Output()
	if err != nil {
		t.Fatal(err)
	}
	asked := 0
	for line := range strings.Lines(string(out)) {
		fields := strings.Fields(line)
		linked, imported := fields[0], fields[1:]
		if strings.HasPrefix(linked, module+"/relay/") || slices.ContainsFunc(heavy, func(prefix string) bool { return strings.HasPrefix(linked, prefix) }) {
			t.Errorf("%s is linked, which is for relay only: find its importer with go list -deps", linked)
		}
		if !strings.HasPrefix(linked, module) {
			continue
		}
		asked++
		for _, name := range connecting {
			if slices.Contains(imported, name) {
				t.Errorf("%s imports %s, which is for relay only", linked, name)
			}
		}
	}
	if asked == 0 {
		t.Error("no package of the module is linked")
	}
}

// unexecuted are the packages that import templates for their types, and execute none for handoff. An
// executed template calls methods by name, so the linker then keeps all exported methods of all types: 3 MB.
var unexecuted = []string{"html/template", "github.com/spf13/cobra", "github.com/spf13/cast"}

// TestNoTemplates checks that handoff executes no templates.
func TestNoTemplates(t *testing.T) {
	out, err := exec.Command("go", "list", "-deps", "-f", `{{.ImportPath}}{{range .Imports}} {{.}}{{end}}`, module).Output()
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(out)) {
		fields := strings.Fields(line)
		if (slices.Contains(fields[1:], "text/template") || slices.Contains(fields[1:], "html/template")) && !slices.Contains(unexecuted, fields[0]) {
			t.Errorf("handoff links %s, which imports templates", fields[0])
		}
	}
}
