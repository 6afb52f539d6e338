// Package records creates the pages of tasks for package viewer from the records of an audit log.
package records

import (
	"context"
	"errors"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/eaapl/handoff/internal/viewer"
	"github.com/eaapl/handoff/internal/viewer/collect"
	"github.com/eaapl/handoff/pkg/chain"
	"github.com/eaapl/handoff/pkg/finding"
	"github.com/eaapl/handoff/pkg/merkle"
	"github.com/eaapl/handoff/relay/audit"
	"github.com/eaapl/handoff/relay/audit/personal"
	"github.com/eaapl/handoff/relay/audit/trace"
)

// Options are the options of [Read].
type Options struct {
	collect.Options
	// Facts returns the displayed facts of a record, besides its event, time and hashes.
	Facts func(*audit.Stored) ([]viewer.Fact, error)
}

// A Page is the page of a task.
type Page struct {
	collect.Page
	// Unread are the errors of messages that could not be read; the page shows them in their places.
	Unread []error
}

// Read returns the page of a task of an audit log. If there is no record of it, the error is a
// [*trace.UnknownTaskError]; an unreadable message is not an error, but shown on the page. The details are
// read from r on request, one after another.
func Read(ctx context.Context, r audit.Reader, id string, o Options) (Page, error) {
	t, err := trace.Read(r, id)
	if err != nil {
		return Page{}, err
	}
	p := draft{facts: o.Facts, ctx: ctx, reader: r, task: t}
	head, err := r.Head()
	if err != nil {
		return Page{}, err
	}
	p.size = head.Size
	if p.root, err = merkle.Root(ctx, r, p.size); err != nil {
		return Page{}, err
	}
	if err := p.collect(o.Options); err != nil {
		return Page{}, err
	}
	return Page{collect.Page{Index: p.Index, Details: p.details}, p.unread}, nil
}

// A draft is a page being created.
type draft struct {
	*collect.Draft
	facts  func(*audit.Stored) ([]viewer.Fact, error)
	ctx    context.Context
	reader audit.Reader
	task   *trace.Task
	shown  []*trace.Handoff // by index
	lost   map[string][]finding.Finding
	unread []error
	size   int64 // of the log
	root   merkle.Hash
}

func (p *draft) collect(o collect.Options) error {
	docs := map[*trace.Handoff]*messageOutline{}
	for n := range p.task.Nodes() {
		h := p.task.Of(n)
		outlined, err := p.outline(h)
		if err != nil {
			return err
		}
		docs[h] = outlined
	}
	if err := p.check(o, docs); err != nil {
		return err
	}
	named := map[string]bool{}
	for h := range docs {
		for _, f := range slices.Concat(p.lossOf(h), findingsOf(h)) {
			named[f.Rule] = true
		}
	}
	p.Draft = collect.NewDraft(o, named)
	task := p.Task(p.task.Task)
	task.Command = p.Command(p.task.ID, nil)
	task.Errors, task.Warnings = 0, 0
	indices := map[*chain.Node]int{}
	for n := range p.task.Nodes() {
		h := p.task.Of(n)
		v := collect.Handoff(n)
		if i, ok := indices[n.Parent]; ok {
			v.Parent, v.Depth = i, p.Index.Handoffs[i].Depth+1
		}
		indices[n] = len(p.Index.Handoffs)
		addRecords(&v, h, docs[h])
		p.Count(&v, p.lossOf(h), findingsOf(h))
		task.Errors += v.Errors
		task.Warnings += v.Warnings
		p.Index.Handoffs = append(p.Index.Handoffs, v)
		p.shown = append(p.shown, h)
	}
	for _, err := range p.unread {
		p.Index.Unread = append(p.Index.Unread, Missing(err))
	}
	task.Count = len(p.shown)
	p.Index.Tasks = []viewer.Task{task}
	p.Mask()
	return nil
}

// messageOutline is the part of a handoff's message that the lists show.
type messageOutline struct {
	viewer.Handoff
	message *chain.Message // nil unless it was accepted and is readable
}

// outline reads the part of a handoff's message that the lists show.
func (p *draft) outline(h *trace.Handoff) (*messageOutline, error) {
	doc, err := h.Document(p.reader)
	if err != nil || doc == nil {
		return &messageOutline{}, p.without(err)
	}
	o := &messageOutline{Handoff: collect.Outline(doc)}
	if h.Accepted != nil {
		o.message, _ = chain.Read(doc, trace.PlaceOf(h.Accepted))
	}
	return o, nil
}

