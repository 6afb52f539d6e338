package collect

import (
	"cmp"
	"encoding/base64"
	"math"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/eaapl/handoff/pkg/chain"
	"github.com/eaapl/handoff/pkg/finding"
	"github.com/eaapl/handoff/pkg/jsonstream"
	"github.com/eaapl/handoff/pkg/viewer"
)

// A Page is what a page shows.
type Page struct {
	Index *viewer.Index
	// Details returns the details of a handoff, by its index.
	Details func(i int) (*viewer.Details, error)
	// Unread is why messages of an audit log could not be read, which the page says in their places.
	Unread []error
}

// Page returns the page of all messages. No message can be added any more.
func (c *Messages) Page() Page {
	p := messagePage{Messages: c, left: cmp.Or(c.o.MaxFindings, math.MaxInt)}
	p.collect()
	return Page{Index: p.index, Details: ahead(len(p.shown), p.details)}
}

// A messagePage is a page as it is made.
type messagePage struct {
	*Messages
	rules rules
	index *viewer.Index
	shown []*Message // by index
	nodes []*chain.Node
	most  []int // how many findings are shown, by index
	left  int   // how many findings may be shown of the messages that are added
}

func (p *messagePage) collect() {
	checker := chain.New(p.o.Chain)
	of, several := map[*chain.Message]*Message{}, map[string]int{}
	for _, m := range p.list {
		several[m.origin.Source]++
		if m.chain != nil {
			of[m.chain] = m
			checker.Add(m.chain)
		}
	}
	for _, m := range p.list {
		m.origin.Alone = several[m.origin.Source] == 1
	}
	tasks := checker.Tasks()
	p.index = &viewer.Index{Title: p.o.Title, Version: p.o.Version, Tasks: []viewer.Task{}, Handoffs: []viewer.Handoff{}, Unread: p.unread}
	p.rules, p.index.Rules = newRules(p.o.Rules, p.named(tasks))
	rest := p.notIn(tasks, of)
	for _, t := range tasks {
		p.tree(t, of, rest[strings.ToLower(t.ID)])
		delete(rest, strings.ToLower(t.ID))
	}
	p.others(rest)
	p.o.maskIndex(p.index)
}

// named returns the rules that findings name.
func (p *messagePage) named(tasks []*chain.Task) map[string]bool {
	named := map[string]bool{}
	note := func(list []finding.Finding) {
		for _, f := range list {
			named[f.Rule] = true
		}
	}
	for _, m := range p.list {
		note(m.findings)
	}
	for _, t := range tasks {
		for n := range t.Nodes() {
			note(n.Findings)
		}
	}
	return named
}

// tree adds a task, and after its tree the messages of the task that are not in it.
func (p *messagePage) tree(t *chain.Task, of map[*chain.Message]*Message, rest []*Message) {
	task := p.o.taskOf(t)
	p.begin(&task)
	indices, byID := map[*chain.Node]int{}, map[string]int{}
	for n := range t.Nodes() {
		h, m := handoffOf(n), of[n.Message]
		h.Format, h.Title, h.Bytes = m.facts.Format, m.facts.Title, m.facts.Bytes
		if i, ok := indices[n.Parent]; ok {
			p.below(&h, i)
		}
		indices[n] = len(p.index.Handoffs)
		byID[strings.ToLower(n.HandoffID)] = indices[n]
		p.rules.lose(&h, n.Findings)
		p.add(m, n, h)
	}
	for _, m := range rest {
		h := m.facts
		if m.chain != nil { // it came twice: it is beside the first
			h = handoffOf(&chain.Node{Message: m.chain})
			h.Format, h.Title, h.Bytes = m.facts.Format, m.facts.Title, m.facts.Bytes
			if i, ok := byID[strings.ToLower(h.ID)]; ok {
				p.below(&h, p.index.Handoffs[i].Parent)
			}
		}
		p.add(m, nil, h)
	}
	p.end(task)
}

// below puts a handoff below another one, or nowhere if that is -1.
func (p *messagePage) below(h *viewer.Handoff, parent int) {
	if parent >= 0 {
		h.Parent, h.Depth = parent, p.index.Handoffs[parent].Depth+1
	}
}

// notIn returns the messages that are in no tree, by the ids of their tasks: those of other formats,
// and copies.
func (p *messagePage) notIn(tasks []*chain.Task, of map[*chain.Message]*Message) map[string][]*Message {
	inTree := map[*Message]bool{}
	for _, t := range tasks {
		for n := range t.Nodes() {
			inTree[of[n.Message]] = true
		}
	}
	rest := map[string][]*Message{}
	for _, m := range p.list {
		if !inTree[m] {
			id := m.taskID
			if m.chain != nil {
				id = m.chain.TaskID
			}
			rest[strings.ToLower(id)] = append(rest[strings.ToLower(id)], m)
		}
	}
	return rest
}

