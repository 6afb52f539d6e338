package convert

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/eaapl/handoff/internal/tier"
	"github.com/eaapl/handoff/pkg/format"
)

// TestGoClient checks that Google's client for Go, which decodes signatures as base64, reads converted
// histories. The test fetches the client: the module does not depend on it.
func TestGoClient(t *testing.T) {
	if !tier.Full() {
		t.Skip("fetches google.golang.org/genai")
	}
	dir := t.TempDir()
	for name, text := range map[string]string{
		"go.mod": "module reads\n\ngo 1.24\n\nrequire google.golang.org/genai v1.77.0\n",
		"main.go": `package main

import (
	"encoding/json"
	"fmt"
	"os"

	"google.golang.org/genai"
)

func main() {
	var request struct {
		Contents []*genai.Content ` + "`json:\"contents\"`" + `
	}
	if err := json.NewDecoder(os.Stdin).Decode(&request); err != nil {
		fmt.Println(err)
		return
	}
	fmt.Printf("%s\n", request.Contents[1].Parts[0].ThoughtSignature)
}
`,
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	const chat = `{"messages":[{"role":"user","content":"Weather in Bonn?"},
		{"role":"assistant","content":null,"tool_calls":[{"id":"c1","type":"function","function":{"name":"weather","arguments":"{}"}}]},
		{"role":"tool","tool_call_id":"c1","content":"18"}]}`
	c := exec.CommandContext(t.Context(), "go", "run", "-mod=mod", ".")
	c.Dir, c.Stdin = dir, bytes.NewReader(result(t, []byte(chat), format.Gemini, Options{}).Text)
	c.Env = append(os.Environ(), "GOWORK=off", "GOFLAGS=")
	out, err := c.CombinedOutput()
	if want := "skip_thought_signature_validator\n"; err != nil || !bytes.HasSuffix(out, []byte(want)) {
		t.Errorf("the client reads %s, error %v, want %s", out, err, want)
	}
}
