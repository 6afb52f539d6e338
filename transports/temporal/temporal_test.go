package temporal

import (
	"bufio"
	"context"
	"fmt"
	"net/url"
	"os"
	"os/exec"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/eaapl/handoff/relay/transport"
	"github.com/eaapl/handoff/relay/transport/transporttest"
)

// testServer is the variable with the path of the built program in the folder testserver. It takes minutes to
// build, because it is a whole server.
const testServer = "HANDOFF_TEMPORAL_SERVER"

// server is the address of the server, and its namespace; "" without one.
var server, namespace string

func TestMain(m *testing.M) {
	os.Exit(run(m))
}

func run(m *testing.M) int {
	if path := os.Getenv(testServer); path != "" {
		c := exec.Command(path)
		stdin, err := c.StdinPipe()
		if err != nil {
			panic(err)
		}
		stdout, err := c.StdoutPipe()
		if err != nil {
			panic(err)
		}
		if err := c.Start(); err != nil {
			panic(err)
		}
		defer func() {
			stdin.Close()
			_ = c.Wait() // after its tests
		}()
		line, err := bufio.NewReader(stdout).ReadString('\n')
		if err != nil {
			panic(err)
		}
		server, namespace, _ = strings.Cut(strings.TrimSpace(line), " ")
	}
	return m.Run()
}

var places sync.Map // named after the test

// newPlace returns the address of a new workflow.
func newPlace(t *testing.T) *url.URL {
	if server == "" {
		t.Skip(testServer + " does not name a Temporal server: go build ./testserver makes one")
	}
	count, _ := places.LoadOrStore(t.Name(), new(int))
	n := count.(*int)
	*n++
	name := fmt.Sprintf("%s-%d", strings.NewReplacer("/", "-", " ", "-").Replace(t.Name()), *n)
	return &url.URL{Scheme: "temporal", Host: server, Path: "/" + namespace + "/" + name}
}

var short = transport.Options{Lease: time.Second}

func openPublisher(t *testing.T, u *url.URL) transport.Publisher {
	p, err := Publish(t.Context(), u, short)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func openConsumer(t *testing.T, u *url.URL) transport.Consumer {
	c, err := Consume(t.Context(), u, short)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func TestTransport(t *testing.T) {
	transporttest.Run(t, func(t *testing.T) transporttest.Place {
		u := newPlace(t)
		return transporttest.Place{
			Publisher: func(t *testing.T) transport.Publisher { return openPublisher(t, u) },
			Consumer:  func(t *testing.T) transport.Consumer { return openConsumer(t, u) },
			Limit:     maxSignal,
		}
	})
}

// TestAsk checks that a sender finds the newest answer with and without a running worker, even if it was given
// much later.
func TestAsk(t *testing.T) {
	u := newPlace(t)
	p := openPublisher(t, u)
	defer p.Close()
	asker := p.(transport.Asker)
	if answer, err := asker.Ask(t.Context(), "k"); err != nil || answer != nil {
		t.Fatalf("before it was sent: %v (%v)", answer, err)
	}
	if _, err := p.Publish(t.Context(), transport.Message{ID: "1", Key: "k", Body: []byte("x")}); err != nil {
		t.Fatal(err)
	}
	c := openConsumer(t, u)
	d, err := c.Next(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	answer := func(text string) transport.Message {
		return transport.Message{Key: "k", Kind: transport.Answer, Outcome: transport.Taken, Body: []byte(text)}
	}
	if err := d.Answer(t.Context(), answer("accepted")); err != nil {
		t.Fatal(err)
	}
	if err := d.Ack(t.Context()); err != nil {
		t.Fatal(err)
	}
	if err := c.Close(); err != nil {
		t.Fatal(err)
	}
	wait(t, asker, "accepted")
	c = openConsumer(t, u)
	if err := c.Reply(t.Context(), "sender", answer("completed")); err != nil {
		t.Fatal(err)
	}
	wait(t, asker, "completed")
	if err := c.Close(); err != nil {
		t.Fatal(err)
	}
	wait(t, asker, "completed")
}

// wait asks until the answer is the expected one.
func wait(t *testing.T, a transport.Asker, want string) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	for {
		answer, err := a.Ask(ctx, "k")
		if err != nil {
			t.Fatalf("waiting for %q: %v", want, err)
		}
		if answer != nil && string(answer.Body) == want {
			return
		}
		time.Sleep(10 * time.Millisecond)
	}
}

func TestAddress(t *testing.T) {
	for _, address := range []string{"temporal://h:1", "temporal://h:1/ns", "temporal://h:1/ns/", "temporal:///ns/w", "temporal://h:1/ns/w/x", "temporal://h:1/ns/w?sginal=x"} {
		u, err := url.Parse(address)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := dial(t.Context(), u); err == nil || !strings.Contains(err.Error(), "address") {
			t.Errorf("%s: %v", address, err)
		}
	}
}

func FuzzDecode(f *testing.F) {
	f.Add([]byte("Handoff-Kind: handoff\n\n{}"))
	f.Add([]byte("\n"))
	f.Fuzz(func(t *testing.T, text []byte) {
		m := decode(text)
		if again := decode(encode(&m)); string(again.Body) != string(m.Body) || again.Key != m.Key {
			t.Errorf("%+v came back as %+v", m, again)
		}
	})
}
