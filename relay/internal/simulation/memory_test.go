package simulation

import (
	"cmp"
	"context"
	"errors"
	"iter"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/eaapl/handoff/pkg/merkle"
	"github.com/eaapl/handoff/relay/audit"
	"github.com/eaapl/handoff/relay/audit/storetest"
)

// memory is an audit log that outlives the processes of the simulation, with the data that an [audit.Store]
// keeps in a database. Processes access it through handles.
type memory struct {
	mu      sync.Mutex
	state   memoryState
	running map[string]bool // instances
	shared  bool            // used by senders and receivers
}

// memoryState is the durable state. Slices are only extended or replaced.
type memoryState struct {
	records  []audit.Stored
	frames   map[int64][]byte
	payloads map[int64][]byte
	nodes    map[int][]merkle.Node // by level
	pending  []audit.Pending
}

func newMemory() *memory {
	return &memory{state: memoryState{frames: map[int64][]byte{}, payloads: map[int64][]byte{}, nodes: map[int][]merkle.Node{}}, running: map[string]bool{}}
}

// update calls f, and keeps its additions if it returns nil and the fate of the commit permits it.
func (m *memory) update(f func(audit.Tx) error, commit func() bool) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	before := m.state
	before.pending = slices.Clone(before.pending)
	nodes := map[int]int{}
	for level, list := range before.nodes {
		nodes[level] = len(list)
	}
	err := f(memoryTx{m})
	if err == nil && commit() {
		return nil
	}
	for i := len(before.records); i < len(m.state.records); i++ {
		delete(m.state.frames, int64(i))
		delete(m.state.payloads, int64(i))
	}
	m.state.records, m.state.pending = before.records, before.pending
	for level := range m.state.nodes {
		m.state.nodes[level] = m.state.nodes[level][:nodes[level]]
	}
	return err
}

func (m *memory) view(f func(audit.Reader) error) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	return f(memoryTx{m})
}

type memoryTx struct{ *memory }

func (t memoryTx) Head() (audit.Head, error) {
	n := len(t.state.records)
	if n == 0 {
		return audit.Head{}, nil
	}
	return audit.Head{Size: int64(n), Last: t.state.records[n-1].Hash}, nil
}

func (t memoryTx) Records(f audit.Filter) iter.Seq2[audit.Stored, error] {
	var list []audit.Stored
	for i := range t.state.records {
		if r := &t.state.records[i]; wanted(f, r) && (f.Subject == "" || t.state.payloads[r.Sequence] != nil) {
			list = append(list, *r)
		}
	}
	if f.Newest {
		slices.Reverse(list)
	}
	if f.ByTask {
		slices.SortStableFunc(list, func(a, b audit.Stored) int { return cmp.Compare(a.TaskID, b.TaskID) })
	}
	if f.Limit > 0 && len(list) > f.Limit {
		list = list[:f.Limit]
	}
	return func(yield func(audit.Stored, error) bool) {
		for _, r := range list {
			if !yield(r, nil) {
				return
			}
		}
	}
}

// wanted reports whether a record matches a filter, except for Subject, Newest, Limit and the order.
func wanted(f audit.Filter, r *audit.Stored) bool {
	begins := func(id string) bool { return id != "" && hasPrefix(id, f.Prefix) }
	switch {
	case len(f.Handoffs) > 0 && !slices.Contains(f.Handoffs, r.HandoffID),
		len(f.Tasks) > 0 && !slices.Contains(f.Tasks, r.TaskID),
		f.Agent != "" && f.Agent != r.Sender && f.Agent != r.Receiver,
		len(f.Events) > 0 && !slices.Contains(f.Events, r.Event),
		f.Reason != "" && f.Reason != string(r.Reason),
		f.Subject != "" && f.Subject != r.Details.Subject,
		!f.Since.IsZero() && r.RecordedAt.Before(f.Since),
		!f.Until.IsZero() && !r.RecordedAt.Before(f.Until),
		f.From > 0 && r.Sequence < f.From,
		f.Before > 0 && r.Sequence >= f.Before,
		f.ByTask && r.TaskID == "",
		f.Prefix != "" && !begins(r.HandoffID) && !begins(r.TaskID),
		f.Hash != "" && !strings.HasPrefix(strings.TrimPrefix(r.Hash.String(), "sha256:"), f.Hash):
		return false
	}
	return true
}

