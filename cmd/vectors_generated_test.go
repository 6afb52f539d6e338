package cmd

import (
	"bytes"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/eaapl/handoff/pkg/chain"
	"github.com/eaapl/handoff/pkg/finding"
	"github.com/eaapl/handoff/pkg/format"
	"github.com/eaapl/handoff/pkg/history"
	"github.com/eaapl/handoff/pkg/jsonstream"
	"github.com/eaapl/handoff/pkg/provider"
	"github.com/eaapl/handoff/vectors"
	"github.com/eaapl/handoff/vectors/vectorstest"
)

// writeProviderCases writes the cases that the examples of the provider rules are: the tests of packages
// provider and repair check the examples themselves.
func writeProviderCases(t *testing.T, out *bytes.Buffer) error {
	g := vectors.Group{Name: "histories", Title: "Histories that model APIs accept or reject"}
	for _, r := range provider.Rules() {
		if r.Bad == "" {
			continue
		}
		why, source, _ := strings.Cut(r.Why, " Source: ")
		_, link, _ := strings.Cut(source, "](")
		link, _, _ = strings.Cut(link, ")")
		p, name, _ := strings.Cut(r.ID, "/")
		c := vectors.Case{
			ID: "histories/" + r.ID, Operation: vectors.CheckHistory, Flags: []string{name}, Comment: why,
			Source:   vectors.Source{Name: p, Section: name, URL: link, Version: "2026-11"},
			Input:    vectors.Input{Provider: p, History: vectors.Text(r.Bad)},
			Expected: expectedOf(t, p, r.Bad),
		}
		good := c
		good.ID, good.Input.History, good.Expected, good.Comment = c.ID+"/fixed", vectors.Text(r.Good), expectedOf(t, p, r.Good), ""
		if r.Severity == finding.Error && !strings.HasPrefix(name, "media-") && name != "no-turns" && name != "tool-choice" && name != "repeated-tool" {
			c.Repaired = &vectors.Repaired{Keep: kept(t, r.Bad, r.Good)}
		}
		g.Cases = append(g.Cases, c, good)
	}
	text, err := vectorstest.Write(g)
	out.Write(text)
	return err
}

func parseText(t *testing.T, text string) *jsonstream.Document {
	doc, err := jsonstream.Parse(jsonstream.NewRaw([]byte(text)), jsonstream.Unlimited())
	if err != nil {
		t.Fatal(err)
	}
	return doc
}

// expectedOf returns the verdict on an example of the page.
func expectedOf(t *testing.T, p, text string) vectors.Expected {
	h, err := history.Of(parseText(t, text), format.Format(p), jsonstream.Unlimited())
	if err != nil {
		t.Fatal(err)
	}
	e := vectors.Expected{Verdict: vectors.Valid}
	for _, f := range provider.Check(provider.Provider(p), h) {
		switch {
		case f.Severity == finding.Error:
			e.Verdict = vectors.Invalid
		case e.Verdict == vectors.Valid:
			e.Verdict = vectors.Acceptable
		}
		if !slices.Contains(e.Steps, f.Rule) {
			e.Steps = append(e.Steps, f.Rule)
		}
	}
	return e
}

// spoken are the members with the words of a conversation and the data of its tools.
var spoken = []string{"text", "content", "output", "thinking", "arguments", "city", "result"}

// kept returns the texts of a history that are also in its repaired form.
func kept(t *testing.T, bad, good string) (texts []string) {
	var left []string
	for v := range parseText(t, good).Root().All() {
		left = append(left, v.Text())
	}
	for v := range parseText(t, bad).Root().All() {
		text := strings.TrimSpace(v.Text())
		if v.Kind() == jsonstream.String && text != "" && slices.Contains(spoken, v.Name()) && !slices.Contains(texts, text) &&
			slices.ContainsFunc(left, func(l string) bool { return strings.Contains(l, text) }) {
			texts = append(texts, text)
		}
	}
	return texts
}

// writeChainCases writes the cases that the fixtures of the rules of chains are: the tests of package chain check
// the fixtures themselves.
func writeChainCases(t *testing.T, out *bytes.Buffer) error {
	g := vectors.Group{Name: "chains", Title: "Tasks: several messages, each with its parent"}
	for _, r := range chain.Rules() {
		for _, kind := range []string{"bad", "good"} {
			c := vectors.Case{
				ID: "chains/rules/" + r.Name() + "/" + kind, Operation: vectors.CheckChain, Flags: []string{r.Name()},
				Source:   vectors.Source{Name: "handoff", Section: r.ID, URL: "https://github.com/eaapl/handoff/blob/main/docs/chain.md", Version: "2026-11"},
				Expected: vectors.Expected{Verdict: vectors.Valid},
			}
			if kind == "bad" {
				c.Comment = r.Summary
				c.Expected.Steps = []string{r.ID}
				c.Expected.Verdict = map[bool]vectors.Verdict{true: vectors.Invalid, false: vectors.Acceptable}[r.Severity == finding.Error]
			}
			files, err := filepath.Glob("../testdata/chain/" + r.Name() + "/" + kind + "/*.json*")
			if err != nil || len(files) == 0 {
				t.Fatalf("%s: no fixture, %v", r.ID, err)
			}
			for _, file := range files {
				text, err := os.ReadFile(file)
				if err != nil {
					return err
				}
				for line := range strings.Lines(string(text)) {
					c.Input.Messages = append(c.Input.Messages, vectors.Text(strings.TrimSpace(line)))
				}
			}
			g.Cases = append(g.Cases, c)
		}
	}
	text, err := vectorstest.Write(g)
	out.Write(text)
	return err
}
