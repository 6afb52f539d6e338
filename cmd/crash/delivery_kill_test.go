package crash

import (
	"bytes"
	"errors"
	"flag"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/eaapl/handoff/internal/programtest"
	"github.com/eaapl/handoff/internal/tier"
	"github.com/eaapl/handoff/relay/audit"
	"github.com/eaapl/handoff/relay/audit/sqlstore"
	"github.com/eaapl/handoff/relay/audit/storetest"
	"github.com/eaapl/handoff/relay/intake"
)

// Flags for longer runs: docs/delivery.md has figures for 100,000 messages, and for killed servers.
var (
	deliverMessages = flag.Int("messages", tier.Count(60, 400), "number of messages that TestDeliveryKilled sends by each transport")
	deliverServer   = flag.String("server", "", "`COMMAND` that starts the server of the transport, which TestDeliveryKilled kills and restarts")
	deliverAt       = flag.String("server-at", "", "`HOST:PORT` of that server")
	deliverLife     = flag.Duration("server-life", 4*time.Second, "maximum life of that server after it listens, at least 1s: more for a server that starts slowly")
	deliverIdle     = flag.Duration("idle", 5*time.Second, "time without a message after which all are delivered, with FULL_TESTS=1: longer than a transport needs to detect dead receivers")
	deliverPlace    = flag.String("place", "", "`URL` of another place, for TestDeliveryKilled/place: of a transport with a helper")
)

// places are the transports under test, each with a function that returns the address of a new
// place. It skips the test if the server does not run.
var places = map[string]func(*testing.T) string{
	"dir":    func(t *testing.T) string { return "dir:" + filepath.Join(t.TempDir(), "queue") },
	"sqlite": func(t *testing.T) string { return "sqlite:" + filepath.Join(t.TempDir(), "queue.db") + "?queue=tasks" },
	"postgres": func(t *testing.T) string {
		if *deliverAt != "" { // not created yet
			return "postgres://postgres@" + *deliverAt + "/postgres?sslmode=disable&queue=tasks"
		}
		return storetest.Postgres(t) + "&queue=tasks"
	},
	"nats": func(t *testing.T) string {
		return "nats://" + serverAt(t, "NATS", "127.0.0.1:4222") + "/test." + programtest.UniqueName()
	},
	"redis": func(t *testing.T) string {
		return "redis://" + serverAt(t, "Redis", "127.0.0.1:6379") + "/0/test-" + programtest.UniqueName()
	},
	"amqp": func(t *testing.T) string {
		return "amqp://guest:guest@" + serverAt(t, "RabbitMQ", "127.0.0.1:5672") + "/test-" + programtest.UniqueName()
	},
	"place": func(t *testing.T) string {
		if *deliverPlace == "" {
			t.Skip("no -place was named")
		}
		return *deliverPlace
	},
	"http": func(t *testing.T) string {
		listener, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			t.Fatal(err)
		}
		defer listener.Close()
		return "http://" + listener.Addr().String() + "/handoffs"
	},
}

// serverAt returns the address of the server to kill, if one was named, or else address. It skips the test if
// no server listens.
func serverAt(t *testing.T, name, address string) string {
	if *deliverAt != "" {
		return *deliverAt
	}
	return programtest.Server(t, name, address)
}

// TestDeliveryKilled kills senders, receivers and, with -server, the server of the transport at random
// moments. It checks that no message is lost or accepted twice, that every accepted one is handed over, and
// again only if it was in flight when its receiver was killed, that each was recorded as dispatched once, and
// that the outbox is empty.
func TestDeliveryKilled(t *testing.T) {
	for name, place := range places {
		t.Run(name, func(t *testing.T) {
			t.Parallel() // the tests wait for the end of leases
			deliveryKilled(t, place(t), name == "http")
		})
	}
}

// A killing is one run of TestDeliveryKilled.
type killing struct {
	*testing.T
	to, dir  string
	log      string
	killed   atomic.Int64 // receivers
	servers  atomic.Int64 // number of times the server was killed
	sent     atomic.Bool  // all senders have ended
	mu       sync.Mutex
	passed   map[string]int
	messages int
	one      bool // the transport has only one receiver
	away     bool // senders may not reach the transport
}

