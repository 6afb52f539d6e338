package simulation

import (
	"bytes"
	"fmt"
	"slices"
	"strings"

	"github.com/go-json-experiment/json"

	"github.com/eaapl/handoff/relay/audit"
	"github.com/eaapl/handoff/relay/deliver"
	"github.com/eaapl/handoff/relay/receiver"
	"github.com/eaapl/handoff/relay/transport"
)

// order is a message that its user wants to be handed over.
type order struct {
	id, task   string
	versions   [][]byte // versions of the message, as corrected by its user
	digests    []audit.Hash
	version    int // index of the version that is sent next
	checkpoint []byte
	to         []deliver.Address

	sends    int  // sends that have begun
	sending  int  // sends that run
	accepted bool // a send has reported success
	revoked  bool // a forced rollback was requested
}

// copyState is the state of the copy of a message for a receiver, derived from all events.
type copyState struct {
	audit.Copy
	accepted *audit.Stored // the record of the acceptance, if the receiver has the task
	handed   bool          // HANDED_OVER was recorded after the acceptance
	running  bool          // to a separate agent
	given    int           // number of handovers to agents after the acceptance
	deaths   int           // number of dead receivers after the acceptance
	live     *run          // the running agent
	lost     bool          // the agent with the task has died
	ended    *receiver.Execution
	endedAt  *process
	how      audit.Event // its record
	back     bool        // its sender certainly has the task again
	revoked  bool
	force    bool // after a forced rollback, two agents may have it
}

// ledger is the history of a world, kept by the world itself.
type ledger struct {
	orders   []*order
	copies   map[audit.Copy]*copyState
	attempts map[string]bool // attempts with a DISPATCHED record
	hashes   map[audit.Hash]audit.Event
}

func newLedger() *ledger {
	return &ledger{copies: map[audit.Copy]*copyState{}, attempts: map[string]bool{}, hashes: map[audit.Hash]audit.Event{}}
}

func (l *ledger) copy(c audit.Copy) *copyState {
	if l.copies[c] == nil {
		l.copies[c] = &copyState{Copy: c}
	}
	return l.copies[c]
}

func (l *ledger) order(id string) *order {
	for _, o := range l.orders {
		if o.id == id {
			return o
		}
	}
	return nil
}

func attemptName(handoff, receiver string, attempt int) string {
	return fmt.Sprintf("%s/%s/%d", handoff, receiver, attempt)
}

// recorded handles records that became durable.
func (w *world) recorded(log *memory, p *process, added []audit.Stored) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for i := range added {
		r := &added[i]
		w.note("    %s %s %s %d %s", r.Event, r.HandoffID, r.Receiver, r.Attempt, r.Reason)
		w.hashes[r.Hash] = r.Event
		c := w.copy(r.Copy())
		bySender := w.isHost(p)
		switch r.Event {
		case audit.Dispatched:
			name := attemptName(r.HandoffID, r.Receiver, r.Attempt)
			if w.attempts[name] {
				w.violated("the dispatch of %s is recorded twice", name)
			}
			w.attempts[name] = true
		case audit.Accepted:
			switch {
			case c.accepted != nil:
				w.violated("%s is accepted for %s, and was", r.HandoffID, r.Receiver)
			case c.revoked:
				w.violated("%s is accepted for %s, and was revoked", r.HandoffID, r.Receiver)
			case c.back:
				w.violated("%s is accepted for %s, and its sender has the task", r.HandoffID, r.Receiver)
			}
			s := *r
			c.accepted, c.handed, c.running, c.given, c.deaths, c.ended, c.lost, c.how = &s, false, false, 0, 0, nil, false, ""
		case audit.HandedOver:
			if c.accepted == nil {
				w.violated("%s is handed over for %s, and not accepted", r.HandoffID, r.Receiver)
			}
			c.handed, c.running = true, r.Details.Running
		case audit.Completed:
			if c.ended == nil || c.ended.ExitCode != 0 || c.how != "" {
				w.violated("%s is completed by %s, and its agent has not ended well, or twice", r.HandoffID, r.Receiver)
			}
			c.how = r.Event
		case audit.ExecutionFailed:
			if c.ended != nil && c.ended.ExitCode == 0 || c.live != nil || c.how != "" {
				w.violated("the agent of %s has failed at %s, and has not", r.HandoffID, r.Receiver)
			}
			c.how = r.Event
		case audit.Revoked:
			if bySender && !log.shared { // its receivers are not informed yet
				break
			}
			for _, o := range w.copies {
				if o.HandoffID == r.HandoffID && (r.Receiver == "" || r.Receiver == o.Receiver) {
					o.revoked = true
				}
			}
		case audit.RolledBack:
			if c.accepted != nil && c.how != audit.ExecutionFailed && !c.revoked && !c.force {
				w.violated("%s is rolled back, and %s has accepted it", r.HandoffID, r.Receiver)
			}
			if !bySender { // an agent keeps its message, whatever the sender does
				c.accepted = nil
			}
		}
	}
}

