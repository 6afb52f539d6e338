package simulation

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"modernc.org/sqlite"

	"github.com/eaapl/handoff/pkg/jsonstream"
	"github.com/eaapl/handoff/relay/audit"
	"github.com/eaapl/handoff/relay/deliver"
	"github.com/eaapl/handoff/relay/transport"
)

// disk has the senders' store, in an SQLite file that schedules use one after the other.
type disk struct {
	path    string
	look    *sql.DB // the connection of the simulation itself
	queries map[string]*sql.Stmt
	mu      sync.Mutex
	opening *life // the process that opens connections now; nil for the simulation
}

// disks are all disks, by path.
var disks sync.Map

// hookConnections makes the life of a process decide about the end of each transaction on a disk. Nothing waits
// for a real disk: the effect of a machine's crash on SQLite is not simulated.
var hookConnections = sync.OnceFunc(func() {
	sqlite.RegisterConnectionHook(func(conn sqlite.ExecQuerierContext, dsn string) error {
		path, _, _ := strings.Cut(strings.TrimPrefix(dsn, "file:"), "?")
		d, ok := disks.Load(path)
		if !ok {
			return nil
		}
		of := d.(*disk)
		of.mu.Lock()
		l := of.opening
		of.mu.Unlock()
		if l != nil {
			conn.(sqlite.HookRegisterer).RegisterCommitHook(l.commit)
		}
		_, err := conn.ExecContext(context.Background(), "PRAGMA synchronous = off", nil)
		return err
	})
})

func newDisk(t *testing.T) *disk {
	hookConnections()
	d := &disk{path: filepath.Join(t.TempDir(), "state.db")}
	disks.Store(d.path, d)
	s, err := deliver.Open(t.Context(), d.path, deliver.Options{Create: true})
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	if d.look, err = sql.Open("sqlite", "file:"+d.path); err != nil {
		t.Fatal(err)
	}
	d.look.SetMaxOpenConns(1)
	d.queries = map[string]*sql.Stmt{}
	for _, query := range []string{hasQuery, answeredQuery, openQuery} {
		if d.queries[query], err = d.look.Prepare(query); err != nil {
			t.Fatal(err)
		}
	}
	t.Cleanup(func() { d.look.Close() })
	return d
}

// wipe removes all data from a disk.
func (d *disk) wipe() error {
	_, err := d.look.Exec("BEGIN IMMEDIATE; DELETE FROM delivery_handoff; DELETE FROM delivery_checkpoint; DELETE FROM delivery_chunk; COMMIT")
	return err
}

// The queries of the simulation to the store.
const (
	hasQuery      = "SELECT count(*) FROM delivery_handoff AS h JOIN delivery_checkpoint AS c ON c.digest = h.checkpoint WHERE h.handoff_id = ?"
	answeredQuery = "SELECT count(*) FROM delivery_handoff WHERE handoff_id = ? AND answer <> ''"
	openQuery     = "SELECT count(*) FROM delivery_handoff WHERE state IN ('WAITING', 'DISPATCHED', 'ROLLING_BACK') OR next_at IS NOT NULL OR claimed <> '' OR settle = 1"
)

func (d *disk) count(query string, args ...any) (n int, err error) {
	err = d.queries[query].QueryRow(args...).Scan(&n)
	return n, err
}

// has reports whether the message of a handoff and its checkpoint are durable.
func (d *disk) has(handoff string) (bool, error) {
	n, err := d.count(hasQuery, handoff)
	return n > 0, err
}

// answered reports whether a handoff, or another one with its id, has an answer.
func (d *disk) answered(handoff string) (bool, error) {
	n, err := d.count(answeredQuery, handoff)
	return n > 0, err
}

// host is a machine of the sender, which runs commands, one process at a time.
type host struct {
	world   *world
	name    string
	log     *memory
	lives   int
	life    *life // nil if it is down
	started int   // commands
	full    bool  // its disk
}

// life is a process of a host.
type life struct {
	*process
	host  *host
	store *deliver.Store
	busy  map[string]bool // running commands
	dieIn int             // number of the commit at which it dies; 0 for none
	after bool            // it dies after the commit
}

// commit is called for each transaction of a life, and reports whether it is rolled back.
func (l *life) commit() int32 {
	w := l.world
	w.mu.Lock()
	ended, full := l.ended, l.host.full
	l.dieIn--
	die := l.dieIn == 0 && !w.calm
	w.mu.Unlock()
	switch {
	case ended || full:
		return 1
	case die:
		l.kill("it dies while it commits")
		if !l.after {
			return 1
		}
	}
	return 0
}

// start starts a process. The world calls it.
func (h *host) start() error {
	w := h.world
	h.lives++
	l := &life{process: w.newProcess(fmt.Sprintf("%s.%d", h.name, h.lives), w.plan.skewOf(w)), host: h, busy: map[string]bool{}}
	w.disk.mu.Lock()
	w.disk.opening = l
	w.disk.mu.Unlock()
	var err error
	l.store, err = deliver.Open(context.Background(), w.disk.path, deliver.Options{})
	if err != nil {
		return err
	}
	if !w.calm && w.chance(w.plan.commits) {
		l.dieIn, l.after = 1+w.rng.IntN(8), w.chance(0.5)
	}
	l.bury = func() { _ = l.store.Close() } // remaining commands get errors
	h.life = l
	return nil
}

