package mcp

import (
	"context"
	"errors"
	"fmt"

	"github.com/eaapl/handoff/pkg/diff"
	"github.com/eaapl/handoff/pkg/format"
	"github.com/eaapl/handoff/pkg/formats"
	"github.com/eaapl/handoff/pkg/history"
	"github.com/eaapl/handoff/pkg/jsonstream"
	"github.com/eaapl/handoff/relay/receiver"
)

// Forms of a comparison's result.
const (
	asChanges    = "changes"
	asJSONPatch  = "jsonpatch"
	asMergePatch = "mergepatch"
)

func (s *Server) diff() tool {
	return tool{
		name: "diff", title: "Compare two messages", writes: s.options.Files != nil, destructive: s.options.Files != nil,
		description: "Compare two messages, or any two JSON documents: added, removed, changed and moved members. Elements of arrays are matched by their identifying members, and numbers are compared by value. It can also produce a JSON Patch or merge patch from old to new.",
		input: concat(s.source("old", "The old document"), s.source("new", "The new document"), []property{
			choice("format", formats.Names(), "The format of both documents (default: detected)."),
			choice("as", []string{asChanges, asJSONPatch, asMergePatch}, "changes (the default), or a patch from old to new: jsonpatch (RFC 6902) or mergepatch (RFC 7396)."),
			boolean("exact", "Compare numbers by their text instead of their value."),
			texts("ignore", "Values to ignore, as JSON Pointers in which * matches one member and ** any number of members."),
			texts("only", "Compare only these values, in the form of ignore."),
			choice("detail", []string{"brief", "full"}, "brief (the default) shortens long values; full returns them in full."),
		}, paging("changes"), s.delivering()),
		output: []property{
			boolean("same", "Whether there is no difference.").must(),
			nested("counts", "The number of changes of each kind.",
				count("added", 0, "Added.").must(), count("removed", 0, "Removed.").must(), count("changed", 0, "Changed.").must(), count("moved", 0, "Moved.").must()).must(),
			objects("changes", "The changes, in document order; absent with a patch.",
				text("pointer", "JSON Pointer in the new document, or in the old one for a removed value.").must(),
				text("kind", "added, removed, changed or moved.").must(),
				text("from", "For a moved value: its JSON Pointer in the old document."),
				text("old", "The old value, as JSON text; shortened if it ends with …."),
				text("new", "The new value, as JSON text; shortened if it ends with …."),
				count("inside", 0, "For a string that contains a document: the number of changes in the document.")),
			nextPage("changes"),
			nested("patch", "The patch, if requested.", s.delivered("the patch")...),
		},
		run: s.runDiff,
	}
}

type diffResult struct {
	Same       bool      `json:"same"`
	Counts     counts    `json:"counts"`
	Changes    []change  `json:"changes,omitempty"`
	NextOffset int       `json:"nextOffset,omitempty"`
	Patch      *delivery `json:"patch,omitempty"`
}

type counts struct {
	Added   int `json:"added"`
	Removed int `json:"removed"`
	Changed int `json:"changed"`
	Moved   int `json:"moved"`
}

type change struct {
	Pointer string    `json:"pointer"`
	Kind    diff.Kind `json:"kind"`
	From    string    `json:"from,omitempty"`
	Old     string    `json:"old,omitempty"`
	New     string    `json:"new,omitempty"`
	Inside  int       `json:"inside,omitempty"`
}

// briefValue is the maximum length of a displayed value, in bytes.
const briefValue = 200

