package collect

import (
	"context"
	"errors"
	"path/filepath"
	"strings"
	"time"

	"github.com/eaapl/handoff/pkg/chain"
	"github.com/eaapl/handoff/pkg/finding"
	"github.com/eaapl/handoff/pkg/format"
	"github.com/eaapl/handoff/pkg/history"
	"github.com/eaapl/handoff/pkg/jsonstream"
	"github.com/eaapl/handoff/pkg/viewer"
	"github.com/eaapl/handoff/relay/audit"
	"github.com/eaapl/handoff/relay/audit/personal"
	"github.com/eaapl/handoff/relay/audit/trace"
	"github.com/eaapl/handoff/relay/audit/tree"
)

// RecordOptions say how a page is made of records.
type RecordOptions struct {
	Options
	// Facts returns what there is to say of a record for people, besides its event, time and hashes.
	Facts func(*audit.Stored) ([]viewer.Fact, error)
}

// Records returns the page of a task of an audit log. If there is no record of it, the error is a
// [*trace.UnknownTaskError]; that a single message cannot be read is none, and the page says it. The
// details are read from r, as they are asked for, one after another.
func Records(ctx context.Context, r audit.Reader, id string, o RecordOptions) (Page, error) {
	t, err := trace.Read(r, id)
	if err != nil {
		return Page{}, err
	}
	p := recordPage{RecordOptions: o, ctx: ctx, reader: r, task: t}
	head, err := r.Head()
	if err != nil {
		return Page{}, err
	}
	p.size = head.Size
	if p.root, err = tree.Root(ctx, r, p.size); err != nil {
		return Page{}, err
	}
	if err := p.collect(); err != nil {
		return Page{}, err
	}
	return Page{p.index, p.details, p.unread}, nil
}

// A recordPage is a page as it is made.
type recordPage struct {
	RecordOptions
	ctx    context.Context
	reader audit.Reader
	task   *trace.Task
	rules  rules
	index  *viewer.Index
	shown  []*trace.Handoff // by index
	lost   map[string][]finding.Finding
	unread []error
	size   int64 // of the log
	root   tree.Hash
}

func (p *recordPage) collect() error {
	docs := map[*trace.Handoff]*outlined{}
	for n := range p.task.Nodes() {
		h := p.task.Of(n)
		o, err := p.outline(h)
		if err != nil {
			return err
		}
		docs[h] = o
	}
	if err := p.check(docs); err != nil {
		return err
	}
	named := map[string]bool{}
	for h := range docs {
		for _, f := range p.findings(h) {
			named[f.Rule] = true
		}
	}
	p.index = &viewer.Index{Title: p.Title, Version: p.Version, Handoffs: []viewer.Handoff{}}
	p.rules, p.index.Rules = newRules(p.Rules, named)
	task := p.taskOf(p.task.Task)
	task.Command = p.Command(p.task.ID, nil)
	task.Errors, task.Warnings = 0, 0
	indices := map[*chain.Node]int{}
	for n := range p.task.Nodes() {
		h := p.task.Of(n)
		v := handoffOf(n)
		if i, ok := indices[n.Parent]; ok {
			v.Parent, v.Depth = i, p.index.Handoffs[i].Depth+1
		}
		indices[n] = len(p.index.Handoffs)
		addRecords(&v, h, docs[h])
		p.rules.lose(&v, p.lost[strings.ToLower(h.HandoffID)])
		p.rules.tally(&v, p.findings(h))
		task.Errors += v.Errors
		task.Warnings += v.Warnings
		p.index.Handoffs = append(p.index.Handoffs, v)
		p.shown = append(p.shown, h)
	}
	for _, err := range p.unread {
		p.index.Unread = append(p.index.Unread, Missing(err))
	}
	task.Count = len(p.shown)
	p.index.Tasks = []viewer.Task{task}
	p.maskIndex(p.index)
	return nil
}

// outlined is what the lists show of the message of a handoff.
type outlined struct {
	viewer.Handoff
	message *chain.Message // nil unless it was accepted and can be read
}