// command runs a command with a sender of the host's process, concurrently with others.
func (h *host) command(name string, run func(ctx context.Context, s *deliver.Sender) error) {
	l, w := h.life, h.world
	h.started++
	name = fmt.Sprintf("%s#%d", name, h.started)
	w.mu.Lock()
	l.busy[name] = true
	w.note("%s: %s begins", l.name, name)
	w.mu.Unlock()
	s := deliver.NewSender(l.store, audit.NewLog(&processLog{handle: handle{memory: h.log}, process: l.process}, l.now), deliver.SenderOptions{
		Open: func(ctx context.Context, address string) (transport.Publisher, error) {
			return l.connect(ctx, w.place(address))
		},
		Transport: func(string) string { return "memory" },
		FollowUp:  true,
		Now:       l.now,
	})
	go func() {
		err := run(l.ctx, s)
		err = errors.Join(err, s.Close())
		_, _ = l.step(l.ctx, fmt.Sprintf("%s ends: %v", name, err))
		w.mu.Lock()
		defer w.mu.Unlock()
		delete(l.busy, name)
	}()
}

// send sends a version of an order's message.
func (h *host) send(orders ...*order) {
	l, w := h.life, h.world
	var list []*deliver.Outgoing
	for _, o := range orders {
		out, err := l.store.Examine(jsonstream.NewRaw(o.versions[o.version]), jsonstream.Limits{})
		if err != nil {
			panic(err)
		}
		out.Checkpoint, out.To = o.checkpoint, o.to
		list = append(list, out)
		w.sending(o)
	}
	h.command("send", func(ctx context.Context, s *deliver.Sender) error {
		defer w.sendEnded(orders)
		results, err := s.Send(ctx, list)
		if err == nil {
			w.sent(l.process, results)
		}
		return err
	})
}

// flush acts like "outbox flush".
func (h *host) flush() {
	l := h.life
	h.command("flush", func(ctx context.Context, s *deliver.Sender) error {
		if err := l.store.Hasten(ctx, l.now()); err != nil {
			return err
		}
		if err := s.Flush(ctx, func([]*deliver.Handoff) error { return nil }); err != nil {
			return err
		}
		places, err := l.store.Unanswered(ctx, l.now())
		if err != nil {
			return err
		}
		err = s.Sweep(ctx, places)
		return errors.Join(err, s.Settle(ctx))
	})
}

// status acts like "status".
func (h *host) status(o *order) {
	l := h.life
	h.command("status", func(ctx context.Context, s *deliver.Sender) error {
		list, err := l.store.Find(ctx, o.id)
		if err != nil {
			return err
		}
		err = s.SweepFor(ctx, list)
		return errors.Join(err, s.Settle(ctx))
	})
}

// rollBack acts like "rollback".
func (h *host) rollBack(o *order, receiver string, force bool, patience time.Duration) {
	l, w := h.life, h.world
	name := "rollback of " + o.id + " " + receiver
	if force {
		name += " by force"
	}
	begun := w.sendsOf(o)
	h.command(name, func(ctx context.Context, s *deliver.Sender) error {
		until, cancel := context.WithTimeout(ctx, patience)
		defer cancel()
		checkpoint, err := s.Rollback(ctx, until, deliver.Rollback{HandoffID: o.id, Receiver: receiver, Force: force})
		if checkpoint != nil {
			w.rolledBack(l.process, o, receiver, force, checkpoint, begun)
		}
		return err
	})
}

// processLog is the log of a process.
type processLog struct {
	handle
	process   *process
	uncertain bool // like PostgreSQL, it may lose the connection during a commit
}

var errFull = errors.New("no space left on device")

func (l *processLog) Update(ctx context.Context, f func(audit.Tx) error) error {
	p, w := l.process, l.process.world
	can := []fate{fails, dies, diesAfter}
	if l.uncertain {
		can = append(can, unheard)
	}
	what, err := p.step(ctx, "writes to its log: "+appender(), can...)
	switch {
	case err != nil:
		return err
	case what == dead:
		return errDead
	case what == fails && l.uncertain && w.chanceOf(0.5):
		return &audit.UncertainError{Err: errBroken}
	case what == fails || p.down:
		return errFull
	}
	var added []audit.Stored
	err = l.update(func(tx audit.Tx) error {
		before := len(l.state.records)
		err := f(tx)
		added = l.state.records[before:]
		return err
	}, func() bool { return what != dies })
	if err == nil && what != dies {
		w.recorded(l.memory, p, added)
	}
	switch {
	case what == dies || what == diesAfter:
		p.kill("it dies")
		return errDead
	case err == nil && what == unheard:
		return &audit.UncertainError{Err: errBroken}
	}
	return err
}

// appender returns the method that appends to the log; several goroutines of a process may append at the same
// time.
func appender() string {
	var callers [6]uintptr
	frames := runtime.CallersFrames(callers[:runtime.Callers(3, callers[:])])
	for {
		frame, more := frames.Next()
		if !strings.HasSuffix(frame.Function, "audit.(*Log).Append") {
			return frame.Function[strings.LastIndex(frame.Function, ".")+1:]
		}
		if !more {
			return ""
		}
	}
}

func (l *processLog) View(ctx context.Context, f func(audit.Reader) error) error {
	switch {
	case ctx.Err() != nil:
		return ctx.Err()
	case l.process.isEnded():
		return errDead
	case l.process.down:
		return errBroken
	}
	return l.view(f)
}

func (l *processLog) Instance(ctx context.Context) (string, error) {
	l.instance = l.process.name
	p := l.process
	p.world.mu.Lock()
	p.atEnd = append(p.atEnd, func() { _ = l.handle.Close() })
	p.world.mu.Unlock()
	return l.handle.Instance(ctx)
}

func (*processLog) Close() error { return nil }

func (p *process) isEnded() bool {
	p.world.mu.Lock()
	defer p.world.mu.Unlock()
	return p.ended
}

func (w *world) chanceOf(p float64) bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.chance(p)
}

// open returns the number of handoffs with further events.
func (d *disk) open() (int, error) { return d.count(openQuery) }
