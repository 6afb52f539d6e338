package collect

import (
	"cmp"
	"math"
	"slices"
	"strings"

	"github.com/eaapl/handoff/internal/viewer"
	"github.com/eaapl/handoff/pkg/chain"
	"github.com/eaapl/handoff/pkg/finding"
)

// A Page is the content of a page.
type Page struct {
	Index *viewer.Index
	// Details returns the details of a handoff, by its index.
	Details func(i int) (*viewer.Details, error)
}

// Page returns the page of all messages. No message can be added afterwards.
func (c *Messages) Page() Page {
	p := messagePage{messages: c, left: cmp.Or(c.o.MaxFindings, math.MaxInt)}
	p.collect()
	return Page{Index: p.Index, Details: ahead(len(p.shown), p.details)}
}

// A messagePage is an unfinished page.
type messagePage struct {
	*Draft
	messages *Messages
	shown    []*Message // by index
	nodes    []*chain.Node
	most     []int // maximum number of findings, by index
	left     int   // number of findings left for further messages
}

func (p *messagePage) collect() {
	checker := chain.New(p.messages.o.Chain)
	of, several := map[*chain.Message]*Message{}, map[string]int{}
	for _, m := range p.messages.list {
		several[m.origin.Source]++
		if m.chain != nil {
			of[m.chain] = m
			checker.Add(m.chain)
		}
	}
	for _, m := range p.messages.list {
		m.origin.Alone = several[m.origin.Source] == 1
	}
	tasks := checker.Tasks()
	p.Draft = NewDraft(p.messages.o, p.named(tasks))
	p.Index.Unread = p.messages.unread
	rest := p.notIn(tasks, of)
	for _, t := range tasks {
		p.tree(t, of, rest[strings.ToLower(t.ID)])
		delete(rest, strings.ToLower(t.ID))
	}
	p.others(rest)
	p.Mask()
}

// named returns the rules that findings name.
func (p *messagePage) named(tasks []*chain.Task) map[string]bool {
	named := map[string]bool{}
	note := func(list []finding.Finding) {
		for _, f := range list {
			named[f.Rule] = true
		}
	}
	for _, m := range p.messages.list {
		note(m.findings)
	}
	for _, t := range tasks {
		for n := range t.Nodes() {
			note(n.Findings)
		}
	}
	return named
}

// tree adds a task, and after its tree the task's messages that are not in the tree.
func (p *messagePage) tree(t *chain.Task, of map[*chain.Message]*Message, rest []*Message) {
	task := p.Task(t)
	p.begin(&task)
	indices, byID := map[*chain.Node]int{}, map[string]int{}
	for n := range t.Nodes() {
		h, m := Handoff(n), of[n.Message]
		h.Format, h.Title, h.Bytes = m.facts.Format, m.facts.Title, m.facts.Bytes
		if i, ok := indices[n.Parent]; ok {
			p.below(&h, i)
		}
		indices[n] = len(p.Index.Handoffs)
		byID[strings.ToLower(n.HandoffID)] = indices[n]
		p.add(m, n, h)
	}
	for _, m := range rest {
		h := m.facts
		if m.chain != nil { // a duplicate: it is placed beside the first
			h = Handoff(&chain.Node{Message: m.chain})
			h.Format, h.Title, h.Bytes = m.facts.Format, m.facts.Title, m.facts.Bytes
			if i, ok := byID[strings.ToLower(h.ID)]; ok {
				p.below(&h, p.Index.Handoffs[i].Parent)
			}
		}
		p.add(m, nil, h)
	}
	p.end(task)
}

// below puts a handoff below another one, or at the top level if parent is -1.
func (p *messagePage) below(h *viewer.Handoff, parent int) {
	if parent >= 0 {
		h.Parent, h.Depth = parent, p.Index.Handoffs[parent].Depth+1
	}
}

// notIn returns the messages outside every tree, by task id: messages of other formats, and copies.
func (p *messagePage) notIn(tasks []*chain.Task, of map[*chain.Message]*Message) map[string][]*Message {
	inTree := map[*Message]bool{}
	for _, t := range tasks {
		for n := range t.Nodes() {
			inTree[of[n.Message]] = true
		}
	}
	rest := map[string][]*Message{}
	for _, m := range p.messages.list {
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

// others adds the messages of tasks without a canonical message, in order, and finally messages
// without a task.
func (p *messagePage) others(rest map[string][]*Message) {
	for _, m := range p.messages.list {
		key := strings.ToLower(m.taskID)
		if list := rest[key]; key != "" && len(list) > 0 && list[0] == m {
			p.loose(m.taskID, list)
		}
	}
	if list := rest[""]; len(list) > 0 {
		p.loose("", list)
	}
}

// loose adds a task of messages outside every tree.
func (p *messagePage) loose(id string, list []*Message) {
	task := viewer.Task{ID: id, Spenders: []viewer.Spender{}}
	p.begin(&task)
	for _, m := range list {
		p.add(m, nil, m.facts)
	}
	p.end(task)
}

func (p *messagePage) begin(t *viewer.Task) { t.First = len(p.Index.Handoffs) }

// add adds a handoff to the current task.
func (p *messagePage) add(m *Message, n *chain.Node, h viewer.Handoff) {
	var lost []finding.Finding
	if n != nil {
		lost = n.Findings
	}
	p.Count(&h, lost, m.findings)
	most := min(len(lost)+len(m.findings), maxFindings, p.left)
	p.left -= most
	p.most = append(p.most, most)
	p.Index.Handoffs = append(p.Index.Handoffs, h)
	p.shown, p.nodes = append(p.shown, m), append(p.nodes, n)
}

// maxSources is the maximum number of sources named in the command that shows a task.
const maxSources = 20

// end completes the current task.
func (p *messagePage) end(t viewer.Task) {
	t.Count = len(p.Index.Handoffs) - t.First
	t.Errors, t.Warnings = 0, 0
	var sources []string
	for i := t.First; i < len(p.Index.Handoffs); i++ {
		t.Errors += p.Index.Handoffs[i].Errors
		t.Warnings += p.Index.Handoffs[i].Warnings
		if source := p.shown[i].origin.Source; !slices.Contains(sources, source) && len(sources) <= maxSources {
			sources = append(sources, source)
		}
	}
	if len(sources) <= maxSources {
		t.Command = p.Command(t.ID, sources)
	}
	p.Index.Tasks = append(p.Index.Tasks, t)
}

// details builds the details of a handoff from its message and its parent's message.
func (p *messagePage) details(i int) (*viewer.Details, error) {
	m, n, h := p.shown[i], p.nodes[i], &p.Index.Handoffs[i]
	text, err := p.messages.text(m)
	if err != nil {
		return nil, err
	}
	subject := Subject{ID: h.ID, TaskID: m.taskID, Message: &m.origin, Recorded: -1}
	findings := m.findings
	if n != nil {
		findings = slices.Concat(n.Findings, findings)
		subject.TaskID = n.TaskID
	}
	var parent *Text
	if h.Parent >= 0 {
		subject.Parent = &p.shown[h.Parent].origin
		if parent, err = p.messages.text(p.shown[h.Parent]); err != nil {
			return nil, err
		}
	}
	d := p.Details(h, text, parent, findings, p.most[i])
	if n != nil && n.Signed {
		if d.Signature = text.Signature(); p.Verifies && d.Signature != nil {
			judge(d.Signature, m.findings)
		}
	}
	d.Commands = p.Commands(subject)
	return d, nil
}