func deliveryKilled(t *testing.T, to string, one bool) {
	const senders = 3
	receivers := 3
	if one { // only one can listen
		receivers = 1
	}
	k := &killing{T: t, to: to, dir: t.TempDir(), passed: map[string]int{}, messages: *deliverMessages, one: one, away: one || *deliverServer != ""}
	k.log = filepath.Join(k.dir, "audit.db")
	lines := bytes.SplitAfter(acceptedStream(t, k.messages), []byte("\n"))
	stop := k.server()
	var sending, receiving sync.WaitGroup
	for i := range senders {
		var part []byte
		for j := i; j < k.messages; j += senders {
			part = append(part, lines[j]...)
		}
		sending.Go(func() { k.send(i, part) })
	}
	for range receivers {
		receiving.Go(k.receive)
	}
	sending.Wait()
	k.sent.Store(true)
	receiving.Wait()
	stop()

	var out bytes.Buffer
	receive := func(args ...string) *exec.Cmd {
		c := k.receiver(args...)
		c.Stdout = &out
		return c
	}
	receiveUntil(t, receive, func() bool { return len(k.recorded(audit.HandedOver)) == k.messages })
	if tier.Full() { // wait for redelivered messages
		idle := *deliverIdle
		if *deliverServer != "" {
			idle *= 3 // PostgreSQL waits longer after a start
		}
		if c := receive("--idle-timeout", idle.String()); c.Run() != nil {
			t.Errorf("%s: %v", c.Args, c.ProcessState)
		}
	}
	k.count(out.Bytes())
	again := 0
	for _, n := range k.passed {
		again += n - 1
	}
	t.Logf("%d receivers and %d servers were killed; %d messages were handed over again", k.killed.Load(), k.servers.Load(), again)
	if len(k.passed) != k.messages {
		t.Errorf("%d messages were handed over, want %d", len(k.passed), k.messages)
	}
	if most := int(k.killed.Load()) * intake.GroupMessages; again > most {
		t.Errorf("%d messages were repeated, and at most %d were in flight", again, most)
	}
	checkAccepted(t, k.log, k.messages)
	k.checkDispatched()
	for i := range senders {
		if out := programtest.Run(t, "outbox", "list", "--store", k.store(i), "--audit-log", k.log, "-f", "json"); strings.Contains(out, `"state"`) {
			t.Errorf("messages remain in the outbox of sender %d: %s", i, out)
		}
	}
}

func (k *killing) store(sender int) string {
	return filepath.Join(k.dir, fmt.Sprintf("state-%d.db", sender))
}

// send sends messages by processes that are killed, until one has sent all remaining messages.
func (k *killing) send(sender int, text []byte) {
	checkpoint := filepath.Join(k.dir, fmt.Sprintf("checkpoint-%d.json", sender))
	if err := os.WriteFile(checkpoint, []byte(`{"step": 4}`), 0o600); err != nil {
		k.Error(err)
		return
	}
	for range tier.Count(1, 8) {
		c := exec.Command("handoff", "send", "-q", "--to", k.to, "--checkpoint", checkpoint, "--store", k.store(sender), "--audit-log", k.log)
		c.Stdin = slowly(text)
		k.killSoon(c, max(400*time.Millisecond, time.Duration(k.messages)*time.Millisecond/5))
	}
	for range 20 { // the server may be down
		c := exec.Command("handoff", "send", "-q", "--to", k.to, "--checkpoint", checkpoint, "--store", k.store(sender), "--audit-log", k.log)
		c.Stdin = bytes.NewReader(text)
		err := c.Run()
		for err != nil {
			if err = exec.Command("handoff", "outbox", "flush", "--store", k.store(sender), "--audit-log", k.log).Run(); err != nil {
				break
			}
		}
		if err == nil {
			return
		}
	}
	k.Errorf("sender %d could not send all", sender)
}

