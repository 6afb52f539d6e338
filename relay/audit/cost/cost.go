// Package cost adds up the costs of tasks from the records of the audit log (EAAPL-MAG006, sections 6.2, 9
// and 13.3).
//
// costSpentSoFarUSD is the cost of a task up to a handoff. So the cost of a handoff is the difference from
// its parent's message, as in package chain, or the whole amount for a first message. It is the sender's
// cost, in dollars and in tokens. Only accepted handoffs count, each once.
package cost

import (
	"cmp"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/eaapl/handoff/pkg/chain"
	"github.com/eaapl/handoff/pkg/message"
	"github.com/eaapl/handoff/relay/audit"
	"github.com/eaapl/handoff/relay/audit/trace"
)

// A Group is a key by which costs are added up.
type Group string

// The groups.
const (
	Agent Group = "agent" // the spender: fromAgent.agentId
	Task  Group = "task"
	Day   Group = "day" // of acceptance, UTC
	Pair  Group = "pair"
)

// Groups returns all groups.
func Groups() []Group { return []Group{Agent, Task, Day, Pair} }

// Options select and group the handoffs of a [Bill].
type Options struct {
	By           Group
	Since, Until time.Time // limits of the time of acceptance, Until exclusive; zero for none
}

// A Sum is the cost of one group.
type Sum struct {
	// Name is the agent, the task's id, or the day, such as 2026-06-12; for a pair it is the sender.
	Name     string
	Receiver string // only for a pair
	Handoffs int
	Cost     chain.Cost // without the remaining budget
}

// A Bill is a list of costs.
type Bill struct {
	Total Sum
	Sums  []Sum // largest first; days in order
}

// Of adds up the costs of a task.
func Of(t *trace.Task, o Options) Bill {
	l := newLedger(o)
	for n := range t.Nodes() {
		if t.Of(n).Accepted != nil {
			l.add(t.ID, n)
		}
	}
	return l.bill()
}

// OfAll adds up the costs of all tasks of a log. Its memory grows with the number of groups, and of tasks
// whose parent handoff is in another task, but not with the number of records.
func OfAll(r audit.Reader, o Options) (Bill, error) {
	l := newLedger(o)
	var accepted []audit.Stored
	for s, err := range r.Records(audit.Filter{Events: []audit.Event{audit.Accepted}, ByTask: true}) {
		if err != nil {
			return Bill{}, err
		}
		if n := len(accepted); n >= batch && accepted[n-1].TaskID != s.TaskID {
			l.addBatch(accepted)
			accepted = accepted[:0]
		}
		accepted = append(accepted, s)
	}
	l.addBatch(accepted)
	for ids := range slices.Chunk(slices.Sorted(maps.Keys(l.postponed)), audit.MaxNamed) {
		if err := l.addPostponed(r, ids); err != nil {
			return Bill{}, err
		}
	}
	return l.bill(), nil
}

// batch is the number of records that are added up together, plus the rest of the last record's task.
const batch = 1000

type key struct{ name, receiver string }

type ledger struct {
	o         Options
	total     Sum
	sums      map[key]*Sum
	off       chain.Options
	postponed map[string]bool // tasks with a handoff whose parent is in another task
}

func newLedger(o Options) *ledger {
	return &ledger{o: o, sums: map[key]*Sum{}, off: chain.Unchecked(), postponed: map[string]bool{}}
}

// addBatch adds the tasks of some acceptances, and postpones tasks with parents outside the batch.
func (l *ledger) addBatch(accepted []audit.Stored) {
	accepted = trace.Last(accepted)
	tasks, known := map[string]bool{}, map[string]bool{}
	for i := range accepted {
		tasks[accepted[i].TaskID], known[fold(accepted[i].HandoffID)] = true, true
	}
	for i := range accepted {
		if s := &accepted[i]; s.ParentHandoffID != "" && !known[fold(s.ParentHandoffID)] {
			l.postponed[s.TaskID], tasks[s.TaskID] = true, false
		}
	}
	l.addTasks(tasks, accepted)
}

// addPostponed adds tasks together with parents in other tasks.
func (l *ledger) addPostponed(r audit.Reader, ids []string) error {
	accepted, err := audit.List(r, audit.Filter{Tasks: ids, Events: []audit.Event{audit.Accepted}})
	if err != nil {
		return err
	}
	accepted = trace.Last(accepted)
	parents, err := trace.Parents(r, accepted)
	if err != nil {
		return err
	}
	tasks := map[string]bool{}
	for _, id := range ids {
		tasks[id] = true
	}
	l.addTasks(tasks, append(accepted, parents...))
	return nil
}

// addTasks adds some of the tasks of acceptances. tasks has exact spellings of ids: a UUID in upper case and
// in lower case is one task, of which only one spelling may be postponed.
func (l *ledger) addTasks(tasks map[string]bool, accepted []audit.Stored) {
	checker := chain.New(l.off)
	for i := range accepted {
		checker.Add(trace.Outline(&accepted[i]))
	}
	for _, t := range checker.Tasks() {
		for n := range t.Nodes() {
			if tasks[n.TaskID] {
				l.add(t.ID, n)
			}
		}
	}
}

func fold(id string) string { return strings.ToLower(id) }

// add adds a handoff, if it was accepted within the limits. Its parent may be older.
func (l *ledger) add(task string, n *chain.Node) {
	if n.Time.Before(l.o.Since) || !l.o.Until.IsZero() && !n.Time.Before(l.o.Until) {
		return
	}
	step := n.Step.Spendable()
	step.RemainingUSD = message.Decimal{}
	l.total.add(step)
	k := l.key(task, n)
	sum := l.sums[k]
	if sum == nil {
		sum = &Sum{Name: k.name, Receiver: k.receiver}
		l.sums[k] = sum
	}
	sum.add(step)
}

func (s *Sum) add(step chain.Cost) {
	s.Handoffs++
	s.Cost = s.Cost.Plus(step)
}

func (l *ledger) key(task string, n *chain.Node) key {
	switch l.o.By {
	case Task:
		return key{name: task}
	case Day:
		return key{name: n.Time.UTC().Format(time.DateOnly)}
	case Pair:
		return key{n.From, n.To}
	default:
		return key{name: n.From}
	}
}

func (l *ledger) bill() Bill {
	b := Bill{Total: l.total}
	for _, s := range l.sums {
		b.Sums = append(b.Sums, *s)
	}
	slices.SortFunc(b.Sums, func(x, y Sum) int {
		byName := cmp.Or(strings.Compare(x.Name, y.Name), strings.Compare(x.Receiver, y.Receiver))
		if l.o.By == Day {
			return byName
		}
		return cmp.Or(y.Cost.SpentUSD.Cmp(x.Cost.SpentUSD), byName)
	})
	return b
}