// outline reads what the lists show of a handoff's message.
func (p *recordPage) outline(h *trace.Handoff) (*outlined, error) {
	o := &outlined{}
	doc, err := h.Document(p.reader)
	if err != nil || doc == nil {
		return o, p.without(err)
	}
	o.Format = formatOf(doc)
	o.Title = titleOf(doc.Root().Get("taskDescription").Text())
	o.Signed = doc.Root().Get("signature").Exists()
	if h.Accepted != nil {
		o.message, _ = chain.Read(doc, trace.PlaceOf(h.Accepted))
	}
	return o, nil
}

// formatOf returns the format that a message looks like, "" for none.
func formatOf(doc *jsonstream.Document) format.Format {
	f, err := history.FormatOf(doc.Root(), "")
	if err != nil {
		return ""
	}
	return f
}

// Missing returns what a page says in the place of a message that was erased or cannot be read, without
// the directory that it should be in; "" for another error, and for nil.
func Missing(err error) string {
	if errors.As(err, new(*personal.ErasedError)) {
		return err.Error()
	}
	if unreadable := (*audit.UnreadableError)(nil); errors.As(err, &unreadable) {
		_, file := filepath.Split(unreadable.Path)
		return (&audit.UnreadableError{Sequence: unreadable.Sequence, Path: file, Err: unreadable.Err}).Error()
	}
	return ""
}

// without returns an error unless the page does without the message. That one cannot be read is noted.
func (p *recordPage) without(err error) error {
	switch {
	case errors.As(err, new(*audit.UnreadableError)):
		p.unread = append(p.unread, err)
		return nil
	case errors.As(err, new(*personal.ErasedError)), errors.As(err, new(*trace.NoMessageError)):
		return nil
	}
	return err
}

// check finds what was lost at the boundaries between the messages that were accepted.
func (p *recordPage) check(docs map[*trace.Handoff]*outlined) error {
	checker := chain.New(p.Chain)
	var accepted []audit.Stored
	for _, h := range p.task.Handoffs {
		if h.Accepted == nil {
			continue
		}
		accepted = append(accepted, *h.Accepted)
		if m := docs[h]; m != nil && m.message != nil {
			checker.Add(m.message)
		} else {
			checker.AddUnread(h.Accepted.TaskID, h.Accepted.HandoffID)
		}
	}
	parents, err := trace.Parents(p.reader, accepted)
	if err != nil {
		return err
	}
	for i := range parents {
		m, err := trace.Chained(p.reader, &parents[i], p.Limits)
		if err == nil {
			checker.Add(m)
			continue
		}
		if err := p.without(err); err != nil {
			return err
		}
		checker.AddUnread(parents[i].TaskID, parents[i].HandoffID)
	}
	p.lost = map[string][]finding.Finding{}
	for _, t := range checker.Tasks() {
		for n := range t.Nodes() {
			p.lost[strings.ToLower(n.HandoffID)] = n.Findings
		}
	}
	return nil
}

// findings are those of a handoff's records, each once, after those of the boundary above it.
func (p *recordPage) findings(h *trace.Handoff) []finding.Finding {
	lost := p.lost[strings.ToLower(h.HandoffID)]
	list := lost[:len(lost):len(lost)]
	seen := map[audit.Finding]bool{}
	for i := range h.Records {
		for _, f := range h.Records[i].Details.Findings {
			if !seen[f] {
				seen[f] = true
				list = append(list, finding.Finding{Rule: f.Rule, Severity: f.Severity, Pointer: f.Pointer, Message: f.Message})
			}
		}
	}
	return list
}

