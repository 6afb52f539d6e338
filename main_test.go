package main

import (
	"os"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/eaapl/handoff/cmd"
	"github.com/eaapl/handoff/pkg/conversation"
	"github.com/eaapl/handoff/pkg/finding"
	"github.com/eaapl/handoff/pkg/format"
	"github.com/eaapl/handoff/pkg/formats"
	"github.com/eaapl/handoff/pkg/jsonstream"
)

// memo is a format that only this test knows: what it takes to add one.
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

	Turns:   []string{"lines"},
	Summary: "gist",
	Changes: func(c format.Comparison) []format.Change { return c.Route("/author", "/reader") },
	Profile: func(doc *jsonstream.Document, _ jsonstream.Value, turns []conversation.Turn) format.Profile {
		p := format.Profile{From: doc.Root().Get("author").Text(), To: doc.Root().Get("reader").Text(), Details: map[string]int{"lines": len(turns)}}
		p.Labels = []format.Label{{Name: "by", Value: p.From}, {Name: "lines", Amounts: []format.Amount{{Count: len(turns), Noun: "line"}}}}
		return p
	},
}

func TestMain(m *testing.M) {
	formats.Register(&memo)
	testscript.Main(m, map[string]func(){"handoff": func() { os.Exit(cmd.Main()) }})
}

// A format is added by its description and a line in the list: every command knows it.
func TestFormat(t *testing.T) {
	testscript.Run(t, testscript.Params{Dir: "testdata/format", RequireExplicitExec: true})
}
