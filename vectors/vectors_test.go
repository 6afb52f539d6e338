package vectors_test

import (
	"io/fs"
	"slices"
	"strings"
	"testing"

	"github.com/eaapl/handoff/pkg/jsonstream"
	"github.com/eaapl/handoff/pkg/validate"
	"github.com/eaapl/handoff/vectors"
)

// Every file matches the schema.
func TestSchema(t *testing.T) {
	text, err := fs.ReadFile(vectors.Files(), vectors.Schema)
	if err != nil {
		t.Fatal(err)
	}
	schema, err := validate.CompileSchema("file:///"+vectors.Schema, text, nil)
	if err != nil {
		t.Fatal(err)
	}
	names, err := fs.Glob(vectors.Files(), "*.json")
	if err != nil || len(names) < 6 {
		t.Fatalf("%q, %v", names, err)
	}
	for _, name := range names {
		if name == vectors.Schema {
			continue
		}
		text, err := fs.ReadFile(vectors.Files(), name)
		if err != nil {
			t.Fatal(err)
		}
		doc, err := jsonstream.Parse(jsonstream.NewRaw(text), jsonstream.Unlimited())
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		for _, f := range schema.Check(doc.Root()) {
			t.Errorf("%s:%d: %s: %s", name, f.Line, f.Pointer, f.Message)
		}
	}
}

// Every group has enough cases, with unique ids that begin with the group, and cases of both kinds.
func TestGroups(t *testing.T) {
	groups, err := vectors.Read(vectors.Files())
	if err != nil {
		t.Fatal(err)
	}
	seen := map[string]bool{}
	for _, g := range groups {
		if least := map[bool]int{true: 300, false: 40}[g.Name == "histories"]; len(g.Cases) < least {
			t.Errorf("%s has %d cases, want at least %d", g.Name, len(g.Cases), least)
		}
		for _, c := range g.Cases {
			if seen[c.ID] || !strings.HasPrefix(c.ID, g.Name+"/") {
				t.Errorf("%s is there twice, or is not of the group %s", c.ID, g.Name)
			}
			seen[c.ID] = true
		}
		for _, verdict := range []vectors.Verdict{vectors.Valid, vectors.Invalid} {
			if !slices.ContainsFunc(g.Cases, func(c vectors.Case) bool { return c.Expected.Verdict == verdict }) {
				t.Errorf("%s has no case that is %s", g.Name, verdict)
			}
		}
	}
}

// A text is kept to the byte, in either form of a document.
func TestText(t *testing.T) {
	for _, c := range vectors.Cases("messages") {
		if c.ID == "messages/budget/-1e-400" && !strings.Contains(string(c.Input.Message), `"costBudgetRemainingUSD": -1e-400`) && !strings.Contains(string(c.Input.Message), `"costBudgetRemainingUSD":-1e-400`) {
			t.Errorf("the number has another text: %s", c.Input.Message)
		}
	}
	for _, c := range vectors.Cases("signatures") {
		if strings.HasSuffix(c.ID, "/hmac/member-twice") && strings.Count(string(c.Input.Message), `"amount"`) != 2 {
			t.Errorf("a member is lost: %s", c.Input.Message)
		}
	}
}