// hasPrefix reports whether an id begins with a text; for UUIDs, the case does not matter.
func hasPrefix(id, prefix string) bool {
	if strings.HasPrefix(id, prefix) {
		return true
	}
	return len(id) == 36 && strings.Count(id, "-") == 4 && strings.HasPrefix(strings.ToLower(id), strings.ToLower(prefix))
}

func (t memoryTx) Frame(sequence int64) ([]byte, error)   { return t.state.frames[sequence], nil }
func (t memoryTx) Payload(sequence int64) ([]byte, error) { return t.state.payloads[sequence], nil }
func (t memoryTx) Archives() ([]audit.Archive, error)     { return nil, nil }

func (t memoryTx) Pending(handoffs ...string) (list []audit.Pending, err error) {
	for _, p := range t.state.pending {
		if len(handoffs) == 0 || slices.Contains(handoffs, p.HandoffID) {
			p.Alive = t.running[p.Instance]
			list = append(list, p)
		}
	}
	slices.SortFunc(list, func(a, b audit.Pending) int { return cmp.Compare(a.Sequence, b.Sequence) })
	return list, nil
}

func (t memoryTx) RecordHashes(_ context.Context, first, n int64) (list []merkle.Hash, err error) {
	for i := first; i < min(first+n, int64(len(t.state.records))); i++ {
		list = append(list, t.state.records[i].Hash)
	}
	return list, nil
}

func (t memoryTx) Nodes(_ context.Context, level int, first, n int64) (list []merkle.Hash, err error) {
	nodes := t.state.nodes[level]
	for i := first; i < min(first+n, int64(len(nodes))); i++ {
		list = append(list, nodes[i].Hash)
	}
	return list, nil
}

func (t memoryTx) Insert(entries []audit.Entry) error {
	for _, e := range entries {
		if e.Sequence != int64(len(t.state.records)) {
			return errors.New("there is a record of this number")
		}
		t.state.records = append(t.state.records, e.Stored)
		if e.Frame != nil {
			t.state.frames[e.Sequence] = e.Frame
		}
		if e.Payload != nil {
			t.state.payloads[e.Sequence] = e.Payload
		}
	}
	return nil
}

func (t memoryTx) InsertNodes(nodes []merkle.Node) error {
	for _, n := range nodes {
		t.state.nodes[n.Level] = append(t.state.nodes[n.Level], n)
	}
	return nil
}

func (t memoryTx) SetPending(list []audit.Pending) error {
	for _, p := range list {
		if slices.ContainsFunc(t.state.pending, func(o audit.Pending) bool { return o.Copy() == p.Copy() }) {
			return errors.New("somebody is handing over this copy")
		}
		t.state.pending = append(t.state.pending, p)
	}
	return nil
}

func (t memoryTx) ClearPending(copies []audit.Copy) error {
	t.state.pending = slices.DeleteFunc(slices.Clone(t.state.pending), func(p audit.Pending) bool { return slices.Contains(copies, p.Copy()) })
	return nil
}

var errNotSimulated = errors.New("this is not simulated")

func (memoryTx) Archive(audit.Archive) error              { return errNotSimulated }
func (memoryTx) Remove(int64) (int64, error)              { return 0, errNotSimulated }
func (memoryTx) RemoveOnly(int64, []int64) (int64, error) { return 0, errNotSimulated }
func (memoryTx) Retention() (audit.Retention, error)      { return audit.Retention{}, nil }
func (memoryTx) Others(func(audit.Problem) error) error {
	return nil
}

// inspection is a [memory] in the form for [audit.Verify].
type inspection struct{ memoryTx }

func (i inspection) LastRecord() (int64, bool, error) {
	n := int64(len(i.state.records))
	return n - 1, n > 0, nil
}