// addRecords adds what the records of a handoff say to what its message says.
func addRecords(v *viewer.Handoff, h *trace.Handoff, o *outlined) {
	told := h.Told()
	v.Format, v.Title, v.Signed = o.Format, o.Title, o.Signed
	v.Status, v.Bytes = string(h.Status), int(told.MessageBytes)
	for i := range h.Records {
		s := &h.Records[i]
		e := viewer.Event{Name: string(s.Event), At: s.RecordedAt.UnixMilli(), Attempt: s.Attempt, Reason: string(s.Reason), Ran: s.Details.DurationMicros / 1000}
		if h.Copies != nil {
			e.Agent = s.Receiver
		}
		if s.Reason != "" && s.Event == h.Status {
			v.Reason = string(s.Reason)
		}
		v.Events = append(v.Events, e)
	}
	if v.Time == "" {
		v.Time = told.RecordedAt.Format(time.RFC3339)
	}
}

// details makes the details of a handoff from its records, its message and that of its parent.
func (p *recordPage) details(i int) (*viewer.Details, error) {
	h, v := p.shown[i], &p.index.Handoffs[i]
	told := h.Told()
	d := newDetails()
	doc, err := p.message(d, h)
	if err != nil {
		return nil, err
	}
	if doc != nil {
		describe(d, doc, v.Format, p.Limits)
		if v.Signed {
			d.Signature = signatureOf(doc, nil, false)
			judge(d.Signature, told)
		}
	}
	p.rules.addFindings(d, doc, p.findings(h), maxFindings, p.Limits)
	if v.Parent >= 0 && doc != nil {
		old, err := p.message(&viewer.Details{}, p.shown[v.Parent])
		if err != nil {
			return nil, err
		}
		if old != nil {
			d.Compared = v.Parent
			addChanges(d, old, doc)
		}
	}
	if err := p.addLog(d, h, told); err != nil {
		return nil, err
	}
	d.Commands = p.Commands(Subject{ID: h.HandoffID, TaskID: p.task.ID, Recorded: told.Sequence})
	return d, nil
}

// message sets the message of the details, and returns its document, nil if there is none.
func (p *recordPage) message(d *viewer.Details, h *trace.Handoff) (*jsonstream.Document, error) {
	text, err := h.Message(p.reader)
	switch {
	case err != nil:
		if d.Missing = Missing(err); d.Missing == "" {
			return nil, err
		}
		return nil, nil
	case text == nil:
		d.Missing = "the audit log has the records of it, and not the message"
		return nil, nil
	}
	doc, malformed := parse(jsonstream.NewRaw(text), p.Limits)
	text, d.Masked = p.mask(text, doc, "")
	setText(d, text)
	if malformed != nil {
		d.Malformed = malformed.Error()
		return nil, nil
	}
	if d.Masked {
		doc, _ = parse(jsonstream.NewRaw(text), p.Limits) // what was masked is JSON as before
	}
	return doc, nil
}

// judge says what the log knows of a signature.
func judge(s *viewer.Signature, told *audit.Stored) {
	if told.KeyID == "" {
		s.Verdict = "the record does not say that anybody has verified it"
		return
	}
	holds := true
	s.Verdict, s.Holds = "it held when the message was recorded, by the key "+told.KeyID, &holds
}

// addLog adds the records of a handoff, and the proof of the one that has its message.
func (p *recordPage) addLog(d *viewer.Details, h *trace.Handoff, told *audit.Stored) error {
	for i := range h.Records {
		s := &h.Records[i]
		facts, err := p.Facts(s)
		if err != nil {
			return err
		}
		for i := range facts {
			p.hideIn(&facts[i].Value)
		}
		d.Records = append(d.Records, viewer.Record{
			Sequence: s.Sequence, Event: string(s.Event), Time: audit.FormatTime(s.RecordedAt), Hash: s.Hash.String(), Previous: s.PreviousRecordHash.String(), Facts: facts,
		})
	}
	path, err := tree.ProveRecord(p.ctx, p.reader, p.size, told.Sequence)
	if err != nil {
		return err
	}
	d.Proof = &viewer.Proof{Sequence: told.Sequence, Size: p.size, Root: audit.Hash(p.root).String(), Path: make([]string, 0, len(path))}
	for _, hash := range path {
		d.Proof.Path = append(d.Proof.Path, audit.Hash(hash).String())
	}
	return nil
}