func (s *Server) runDiff(ctx context.Context, c *call) (any, error) {
	var in struct {
		page
		Format format.Format `json:"format"`
		As     string        `json:"as"`
		Exact  bool          `json:"exact"`
		Ignore []string      `json:"ignore"`
		Only   []string      `json:"only"`
		Detail string        `json:"detail"`
	}
	if err := c.into(&in); err != nil {
		return nil, err
	}
	o := diff.Options{Format: in.Format, Exact: in.Exact}
	if err := errors.Join(patterns(&o.Ignore, "ignore", in.Ignore), patterns(&o.Only, "only", in.Only)); err != nil {
		return nil, err
	}
	var sides [2]*jsonstream.Document
	for i, name := range []string{"old", "new"} {
		doc, err := c.parsed(ctx, name)
		if err == nil && in.Format != "" {
			_, err = history.FormatOf(doc.Root(), in.Format)
		}
		if err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
		sides[i] = doc
	}
	e := diff.Compare(sides[0], sides[1], o)
	out := diffResult{Same: e == nil}
	if e != nil {
		out.Counts = counts(e.Counts())
	}
	var patch []byte
	var err error
	switch in.As {
	case asJSONPatch:
		patch, err = diff.JSONPatch(sides[0], sides[1], e, o, false)
	case asMergePatch:
		patch, err = diff.MergePatch(sides[0], sides[1], e, o)
	default:
		size := briefValue
		if in.Detail == "full" {
			size = maxInline
		}
		list, next := pageOf(in.page, e.Changes())
		out.NextOffset = next
		for _, d := range list {
			out.Changes = append(out.Changes, change{d.Pointer, d.Kind, d.From, brief(d.Old, size), brief(d.New, size), len(d.Inside)})
		}
		return out, nil
	}
	if err != nil {
		return nil, err
	}
	d, err := c.deliver(ctx, patch)
	out.Patch = &d
	return out, err
}

func patterns(to *[]jsonstream.Pattern, name string, list []string) error {
	for _, text := range list {
		p, err := jsonstream.ParsePattern(text)
		if err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
		*to = append(*to, p)
	}
	return nil
}

// brief returns the beginning of a text, with a mark if it was truncated.
func brief(text []byte, size int) string {
	part, next := cut(text, 0, size)
	if next > 0 {
		part += "…"
	}
	return part
}

func (s *Server) accept() tool {
	return tool{
		name: "accept", title: "Accept a handoff, and record it", writes: true, repeatable: true,
		description: "Receive a message: validate it with all layers, record the decision in the audit log, and return the answer. After ACCEPTED, the task is yours. On REJECTED, do not use the message, and report reason and details to its sender. A DUPLICATE was accepted before: do not execute it again. Accepting cannot be undone.",
		input:       append(s.source("", "The message, byte for byte as received"), count("index", 0, "The index of the message, from 0, if there are several.")),
		output: []property{
			text("status", "ACCEPTED, REJECTED or DUPLICATE.").must(),
			text("handoffId", "The id of the message, empty if it has none.").must(),
			text("taskId", "The id of its task: trace shows the history of the task.").must(),
			text("reason", "The reason for the rejection; empty if it was not rejected.").must(),
			text("details", "The problem, on one line.").must(),
			boolean("retryable", "Whether the sender may retry with a corrected message.").must(),
			count("attempt", 0, "The number of this attempt.").must(),
			text("recordHash", "The hash of the record in the audit log.").must(),
			text("recordedAt", "The time of the record.").must(),
			boolean("escalated", "Whether it failed so often that a person must look at it: tell the user."),
			objects("findings", "The first errors.", text("rule", "The broken rule.").must(), text("pointer", "JSON Pointer to the value.").must(), text("message", "The problem and the remedy.").must()).must(),
		},
		run: s.runAccept,
	}
}

type acceptResult struct {
	Status     receiver.Status `json:"status"`
	HandoffID  string          `json:"handoffId"`
	TaskID     string          `json:"taskId"`
	Reason     string          `json:"reason"`
	Details    string          `json:"details"`
	Retryable  bool            `json:"retryable"`
	Attempt    int             `json:"attempt"`
	RecordHash string          `json:"recordHash"`
	RecordedAt string          `json:"recordedAt"`
	Escalated  bool            `json:"escalated,omitempty"`
	Findings   []brokenRule    `json:"findings"`
}

type brokenRule struct {
	Rule    string `json:"rule"`
	Pointer string `json:"pointer"`
	Message string `json:"message"`
}

