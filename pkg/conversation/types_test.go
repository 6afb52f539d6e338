package conversation_test

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/eaapl/handoff/internal/oracle"
	"github.com/eaapl/handoff/internal/tier"
	"github.com/eaapl/handoff/pkg/conversation"
	"github.com/eaapl/handoff/pkg/jsonstream"
)

// stored has the part types of the SDKs, as unions.mjs prints them.
var stored = filepath.Join("..", "..", "testdata", "unions.tsv")

// printed returns the part types of the SDKs.
func printed(t *testing.T) []byte {
	t.Helper()
	out, err := exec.CommandContext(t.Context(), "node", filepath.Join(oracle.Install(t), "unions.mjs")).Output()
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// TestStoredUnions checks that testdata/unions.tsv has the part types of the SDKs.
func TestStoredUnions(t *testing.T) {
	if !tier.Full() && !*update {
		t.Skipf("reading the types of all SDKs takes 20 s: set %s=1", tier.Variable)
	}
	now := printed(t)
	if *update {
		if err := os.WriteFile(stored, now, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	text, err := os.ReadFile(stored)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(now, text) {
		t.Errorf("%s has not the types of the SDKs: run go test ./pkg/conversation -run StoredUnions -update, and read the difference", stored)
	}
}

// TestUnions checks that every type in the unions of the SDKs has a row that names its format. In the second
// tier, it reads the installed SDKs.
func TestUnions(t *testing.T) {
	var out []byte
	if tier.Full() {
		out = printed(t)
	} else {
		var err error
		if out, err = os.ReadFile(stored); err != nil {
			t.Fatal(err)
		}
	}
	lines := strings.Split(strings.TrimSpace(string(out)), "\n")
	if len(lines) < 200 {
		t.Fatalf("read only %d types", len(lines))
	}
	for _, line := range lines {
		cells := strings.Split(line, "\t")
		format, union, name := cells[0], cells[1], cells[2]
		switch {
		case strings.HasPrefix(name, "`"), name == "-", name == "null", name == "$unknown": // a prefix of names; items that are messages
		case union == "tool_calls": // in a member of their own
		default:
			row := conversation.TypeNamed(name)
			if format == "gemini" || format == "bedrock-converse" {
				row = conversation.MemberNamed(name)
			}
			if row == nil || !strings.Contains(" "+row.Formats+" ", " "+format+" ") {
				t.Errorf("%s: the type %q of %s has no row", format, name, union)
			}
		}
	}
}

// TestMembers checks that a part is of the kind of its member.
func TestMembers(t *testing.T) {
	for _, name := range []string{"audio", "audioTranscription", "cachePoint", "citationsContent", "codeExecutionResult", "document", "executableCode", "functionCall", "guardContent", "reasoningContent", "searchResult", "text", "toolCall", "toolResult", "toolUse", "video"} {
		doc, err := jsonstream.Parse(jsonstream.NewRaw([]byte(`{"`+name+`":{"content":[{"text":"x"}]}}`)), jsonstream.Limits{})
		if err != nil {
			t.Fatal(err)
		}
		row := conversation.MemberNamed(name)
		if p, _ := conversation.PartOf(doc.Root()); row == nil || p.Kind != row.Kind || p.Hosted != row.Hosted {
			t.Errorf("%s: got %+v, the row is %+v", name, p, row)
		}
	}
}