func (i inspection) NextRecord(from int64) (int64, bool, error) {
	from = max(from, 0)
	return from, from < int64(len(i.state.records)), nil
}

func (i inspection) between(first, end int64) []audit.Stored {
	n := int64(len(i.state.records))
	return i.state.records[min(first, n):min(end, n)]
}

func (i inspection) Rows(first, end int64, f func(*audit.Row) error) error {
	for _, r := range i.between(first, end) {
		row := audit.Row{Stored: r}
		var err error
		if row.RawDetails, err = r.Details.Text(); err == nil {
			row.PreviousRecordHash, row.Details = audit.Hash{}, audit.Details{}
			err = f(&row)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

func (i inspection) Frames(first, end int64, f func(int64, []byte) error) error {
	for _, r := range i.between(first, end) {
		if frame := i.state.frames[r.Sequence]; frame != nil {
			if err := f(r.Sequence, frame); err != nil {
				return err
			}
		}
	}
	return nil
}

func (i inspection) Payloads(first, end int64, f func(int64, string, []byte) error) error {
	for _, r := range i.between(first, end) {
		if payload := i.state.payloads[r.Sequence]; payload != nil {
			if err := f(r.Sequence, r.Details.Subject, payload); err != nil {
				return err
			}
		}
	}
	return nil
}

func (i inspection) Nodes(level int, first, end int64, f func(merkle.Node) error) error {
	for _, n := range i.state.nodes[level] {
		if n.Index >= first && n.Index < end {
			if err := f(n); err != nil {
				return err
			}
		}
	}
	return nil
}

func (i inspection) Pending(f func(audit.Pending, bool) error) error {
	for _, p := range i.state.pending {
		p.Instance, p.Alive = "", false
		if err := f(p, true); err != nil {
			return err
		}
	}
	return nil
}

func (i inspection) Outcomes(since time.Time, f func(*audit.Outcome) error) error {
	for r := range i.Records(audit.Filter{Since: since, Events: []audit.Event{audit.Accepted, audit.Rejected, audit.RolledBack}}) {
		o := audit.Outcome{RecordedAt: r.RecordedAt, Event: r.Event, Sender: r.Sender, Receiver: r.Receiver, Reason: r.Reason, Transport: r.Transport, LatencyMicros: r.LatencyMicros, Details: r.Details}
		if err := f(&o); err != nil {
			return err
		}
	}
	return nil
}

// handle is the access of a process to a [memory], without failures.
type handle struct {
	*memory
	instance string
}

func (h handle) Update(_ context.Context, f func(audit.Tx) error) error {
	return h.update(f, func() bool { return true })
}
func (h handle) View(_ context.Context, f func(audit.Reader) error) error { return h.view(f) }
func (h handle) Inspect(_ context.Context, f func(audit.Inspector) error) error {
	h.mu.Lock()
	defer h.mu.Unlock()
	return f(inspection{memoryTx{h.memory}})
}

func (h handle) CheckIndexes(context.Context, func(string) error) (unchecked string, err error) {
	return "", nil // there is none
}

func (h handle) Instance(context.Context) (string, error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.running[h.instance] = true
	return h.instance, nil
}

func (h handle) Close() error {
	h.mu.Lock()
	defer h.mu.Unlock()
	delete(h.running, h.instance)
	return nil
}

// TestMemory checks that the log of the simulation behaves like one in a database.
func TestMemory(t *testing.T) {
	storetest.Run(t, func(*testing.T) func() audit.Store {
		m, n := newMemory(), 0
		return func() audit.Store {
			n++
			return handle{m, string(rune('a' + n))}
		}
	})
}

// forget removes the last n records: a fault that [TestPlanted] plants.
//
//lint:ignore U1000 the planted fault calls it
func (m *memory) forget(n int) {
	m.mu.Lock()
	defer m.mu.Unlock()
	n = len(m.state.records) - n
	m.state.records = m.state.records[:n]
	m.state.pending = slices.DeleteFunc(slices.Clone(m.state.pending), func(p audit.Pending) bool { return p.Sequence >= int64(n) })
}