// others adds the messages of tasks that have no canonical one, in their order, and last those of no
// task.
func (p *messagePage) others(rest map[string][]*Message) {
	for _, m := range p.list {
		key := strings.ToLower(m.taskID)
		if list := rest[key]; key != "" && len(list) > 0 && list[0] == m {
			p.loose(m.taskID, list)
		}
	}
	if list := rest[""]; len(list) > 0 {
		p.loose("", list)
	}
}

// loose adds a task of messages that no tree has.
func (p *messagePage) loose(id string, list []*Message) {
	task := viewer.Task{ID: id, Spenders: []viewer.Spender{}}
	p.begin(&task)
	for _, m := range list {
		p.add(m, nil, m.facts)
	}
	p.end(task)
}

func (p *messagePage) begin(t *viewer.Task) { t.First = len(p.index.Handoffs) }

// add adds a handoff to the task that was begun.
func (p *messagePage) add(m *Message, n *chain.Node, h viewer.Handoff) {
	p.rules.tally(&h, m.findings)
	found := len(m.findings)
	if n != nil {
		p.rules.tally(&h, n.Findings)
		found += len(n.Findings)
	}
	most := min(found, maxFindings, p.left)
	p.left -= most
	p.most = append(p.most, most)
	p.index.Handoffs = append(p.index.Handoffs, h)
	p.shown, p.nodes = append(p.shown, m), append(p.nodes, n)
}

// maxSources is how many sources the command that shows a task names at most.
const maxSources = 20

// end completes the task that was begun.
func (p *messagePage) end(t viewer.Task) {
	t.Count = len(p.index.Handoffs) - t.First
	t.Errors, t.Warnings = 0, 0
	var sources []string
	for i := t.First; i < len(p.index.Handoffs); i++ {
		t.Errors += p.index.Handoffs[i].Errors
		t.Warnings += p.index.Handoffs[i].Warnings
		if source := p.shown[i].origin.Source; !slices.Contains(sources, source) && len(sources) <= maxSources {
			sources = append(sources, source)
		}
	}
	if len(sources) <= maxSources {
		t.Command = p.o.Command(t.ID, sources)
	}
	p.index.Tasks = append(p.index.Tasks, t)
}

// details makes the details of a handoff from its message and that of its parent.
func (p *messagePage) details(i int) (*viewer.Details, error) {
	m, h := p.shown[i], &p.index.Handoffs[i]
	text, err := p.text(m)
	if err != nil {
		return nil, err
	}
	subject := Subject{ID: h.ID, TaskID: m.taskID, Message: &m.origin, Recorded: -1}
	d := newDetails()
	d.Masked, d.Malformed = m.masked, m.problem
	setText(d, text)
	var doc *jsonstream.Document
	if m.problem == "" {
		doc, _ = parse(jsonstream.NewRaw(text), p.o.Limits) // what was masked is JSON as before
	}
	findings := m.findings
	if n := p.nodes[i]; n != nil {
		findings = append(n.Findings[:len(n.Findings):len(n.Findings)], findings...)
		subject.TaskID = n.TaskID
	}
	if doc != nil {
		describe(d, doc, h.Format, p.o.Limits)
		if n := p.nodes[i]; n != nil && n.Signed {
			d.Signature = signatureOf(doc, m.findings, p.o.Verifies)
		}
	}
	p.rules.addFindings(d, doc, findings, p.most[i], p.o.Limits)
	if h.Parent >= 0 {
		subject.Parent = &p.shown[h.Parent].origin
		if err := p.compare(d, doc, h.Parent); err != nil {
			return nil, err
		}
	}
	d.Commands = p.o.Commands(subject)
	return d, nil
}

// compare adds how a message differs from the one of another handoff.
func (p *messagePage) compare(d *viewer.Details, doc *jsonstream.Document, with int) error {
	text, err := p.text(p.shown[with])
	if err != nil || doc == nil {
		return err
	}
	if old, err := parse(jsonstream.NewRaw(text), p.o.Limits); err == nil {
		d.Compared = with
		addChanges(d, old, doc)
	}
	return nil
}

// setText sets the message of the details.
func setText(d *viewer.Details, text []byte) {
	if utf8.Valid(text) {
		d.Message = string(text)
	} else {
		d.Message, d.Base64 = base64.StdEncoding.EncodeToString(text), true
	}
}

// signatureOf returns what a canonical message says of its signature, and what checking it came to, if
// it was checked.
func signatureOf(doc *jsonstream.Document, findings []finding.Finding, verified bool) *viewer.Signature {
	algorithm, _, _ := strings.Cut(doc.Root().Get("signature").Text(), ":")
	s := &viewer.Signature{Algorithm: algorithm, KeyID: doc.Root().Get("signatureKeyId").Text(), Verdict: "nobody has verified it: no key was given"}
	if !verified {
		return s
	}
	holds := true
	s.Verdict, s.Holds = "it holds, by a key that was given", &holds
	for _, f := range findings {
		if f.Layer == finding.Signature && f.Severity == finding.Error {
			holds, s.Verdict = false, f.Message
			break
		}
	}
	return s
}
