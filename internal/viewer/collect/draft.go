package collect

import (
	"slices"
	"strings"
	"time"

	"github.com/eaapl/handoff/internal/viewer"
	"github.com/eaapl/handoff/pkg/chain"
	"github.com/eaapl/handoff/pkg/finding"
	"github.com/eaapl/handoff/pkg/jsonstream"
)

// A Draft is an unfinished page. When all tasks and handoffs are in its index, Mask completes it.
type Draft struct {
	Options
	Index *viewer.Index
	rules map[string]int // by ID: index in Index.Rules
}

// NewDraft returns a page without handoffs. Its findings may only name the given rules.
func NewDraft(o Options, named map[string]bool) *Draft {
	d := &Draft{
		Options: o, rules: map[string]int{},
		Index: &viewer.Index{Title: o.Title, Version: o.Version, Rules: []viewer.Rule{}, Tasks: []viewer.Task{}, Handoffs: []viewer.Handoff{}},
	}
	for _, rule := range o.Rules {
		if _, twice := d.rules[rule.ID]; named[rule.ID] && !twice {
			d.addRule(viewer.Rule{ID: rule.ID, Summary: rule.Summary, Why: rule.Why})
		}
	}
	var others []string // rules of users' schemas, and of other versions of this program
	for id := range named {
		if _, known := d.rules[id]; !known && id != "" {
			others = append(others, id)
		}
	}
	slices.Sort(others)
	for _, id := range others {
		d.addRule(viewer.Rule{ID: id})
	}
	return d
}

func (d *Draft) addRule(r viewer.Rule) {
	d.rules[r.ID] = len(d.Index.Rules)
	d.Index.Rules = append(d.Index.Rules, r)
}

// rule returns the index of a rule, -1 if it was not given.
func (d *Draft) rule(id string) int {
	if i, ok := d.rules[id]; ok {
		return i
	}
	return -1
}

// Count sets the losses of a handoff at the boundary above it, and its number of errors and
// warnings, these included.
func (d *Draft) Count(h *viewer.Handoff, lost, others []finding.Finding) {
	for _, f := range lost {
		h.Lost = append(h.Lost, viewer.Lost{Rule: d.rule(f.Rule), Severity: f.Severity, Message: f.Message})
	}
	for _, f := range slices.Concat(lost, others) {
		switch f.Severity {
		case finding.Error:
			h.Errors++
		case finding.Warning:
			h.Warnings++
		}
		if i := d.rule(f.Rule); i >= 0 && !slices.Contains(h.Rules, i) {
			h.Rules = append(h.Rules, i)
		}
	}
	slices.Sort(h.Rules)
}

// Details returns the details of a handoff: the text of its message, at most most of its findings,
// and its differences from parent, the message of the handoff above, nil for none.
func (d *Draft) Details(h *viewer.Handoff, text, parent *Text, findings []finding.Finding, most int) *viewer.Details {
	v := &viewer.Details{Sections: []viewer.Section{}, Turns: []viewer.Turn{}, Findings: []viewer.Finding{}, Compared: -1, Commands: []viewer.Command{}}
	text.show(v)
	if text.doc != nil {
		describe(v, text.doc, h.Format, d.Limits)
	}
	d.addFindings(v, text.doc, findings, min(most, maxFindings))
	if text.doc != nil && parent != nil && parent.doc != nil {
		v.Compared = h.Parent
		addChanges(v, parent.doc, text.doc)
	}
	return v
}

// Outline returns the format and the title of a message, and whether it is signed, for the lists.
func Outline(doc *jsonstream.Document) viewer.Handoff {
	root := doc.Root()
	return viewer.Handoff{Format: formatOf(doc), Title: titleOf(root.Get("taskDescription").Text()), Signed: root.Get("signature").Exists()}
}

// maxTitle is the maximum number of characters in the title of a handoff.
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

// Task returns a page's description of a task, without its handoffs.
func (o *Options) Task(t *chain.Task) viewer.Task {
	task := viewer.Task{
		ID: t.ID, Total: costOf(t.Total), RemainingUSD: t.Total.RemainingUSD.String(), Spenders: []viewer.Spender{},
		Errors: t.Errors, Warnings: t.Warnings, Doubt: o.Doubt(t),
	}
	for _, s := range t.Spenders {
		task.Spenders = append(task.Spenders, viewer.Spender{Agent: s.Agent, Handoffs: s.Handoffs, Cost: costOf(s.Cost)})
	}
	return task
}

// Handoff returns the list entry of a message of a task. A [Draft] counts its findings.
func Handoff(n *chain.Node) viewer.Handoff {
	return viewer.Handoff{
		ID: n.HandoffID, Parent: -1, From: n.From, FromVersion: n.FromVer, To: n.To, ToVersion: n.ToVer, Receivers: n.Receivers,
		Time: n.Timestamp, At: millis(n.Time), Step: costOf(n.Step), RemainingUSD: n.Cost.RemainingUSD.String(), Signed: n.Signed,
	}
}