func (w *world) isHost(p *process) bool {
	return slices.ContainsFunc(w.hosts, func(h *host) bool { return h.life != nil && h.life.process == p })
}

// published handles a message that a transport gets.
func (w *world) published(p *process, pl *place, m transport.Message) {
	w.mu.Lock()
	defer w.mu.Unlock()
	switch m.Kind {
	case transport.Handoff:
		o := w.order(m.Key)
		if o == nil || !slices.ContainsFunc(o.versions, func(v []byte) bool { return bytes.Equal(v, m.Body) }) {
			w.violated("%s was published, and nobody wanted to send that", m.ID)
			return
		}
		if _, attempt, _ := strings.Cut(m.ID, "/"); !w.attempts[attempt] { // the name of the sender's store precedes it
			w.violated("%s was published, and its dispatch is not recorded", m.ID)
		}
		if ok, err := w.disk.has(o.id); err != nil || !ok {
			w.violated("%s was published, and its checkpoint is not durable (%v)", m.ID, err)
		}
	case transport.Revocation:
		if o := w.order(m.Key); o == nil || !o.revoked {
			w.violated("%s was published, and nobody wanted to revoke it", m.ID)
		}
	default:
		w.violated("%s was published, of the kind %s", m.ID, m.Kind)
	}
}

// answered handles an answer from a receiver.
func (w *world) answered(p *process, pl *place, m transport.Message) {
	w.mu.Lock()
	defer w.mu.Unlock()
	var a receiver.Answer
	if err := json.Unmarshal(m.Body, &a); err != nil {
		w.violated("%s gives an answer that is none: %v", p.name, err)
		return
	}
	w.note("    %s %s %s %s", a.Status, a.HandoffID, a.Receiver, a.Reason)
	event, ok := w.hashes[a.RecordHash]
	fits := false
	switch a.Status {
	case receiver.Accepted:
		fits = event == audit.Accepted || event == audit.ExecutionFailed
	case receiver.Duplicate:
		fits = event == audit.Duplicate
	case receiver.Completed:
		fits = event == audit.Completed
	case receiver.Rejected:
		fits = event == audit.Rejected || event == audit.ExecutionFailed || event == audit.RolledBack || event == audit.Revoked || event == audit.Duplicate
	}
	if !ok || !fits {
		w.violated("%s answers %s to %s, and its record is %q", p.name, a.Status, a.HandoffID, event)
	}
}

// acknowledged handles an acknowledged delivery, whose message is never delivered again.
func (w *world) acknowledged(d *delivery) {
	w.mu.Lock()
	defer w.mu.Unlock()
	m, pl := d.letter.message, d.consumer.place
	if d.consumer.box != pl.messages {
		w.heard(d)
		return
	}
	log := w.logAt(pl)
	log.mu.Lock()
	defer log.mu.Unlock()
	for _, r := range log.state.records {
		if r.HandoffID != m.Key {
			continue
		}
		switch r.Event {
		case audit.Accepted, audit.Rejected, audit.Duplicate, audit.Revoked:
			return
		}
	}
	w.violated("%s was acknowledged, and there is no record of it", m.ID)
}

// heard handles an answer that the sender acknowledges: the store has it, or a newer one.
func (w *world) heard(d *delivery) {
	var a receiver.Answer
	if err := json.Unmarshal(d.letter.message.Body, &a); err != nil {
		return
	}
	answered, err := w.disk.answered(a.HandoffID)
	if err != nil || !answered {
		w.violated("an answer to %s was acknowledged, and the store has none (%v)", a.HandoffID, err)
	}
}