func (s *Server) runAccept(ctx context.Context, c *call) (any, error) {
	raw, err := c.required(ctx, "")
	damage := (*jsonstream.SyntaxError)(nil)
	if err != nil && !errors.As(err, &damage) {
		return nil, err
	}
	d, err := s.options.Receiver.Examine(ctx, raw, damage)
	if err != nil {
		return nil, err
	}
	d.Transport = "mcp"
	answers, err := s.options.Receiver.Record(ctx, []*receiver.Delivery{d}, nil)
	if err != nil {
		return nil, fmt.Errorf("the audit log: %w; nothing was accepted, try again", err)
	}
	a := answers[0]
	if a.Status == receiver.Accepted {
		// The client already has the message, so it is handed over when it gets the answer.
		if err := s.options.Receiver.HandedOver(ctx, []receiver.Handover{{Accepted: a.Record, Resumed: a.Resumed}}); err != nil {
			return nil, fmt.Errorf("the audit log: %w; the message may have been accepted: accept it again to find out", err)
		}
	}
	out := acceptResult{
		Status: a.Status, HandoffID: a.HandoffID, TaskID: a.TaskID, Reason: string(a.Reason), Details: a.Details, Retryable: a.Retryable,
		Attempt: a.Attempt, RecordHash: a.RecordHash.String(), RecordedAt: a.RecordedAt, Escalated: a.Escalated, Findings: []brokenRule{},
	}
	if a.Status == receiver.Rejected {
		for _, f := range d.Result.Findings[:min(len(d.Result.Findings), defaultLimit)] {
			out.Findings = append(out.Findings, brokenRule{f.Rule, f.Pointer, f.Message})
		}
	}
	return out, nil
}

func (s *Server) trace() tool {
	return tool{
		name: "trace", title: "Show the history of a task",
		description: "Show a task from the audit log: its handoffs, parents before children, with status, sender, receiver, cost and records. detail: full adds the content of each message.",
		input: append([]property{
			text("taskId", "The id of the task, a UUID, from accept or from the message.").must(),
			choice("detail", []string{"brief", "full"}, "brief (the default) omits the content of the messages; full includes it."),
		}, paging("handoffs")...),
		output: []property{
			text("taskId", "The id of the task.").must(),
			count("total", 0, "The number of handoffs.").must(),
			{name: "handoffs", schema: `"type":"array","items":{"type":"object"}`, description: "The handoffs: handoffId, parentHandoffId, status, from, to, acceptedAt, step (its cost), soFar, records, and with detail full content.", required: true},
			{name: "cost", schema: `"type":"object"`, description: "The total cost of the task.", required: true},
			nextPage("handoffs"),
		},
		run: s.runTrace,
	}
}

type traceResult struct {
	TaskID     string     `json:"taskId"`
	Total      int        `json:"total"`
	Handoffs   []rawValue `json:"handoffs"`
	Cost       rawValue   `json:"cost"`
	NextOffset int        `json:"nextOffset,omitempty"`
}

// A rawValue is JSON text that is written unchanged.
type rawValue []byte

// MarshalJSON implements [json.Marshaler].
func (v rawValue) MarshalJSON() ([]byte, error) { return v, nil }

func (s *Server) runTrace(ctx context.Context, c *call) (any, error) {
	var in struct {
		page
		TaskID string `json:"taskId"`
		Detail string `json:"detail"`
	}
	if err := c.into(&in); err != nil {
		return nil, err
	}
	text, err := s.options.Trace(ctx, in.TaskID)
	if err != nil {
		return nil, err
	}
	task, err := jsonstream.Parse(jsonstream.NewRaw(text), jsonstream.Unlimited())
	if err != nil {
		return nil, err
	}
	var all []jsonstream.Value
	for _, h := range task.Root().Get("handoffs").Elements() {
		all = append(all, h)
	}
	out := traceResult{TaskID: task.Root().Get("taskId").Text(), Total: len(all), Handoffs: []rawValue{}, Cost: task.Root().Get("total").Raw()}
	list, next := pageOf(in.page, all)
	out.NextOffset = next
	for _, h := range list {
		text := rawValue(h.Raw())
		if in.Detail != "full" {
			text = without(h, "content")
		}
		out.Handoffs = append(out.Handoffs, text)
	}
	return out, nil
}

// without returns an object without one member.
func without(object jsonstream.Value, left string) []byte {
	text := []byte{'{'}
	for name, v := range object.Members() {
		if name == left {
			continue
		}
		text = jsonstream.AppendComma(text)
		text = append(append(append(text, v.RawName()...), ':'), v.Raw()...)
	}
	return append(text, '}')
}
