package conversation_test

import (
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/eaapl/handoff/pkg/conversation"
)

var update = flag.Bool("update", false, "rewrite the table of part types")

const (
	page  = "../../docs/chat-formats.md"
	begin = "<!-- The table of part types: go test ./pkg/conversation -run PartTypes -update -->\n"
	end   = "<!-- The end of the table. -->\n"
)

// sdks are the packages whose unions TestUnions reads, by format.
var sdks = [][2]string{
	{"anthropic", "@anthropic-ai/sdk"}, {"openai-chat", "openai"}, {"openai-responses", "openai"}, {"openai-js", "@openai/agents-core"},
	{"ai-sdk", "ai"}, {"langchain", "@langchain/core"}, {"gemini", "@google/genai"}, {"bedrock-converse", "@aws-sdk/client-bedrock-runtime"},
}

// uses are the columns of a kind of part: its use in formats without the type, and in texts for people.
var uses = map[string][2]string{
	"text":              {"text", "the text"},
	"reasoning":         {"reasoning of the same provider, otherwise left out", "the readable reasoning"},
	"media":             {"the file, or its name in brackets", "left out"},
	"call":              {"a call", "the tool and its arguments"},
	"result":            {"the result of its call", "the content"},
	"hosted call":       {"a hosted call, or text of the assistant", "the tool and its arguments"},
	"hosted result":     {"a hosted result, or text of the assistant", "the content"},
	"approval request":  {"left out; text for an item of its own", "JSON"},
	"approval response": {"a denial is a failed result; text for an item of its own", "JSON"},
	"setting":           {"left out", "JSON"},
	"other":             {"a readable text or the type in brackets", "JSON"},
}

// TestPartTypes: the page has a row for every type, with no empty cell.
func TestPartTypes(t *testing.T) {
	text, err := os.ReadFile(page)
	if err != nil {
		t.Fatal(err)
	}
	before, rest, ok := strings.Cut(string(text), begin)
	_, after, closed := strings.Cut(rest, end)
	if !ok || !closed {
		t.Fatalf("%s has no place for the table", page)
	}
	want := before + begin + table(t) + end + after
	if want == string(text) {
		return
	}
	if !*update {
		t.Fatalf("%s: the table of part types is not current: run go test ./pkg/conversation -run PartTypes -update", page)
	}
	if err := os.WriteFile(page, []byte(want), 0o600); err != nil {
		t.Fatal(err)
	}
}

func table(t *testing.T) string {
	var versions struct{ Dependencies map[string]string }
	pinned, err := os.ReadFile("../../testdata/oracles/package.json")
	if err == nil {
		err = json.Unmarshal(pinned, &versions)
	}
	if err != nil {
		t.Fatal(err)
	}
	var b strings.Builder
	b.WriteString("| format | unions of |\n|---|---|\n")
	for _, sdk := range sdks {
		fmt.Fprintf(&b, "| `%s` | %s %s |\n", sdk[0], sdk[1], versions.Dependencies[sdk[1]])
	}
	b.WriteString("\n| type | formats | read as | answered by | in other formats | in texts for people |\n|---|---|---|---|---|---|\n")
	for row := range conversation.AllTypes() {
		kind := [...]string{"other", "text", "call", "result", "reasoning", "media", "approval request", "approval response", "setting"}[row.Kind]
		if row.Hosted {
			kind = "hosted " + kind
		}
		answered := "–"
		switch {
		case row.Results != "":
			answered = "`" + strings.ReplaceAll(row.Results, " ", "`, `") + "`"
		case row.Kind == conversation.Call && row.Hosted:
			answered = "the item itself"
		case row.Kind == conversation.Call:
			answered = "a turn of the tool, or the part itself"
		}
		fmt.Fprintf(&b, "| `%s` | %s | %s | %s | %s | %s |\n", row.Name, strings.ReplaceAll(row.Formats, " ", ", "), kind, answered, uses[kind][0], uses[kind][1])
	}
	return b.String()
}
