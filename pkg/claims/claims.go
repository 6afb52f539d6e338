// Package claims compares the claims of agents with their tool calls. It reads claims about files,
// tests, builds, checks of code, commits, pull requests and deployments in English sentences, and from lists
// of changed files in any language.
//
// A claim is contradicted only by a fact in the conversation: the last run of the tests before it failed, or
// in a complete conversation no call can have changed the file. A conversation that lacks the fact leaves the
// claim unproven. Nothing is run, and no model is asked.
package claims

import (
	"github.com/eaapl/handoff/pkg/conversation"
	"github.com/eaapl/handoff/pkg/format"
	"github.com/eaapl/handoff/pkg/history"
	"github.com/eaapl/handoff/pkg/jsonstream"
)

// A Kind is the subject of a claim.
type Kind string

// The kinds of claims.
const (
	Files       Kind = "files"        // a file was created, changed or deleted
	Tests       Kind = "tests"        // tests pass
	Build       Kind = "build"        // the code compiles
	Lint        Kind = "lint"         // linters, formatters and type checkers find nothing
	Commit      Kind = "commit"       // changes are committed
	PullRequest Kind = "pull-request" // a pull request is open
	Deployment  Kind = "deployment"   // the work is deployed or published
)

// A Verdict is the result of comparing a claim with the calls before it.
type Verdict string

// The verdicts.
const (
	Shown        Verdict = "shown"        // a call shows it
	Contradicted Verdict = "contradicted" // a call shows the opposite, or no call can have done it
	NotShown     Verdict = "not-shown"    // neither
)

// A Claim is a statement about finished work.
type Claim struct {
	Kind    Kind
	Verdict Verdict
	Value   jsonstream.Value   // the text with the claim, or an entry of a list
	Text    string             // the sentence, cut after some hundred bytes; for an entry, the path
	Path    string             // of a file, as claimed; "" for other kinds
	Reason  string             // the fact that decides, or the missing one
	Calls   []jsonstream.Value // the calls that decide, and their results

	part string // the words for the tests that the sentence is about; "" if it is about all
}

// Check returns the claims of a conversation in order, followed by those in the other members of a canonical
// message. A claim in a turn is compared with the calls of earlier turns. So is a claim in a completed subtask
// whose result is the text of a turn. Other claims are compared with all calls.
func Check(h *history.History) []Claim {
	r := newRecord(h)
	var all []Claim
	for i, t := range h.Turns {
		if t.Role != "assistant" {
			continue
		}
		for p := range conversation.Parts(t.Value) {
			if p.Kind == conversation.Said {
				all = r.inText(all, textValue(p.Value), i)
			}
		}
	}
	if h.Format != format.EAAPL {
		return all
	}
	for _, subtask := range h.Root.Get("completedSubtasks").Elements() {
		all = r.inSubtask(all, subtask)
	}
	end := len(h.Turns)
	all = r.inText(all, h.Root.Get("conversationHistorySummary"), end)
	for _, file := range h.Root.At("/currentState/files").Elements() {
		if path := file.Get("path"); path.Text() != "" && format.Natural(file.Get("changed")) > 0 {
			all = append(all, r.judge(Claim{Kind: Files, Value: path, Text: path.Text(), Path: path.Text()}, end))
		}
	}
	return all
}

// inSubtask adds the claims in a completed subtask.
func (r *record) inSubtask(all []Claim, subtask jsonstream.Value) []Claim {
	turn := r.turnOf(subtask.Get("result").Text())
	for _, c := range claimsOf(subtask) {
		all = append(all, r.judge(c, turn))
	}
	return all
}

// claimsOf returns the claims in a completed subtask, without verdicts.
func claimsOf(subtask jsonstream.Value) []Claim {
	return append(claimsInText(subtask.Get("description")), claimsInText(subtask.Get("result"))...)
}

// inText adds the claims in the text of a value, made before the turn with an index.
func (r *record) inText(all []Claim, v jsonstream.Value, turn int) []Claim {
	for _, c := range claimsInText(v) {
		all = append(all, r.judge(c, turn))
	}
	return all
}

// claimsInText returns the claims in the text of a value, without verdicts.
func claimsInText(v jsonstream.Value) (all []Claim) {
	for _, s := range sentences(v.Text()) {
		for _, c := range claimsIn(s) {
			c.Value = v
			all = append(all, c)
		}
	}
	return all
}

// textValue returns the string of a text part.
func textValue(part jsonstream.Value) jsonstream.Value {
	for _, name := range [...]string{"text", "content"} {
		if text := part.Get(name); text.Kind() == jsonstream.String {
			return text
		}
	}
	return part
}