// receive receives messages by processes that are killed, until all were sent and none has arrived for a
// while.
func (k *killing) receive() {
	within := time.Duration(k.messages) * time.Millisecond / 20
	if k.one { // while it is down, senders postpone all their messages
		within *= 4
	}
	within = max(time.Duration(tier.Count(500, 1500))*time.Millisecond, within)
	for !k.sent.Load() {
		out, killed := k.killSoon(k.receiver(), within)
		within *= time.Duration(tier.Count(2, 1)) // so that some processes live long enough on a slow machine
		if killed {
			k.killed.Add(1)
		}
		k.count(out)
	}
}

func (k *killing) receiver(args ...string) *exec.Cmd {
	return exec.Command("handoff", append([]string{"receive", "-q", k.to, "--audit-log", k.log, "--lease", "1s"}, args...)...)
}

// killSoon runs a program, kills it within a while, and returns its output.
func (k *killing) killSoon(c *exec.Cmd, within time.Duration) (out []byte, killed bool) {
	var stdout, stderr bytes.Buffer
	c.Stdout, c.Stderr = &stdout, &stderr
	if err := c.Start(); err != nil {
		k.Error(err)
		return nil, false
	}
	timer := time.AfterFunc(time.Duration(rand.Int64N(int64(within))), func() { _ = c.Process.Kill() })
	err := c.Wait()
	killed = !timer.Stop()
	if exit := (*exec.ExitError)(nil); err != nil && !killed && !(errors.As(err, &exit) && k.away) && !errors.Is(err, io.ErrClosedPipe) {
		k.Errorf("%s: %v\n%s", c.Args, err, stderr.String())
	}
	return stdout.Bytes(), killed
}

func (k *killing) count(out []byte) {
	k.mu.Lock()
	defer k.mu.Unlock()
	for line := range bytes.SplitSeq(out, []byte("\n")) {
		if id, ok := idOf(line); ok {
			k.passed[id]++
		}
	}
}

// server starts the server to kill, if there is one, and kills it repeatedly. The returned
// function ends that and leaves the server running until the test ends.
func (k *killing) server() (stop func()) {
	if *deliverServer == "" {
		return func() {}
	}
	end, ended := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(ended)
		for over := false; !over; {
			c := exec.Command("sh", "-c", "exec "+*deliverServer)
			if err := c.Start(); err != nil {
				k.Error(err)
				return
			}
			gone := make(chan struct{})
			go func() {
				defer close(gone)
				_ = c.Wait()
			}()
			k.untilListens(gone)
			select {
			case <-gone: // the killed process may still block it for a moment
				time.Sleep(100 * time.Millisecond)
				continue
			case <-end:
				over = true
				k.Cleanup(func() {
					_ = c.Process.Kill()
					<-gone
				})
				continue
			case <-time.After(time.Second + rand.N(max(*deliverLife-time.Second, 1))):
			}
			_ = c.Process.Kill()
			<-gone
			k.servers.Add(1)
		}
	}()
	return func() {
		close(end)
		<-ended
	}
}

// untilListens waits until the server listens or has ended.
func (k *killing) untilListens(gone <-chan struct{}) {
	for {
		select {
		case <-gone:
			return
		case <-time.After(20 * time.Millisecond):
		}
		if conn, err := net.Dial("tcp", *deliverAt); err == nil {
			conn.Close()
			return
		}
	}
}

// recorded returns the number of records of an event for each message.
func (k *killing) recorded(event audit.Event) map[string]int {
	s, err := sqlstore.Open(k.Context(), k.log, sqlstore.Options{})
	if err != nil {
		k.Fatal(err)
	}
	defer s.Close()
	recorded := map[string]int{}
	err = s.View(k.Context(), func(r audit.Reader) error {
		for record, err := range r.Records(audit.Filter{Events: []audit.Event{event}}) {
			if err != nil {
				return err
			}
			recorded[record.HandoffID]++
		}
		return nil
	})
	if err != nil {
		k.Fatal(err)
	}
	return recorded
}

// checkDispatched checks that each message was recorded as dispatched once.
func (k *killing) checkDispatched() {
	dispatched := k.recorded(audit.Dispatched)
	if len(dispatched) != k.messages {
		k.Errorf("%d messages were recorded as dispatched, want %d", len(dispatched), k.messages)
	}
	for id, n := range dispatched {
		if n != 1 {
			k.Errorf("%s was recorded as dispatched %d times", id, n)
		}
	}
}
