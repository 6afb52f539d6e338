package safety

import (
	"os"
	"strings"
	"testing"

	"github.com/go-json-experiment/json"
	"go.yaml.in/yaml/v3"
)

// TestDocumentedRule reads the example in the documentation.
func TestDocumentedRule(t *testing.T) {
	text, err := os.ReadFile("../../docs/safety.md")
	if err != nil {
		t.Fatal(err)
	}
	_, after, _ := strings.Cut(string(text), "```yaml\n")
	example, _, found := strings.Cut(after, "```\n")
	if !found {
		t.Fatal("no example")
	}
	var value any
	if err := yaml.Unmarshal([]byte(example), &value); err != nil {
		t.Fatal(err)
	}
	asJSON, err := json.Marshal(value)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := ParseRules(asJSON); err != nil {
		t.Error(err)
	}
}