// given handles a message that an agent gets.
func (w *world) given(a *agents, r *run, text []byte) {
	w.mu.Lock()
	defer w.mu.Unlock()
	id, s := idOf(text), a.station
	o := w.order(id)
	if o == nil {
		w.violated("an agent of %s gets %s, which nobody has sent", s.name, id)
		return
	}
	c := w.copy(audit.Copy{HandoffID: id, Receiver: s.options.As})
	version := slices.IndexFunc(o.versions, func(v []byte) bool {
		return bytes.Equal(bytes.ReplaceAll(v, []byte("\n"), []byte(" ")), bytes.ReplaceAll(text, []byte("\n"), []byte(" ")))
	})
	switch {
	case version < 0:
		w.violated("an agent gets %s, and it is not as it was sent", id)
	case c.accepted == nil:
		w.violated("an agent of %s gets %s, and it is not accepted", s.name, id)
	case o.digests[version] != c.accepted.MessageDigest:
		w.violated("an agent of %s gets %s, and another message was accepted", s.name, id)
	case c.live != nil:
		w.violated("an agent of %s gets %s, and another agent has it", s.name, id)
	case c.back:
		w.violated("an agent of %s gets %s, and its sender has the task", s.name, id)
	case r != nil && !(c.handed && c.running):
		w.violated("an agent of %s gets %s, and it is not recorded that it does", s.name, id)
	case c.ended != nil:
		w.violated("an agent of %s gets %s again, and one has ended that had it", s.name, id)
	case c.given > 0 && r != nil && !(c.lost && s.options.Rerun):
		w.violated("a second agent of %s gets %s", s.name, id)
	case c.given > c.deaths && r == nil:
		w.violated("the agent of %s gets %s twice", s.name, id)
	}
	c.given, c.lost = c.given+1, false
	if r != nil {
		c.live, r.copy = r, c
	}
}

// agentEnded notes the result of an agent.
func (w *world) agentEnded(r *run, e receiver.Execution) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if c := r.copy; c != nil && c.live == r {
		c.live, c.ended, c.endedAt = nil, &e, r.process
	}
}

// processEnded notes the end of a process and of its agents. The caller holds mu.
func (w *world) processEnded(p *process) {
	for _, c := range w.copies {
		c.deaths++
		if c.live != nil && c.live.process == p {
			c.live, c.lost = nil, true
		}
		if c.ended != nil && c.endedAt == p && c.how == "" { // its end is not recorded
			c.ended, c.lost = nil, true
		}
	}
}

// sending notes that a message is about to be sent, and the task leaves its sender.
func (w *world) sending(o *order) {
	w.mu.Lock()
	defer w.mu.Unlock()
	o.sends++
	o.sending++
	for _, to := range o.to {
		w.copy(audit.Copy{HandoffID: o.id, Receiver: to.Receiver}).back = false
	}
}

func (w *world) sendEnded(orders []*order) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, o := range orders {
		o.sending--
	}
}

// sendsOf returns the number of sends of a message, -1 during a send.
func (w *world) sendsOf(o *order) int {
	w.mu.Lock()
	defer w.mu.Unlock()
	if o.sending > 0 {
		return -1
	}
	return o.sends
}

// sent notes the results of a successful send.
func (w *world) sent(p *process, results []deliver.Result) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if p.ended {
		return
	}
	for _, r := range results {
		if r.Err == nil {
			w.order(r.HandoffID).accepted = true
		}
	}
}

// rolledBack handles a rollback that returns a checkpoint.
func (w *world) rolledBack(p *process, o *order, receiver string, force bool, checkpoint []byte, begun int) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if p.ended {
		return
	}
	w.note("    %s has the checkpoint of %s", p.name, o.id)
	if !bytes.Equal(checkpoint, o.checkpoint) {
		w.violated("the checkpoint of %s is not as it was", o.id)
	}
	for _, to := range o.to {
		if receiver != "" && receiver != to.Receiver {
			continue
		}
		c := w.copy(audit.Copy{HandoffID: o.id, Receiver: to.Receiver})
		switch {
		case c.force || force || begun != o.sends: // or it was sent again meanwhile
		case c.accepted != nil || c.live != nil:
			w.violated("%s is rolled back, and %s has the task", o.id, to.Receiver)
		default:
			c.back = true
		}
	}
}