// Missing returns the text that a page shows in place of an erased or unreadable message, without the
// directory of its file; "" for another error, and for nil.
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

// without returns an error unless the page can omit the message. An unreadable message is noted.
func (p *draft) without(err error) error {
	switch {
	case errors.As(err, new(*audit.UnreadableError)):
		p.unread = append(p.unread, err)
		return nil
	case errors.As(err, new(*personal.ErasedError)), errors.As(err, new(*trace.NoMessageError)):
		return nil
	}
	return err
}

// check finds losses at the boundaries between accepted messages.
func (p *draft) check(o collect.Options, docs map[*trace.Handoff]*messageOutline) error {
	checker := chain.New(o.Chain)
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
		m, err := trace.Chained(p.reader, &parents[i], o.Limits)
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

// lossOf returns the findings of the boundary above a handoff.
func (p *draft) lossOf(h *trace.Handoff) []finding.Finding {
	return p.lost[strings.ToLower(h.HandoffID)]
}

// findingsOf returns the findings of a handoff's records, without duplicates.
func findingsOf(h *trace.Handoff) []finding.Finding {
	var list []finding.Finding
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

// addRecords adds data from the records of a handoff to the data of its message.
func addRecords(v *viewer.Handoff, h *trace.Handoff, o *messageOutline) {
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

// details returns the details of a handoff from its records, its message and its parent's message.
func (p *draft) details(i int) (*viewer.Details, error) {
	h, v := p.shown[i], &p.Index.Handoffs[i]
	told := h.Told()
	text, missing, err := p.text(h)
	if err != nil {
		return nil, err
	}
	var parent *collect.Text
	if v.Parent >= 0 && missing == "" {
		if parent, _, err = p.text(p.shown[v.Parent]); err != nil {
			return nil, err
		}
	}
	findings := slices.Concat(p.lossOf(h), findingsOf(h))
	d := p.Details(v, text, parent, findings, len(findings))
	d.Missing = missing
	if v.Signed {
		if d.Signature = text.Signature(); d.Signature != nil {
			judge(d.Signature, told)
		}
	}
	if err := p.addLog(d, h, told); err != nil {
		return nil, err
	}
	d.Commands = p.Commands(collect.Subject{ID: h.HandoffID, TaskID: p.task.ID, Recorded: told.Sequence})
	return d, nil
}

// text returns the message of a handoff, or why it is missing.
func (p *draft) text(h *trace.Handoff) (text *collect.Text, missing string, err error) {
	message, err := h.Message(p.reader)
	switch {
	case err != nil:
		if missing = Missing(err); missing != "" {
			err = nil
		}
		return &collect.Text{}, missing, err
	case message == nil:
		return &collect.Text{}, "the audit log has its records, but not the message", nil
	}
	return p.Text(message), "", nil
}

// judge sets the recorded result of a signature's check.
func judge(s *viewer.Signature, told *audit.Stored) {
	if told.KeyID == "" {
		s.Verdict = "the record does not confirm that it was verified"
		return
	}
	holds := true
	s.Verdict, s.Holds = "it was valid when the message was recorded, with the key "+told.KeyID, &holds
}

// addLog adds the records of a handoff, and the proof of its message's record.
func (p *draft) addLog(d *viewer.Details, h *trace.Handoff, told *audit.Stored) error {
	for i := range h.Records {
		s := &h.Records[i]
		facts, err := p.facts(s)
		if err != nil {
			return err
		}
		for i := range facts {
			p.Hide(&facts[i].Value)
		}
		d.Records = append(d.Records, viewer.Record{
			Sequence: s.Sequence, Event: string(s.Event), Time: audit.FormatTime(s.RecordedAt), Hash: s.Hash.String(), Previous: s.PreviousRecordHash.String(), Facts: facts,
		})
	}
	path, err := merkle.ProveRecord(p.ctx, p.reader, p.size, told.Sequence)
	if err != nil {
		return err
	}
	d.Proof = &viewer.Proof{Sequence: told.Sequence, Size: p.size, Root: audit.Hash(p.root).String(), Path: make([]string, 0, len(path))}
	for _, hash := range path {
		d.Proof.Path = append(d.Proof.Path, audit.Hash(hash).String())
	}
	return nil
}
