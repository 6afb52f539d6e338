// Package memo_test adds a format in a separate test binary. It shows the steps to add a format, and
// checks that every command then supports it.
package memo_test

import (
	"bytes"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/eaapl/handoff/cmd"
	"github.com/eaapl/handoff/internal/tier"
	"github.com/eaapl/handoff/pkg/conversation"
	"github.com/eaapl/handoff/pkg/finding"
	"github.com/eaapl/handoff/pkg/format"
	"github.com/eaapl/handoff/pkg/formats"
	"github.com/eaapl/handoff/pkg/internal/exchange"
	"github.com/eaapl/handoff/pkg/internal/tree"
	"github.com/eaapl/handoff/pkg/jsonstream"
)

// memo is a format that only this test has. It shows the parts of a format.
var memo = format.Descriptor{
	Name:   "memo",
	System: "memo",
	Title:  "memo",
	Kind:   "a memo",

	Marks:   []string{"memo_id"},
	Members: []string{"lines", "author", "reader"},
	Needs:   []string{"memo_id", "lines"},
	IDs:     []string{"memo_id"},

	SchemaText: []byte(`{
		"type": "object",
		"required": ["memo_id", "lines"],
		"properties": {
			"memo_id": {"type": "string"},
			"lines": {"type": "array", "items": {"type": "object", "required": ["role", "content"]}}
		}
	}`),
	Rules: func() []finding.Rule {
		return []finding.Rule{{
			ID: "memo/to-oneself", Layer: finding.Protocol, Reason: "MEMO_REJECTED", Severity: finding.Error,
			Summary: "A memo goes to its author.", Why: "Nobody else would read it.", Whole: true,
		}}
	},
	Reasons: []finding.Reason{"MEMO_REJECTED"},
	Check: func(doc *jsonstream.Document, _ jsonstream.Limits) []finding.Finding {
		reader := doc.Root().Get("reader")
		if !reader.Exists() || reader.Text() != doc.Root().Get("author").Text() {
			return nil
		}
		f := finding.Finding{Rule: "memo/to-oneself", Layer: finding.Protocol, Reason: "MEMO_REJECTED", Severity: finding.Error, Message: "the reader is the author: name another"}
		return []finding.Finding{f.At(reader.Pointer(), reader.Position())}
	},

	Exchange: &exchange.Codec{
		Layout: &memoLayout,
		Lists:  []string{"/lines"},
		Read:   readMemo,
		Write:  writeMemo,
		Check: func(c *exchange.Checker, message tree.Node) {
			c.Need(message, "", "lines", jsonstream.Array, "a memo has lines")
		},
		Holder: exchange.Holder{HolderAt: func(tree.Node) string { return "/carried" }},
	},

	Notes:   "extensions",
	Turns:   []string{"lines"},
	Summary: "gist",
	Changes: func(c format.Comparison) []format.Change { return c.Route("/author", "/reader") },
	Profile: func(doc *jsonstream.Document, _ jsonstream.Value, turns []conversation.Turn) format.Profile {
		p := format.Profile{From: doc.Root().Get("author").Text(), To: doc.Root().Get("reader").Text(), Details: map[string]int{"lines": len(turns)}}
		p.Labels = []format.Label{{Name: "by", Value: p.From}, {Name: "lines", Amounts: []format.Amount{{Count: len(turns), Noun: "line"}}}}
		return p
	},
}

// memoLayout maps the members of a memo to the common members of formats. All other data is in
// "about".
var memoLayout = exchange.Layout{
	Places: [exchange.RowCount]string{
		exchange.RowHandoff: "/memo_id", exchange.RowFrom: "/author", exchange.RowTo: "/reader", exchange.RowSummary: "/gist",
	},
	Brief: "/about", BriefText: "/about",
}

func readMemo(view tree.Node, _ exchange.Others) (exchange.Meaning, tree.Node) {
	m := exchange.Meaning{Turns: tree.Elements(view.Get("lines"))}
	m.TakePlaces(&memoLayout, view)
	return m, tree.None
}

func writeMemo(m exchange.Meaning, _ tree.Node, k *exchange.Maker, _ exchange.Others) tree.Node {
	id := k.Unless(m.Values[exchange.RowHandoff], "/memo_id", tree.String("memo"), "every memo has an id")
	view := m.WritePlaces(&memoLayout, tree.Object(tree.Member{Name: "memo_id", Value: id}))
	if brief := m.Brief(&memoLayout); brief != tree.None {
		view = view.With("about", brief)
	}
	return view.With("lines", tree.Array(exchange.Each(m.Turns, exchange.CanonicalTurn)...))
}

func TestMain(m *testing.M) {
	formats.Register(&memo)
	testscript.Main(tier.Clean{M: m}, map[string]func(){"handoff": func() { os.Exit(cmd.Main()) }})
}

// TestFormat checks that a format is added by its descriptor and an entry in the list, and that every
// command then supports it.
func TestFormat(t *testing.T) {
	testscript.Run(t, testscript.Params{Dir: "testdata", RequireExplicitExec: true})
}

// TestFormatsStayInTheirPackages checks that no package under pkg, except for those of the formats, names a
// format other than the canonical one, because a switch over formats would have to be extended for each
// new format.
func TestFormatsStayInTheirPackages(t *testing.T) {
	named := regexp.MustCompile(`\bformat\.(SW4RM\w+|MACP|OpenAI\w*|Anthropic|LangChain|AISDK|Gemini|BedrockConverse|A2A|ClaudeCode|Codex|GeminiCLI|OpenCode|CopilotCLI|PydanticAI|AgentFramework)\b`)
	looked := 0
	err := filepath.WalkDir("../..", func(path string, _ fs.DirEntry, err error) error {
		room, _, _ := strings.Cut(strings.TrimPrefix(filepath.ToSlash(path), "../../"), "/")
		if err != nil || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") || room == "formats" || room == "format" || strings.Contains(filepath.ToSlash(path), "/internal/chatgen/") { // chatgen generates messages for tests
			return err
		}
		looked++
		text, err := os.ReadFile(path)
		for i, line := range bytes.Split(text, []byte("\n")) {
			if found := named.Find(line); found != nil {
				t.Errorf("%s:%d: names %s: let the formats say in format.Descriptor what differs between them", path, i+1, found)
			}
		}
		return err
	})
	if err != nil || looked < 100 {
		t.Errorf("looked at %d files: %v", looked, err)
	}
}
