// Package collect makes what a page of package viewer shows: from messages, or
// from the records of an audit log.
package collect

import (
	"slices"
	"strings"
	"time"

	"github.com/eaapl/handoff/pkg/chain"
	"github.com/eaapl/handoff/pkg/finding"
	"github.com/eaapl/handoff/pkg/jsonstream"
	"github.com/eaapl/handoff/pkg/viewer"
)

// Options say how a page is made.
type Options struct {
	Title   string
	Version string // of the program
	// Rules are all that findings may name.
	Rules []finding.Rule
	// Chain says what is checked at the boundaries between messages.
	Chain chain.Options
	// Limits bound what one message costs, and what it carries.
	Limits jsonstream.Limits
	// Secrets shows credentials as the messages have them, and not as asterisks.
	Secrets bool
	// Verifies says that signatures were checked when the messages were validated.
	Verifies bool
	// MaxFindings is how many findings a page of messages shows; 0 for any number.
	MaxFindings int
	// Doubt says why the total of a task may not be what was spent, "" if nothing speaks against
	// it.
	Doubt func(*chain.Task) string
	// Commands returns lines for a shell that show parts of a handoff, and Command one that shows
	// a task.
	Commands func(Subject) []viewer.Command
	Command  func(taskID string, sources []string) string
}

// A Subject is a handoff for which there are commands.
type Subject struct {
	ID, TaskID string
	Message    *Origin // nil for one of an audit log
	Parent     *Origin // the message before; nil if there is none
	Recorded   int64   // the number of the record that has the message, -1 for none
}

// An Origin is where a message was read.
type Origin struct {
	chain.Place
	Alone   bool // it is the only one of its source
	OneLine bool // it has a line of its own
}

// rules are those that findings of a page name.
type rules struct {
	used map[string]int // by ID: index in [viewer.Index.Rules]
}

// newRules returns the rules of which some are named, in the order of all.
func newRules(all []finding.Rule, named map[string]bool) (r rules, list []viewer.Rule) {
	r.used, list = map[string]int{}, []viewer.Rule{}
	add := func(id, summary, why string) {
		r.used[id] = len(list)
		list = append(list, viewer.Rule{ID: id, Summary: summary, Why: why})
	}
	for _, rule := range all {
		if _, twice := r.used[rule.ID]; named[rule.ID] && !twice {
			add(rule.ID, rule.Summary, rule.Why)
		}
	}
	var others []string // of schemas of users, and of other versions of this program
	for id := range named {
		if _, known := r.used[id]; !known && id != "" {
			others = append(others, id)
		}
	}
	slices.Sort(others)
	for _, id := range others {
		add(id, "", "")
	}
	return r, list
}

func (r rules) index(id string) int {
	if i, ok := r.used[id]; ok {
		return i
	}
	return -1
}

// tally counts findings, and notes their rules.
func (r rules) tally(h *viewer.Handoff, list []finding.Finding) {
	for _, f := range list {
		switch f.Severity {
		case finding.Error:
			h.Errors++
		case finding.Warning:
			h.Warnings++
		}
		if i := r.index(f.Rule); i >= 0 && !slices.Contains(h.Rules, i) {
			h.Rules = append(h.Rules, i)
		}
	}
	slices.Sort(h.Rules)
}

// lose adds the findings of a boundary.
func (r rules) lose(h *viewer.Handoff, list []finding.Finding) {
	for _, f := range list {
		h.Lost = append(h.Lost, viewer.Lost{Rule: r.index(f.Rule), Severity: f.Severity, Message: f.Message})
	}
}

// maxTitle is how many characters the title of a handoff has at most.
const maxTitle = 160

// titleOf returns the beginning of a description.
func titleOf(description string) string {
	line, _, _ := strings.Cut(strings.TrimSpace(description), "\n")
	if runes := []rune(line); len(runes) > maxTitle {
		line = string(runes[:maxTitle]) + "…"
	}
	return line
}

// millis returns a time for a timeline, nil for none.
func millis(t time.Time) *int64 {
	if t.IsZero() {
		return nil
	}
	ms := t.UnixMilli()
	return &ms
}

func costOf(c chain.Cost) viewer.Cost {
	return viewer.Cost{USD: c.SpentUSD.String(), Prompt: c.Prompt, Completion: c.Completion}
}

// taskOf returns what a page shows of a task besides its handoffs.
func (o *Options) taskOf(t *chain.Task) viewer.Task {
	task := viewer.Task{
		ID: t.ID, Total: costOf(t.Total), RemainingUSD: t.Total.RemainingUSD.String(), Spenders: []viewer.Spender{},
		Errors: t.Errors, Warnings: t.Warnings, Doubt: o.Doubt(t),
	}
	for _, s := range t.Spenders {
		task.Spenders = append(task.Spenders, viewer.Spender{Agent: s.Agent, Handoffs: s.Handoffs, Cost: costOf(s.Cost)})
	}
	return task
}

// handoffOf returns what a page shows of a message of a task.
func handoffOf(n *chain.Node) viewer.Handoff {
	return viewer.Handoff{
		ID: n.HandoffID, Parent: -1, From: n.From, FromVersion: n.FromVer, To: n.To, ToVersion: n.ToVer, Receivers: n.Receivers,
		Time: n.Timestamp, At: millis(n.Time), Step: costOf(n.Step), RemainingUSD: n.Cost.RemainingUSD.String(), Signed: n.Signed,
	}
}
