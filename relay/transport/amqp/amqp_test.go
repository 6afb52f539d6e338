package amqp_test

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"net"
	"net/url"
	"os"
	"strings"
	"testing"
	"time"

	client "github.com/rabbitmq/amqp091-go"

	"github.com/eaapl/handoff/relay/transport"
	"github.com/eaapl/handoff/relay/transport/amqp"
	"github.com/eaapl/handoff/relay/transport/transporttest"
)

const server = "127.0.0.1:5672"

// admin returns a separate channel of the tests.
func admin(t testing.TB) *client.Channel {
	t.Helper()
	conn, err := client.Dial("amqp://guest:guest@" + server)
	if err != nil {
		t.Skipf("no RabbitMQ server at %s: %v", server, err)
	}
	t.Cleanup(func() { conn.Close() })
	channel, err := conn.Channel()
	if err != nil {
		t.Fatal(err)
	}
	return channel
}

// newAddress returns a place for one test, whose queues are removed at its end.
func newAddress(t testing.TB, channel *client.Channel) *url.URL {
	t.Helper()
	queue := "test." + rand.Text()
	t.Cleanup(func() {
		names := []string{"", ".dead"}
		for _, sender := range []string{"me", "sender", "sender-a", "sender-b"} {
			names = append(names, ".answers."+sender)
		}
		for delay := 100; delay < 1000; delay *= 2 {
			names = append(names, fmt.Sprint(".later.", delay))
		}
		for _, name := range names {
			if _, err := channel.QueueDelete(queue+name, false, false, false); err != nil {
				t.Error(err)
			}
		}
	})
	return &url.URL{Scheme: "amqp", Host: server, Path: "/" + queue}
}

func newPlace(channel *client.Channel, u *url.URL) transporttest.Place {
	return transporttest.Place{
		Publisher: func(t *testing.T) transport.Publisher { return publisher(t, u) },
		Consumer:  func(t *testing.T) transport.Consumer { return consumer(t, u) },
		Withholding: func(t *testing.T) transport.Consumer {
			return transporttest.Open(t, amqp.Consume, u, transport.Options{Withhold: true})
		},
		Kill:  func(t *testing.T) { transporttest.Kill(t, os.Args[0], u.String()) },
		Limit: 128 << 20, // unless the server has another setting
		DeadLetters: func(t *testing.T) (bodies [][]byte) {
			for _, d := range messages(t, channel, u.Path[1:]+".dead") {
				bodies = append(bodies, d.Body)
			}
			return bodies
		},
	}
}

func publisher(t testing.TB, u *url.URL) transport.Publisher {
	t.Helper()
	return transporttest.Open(t, amqp.Publish, u, transport.Options{})
}

func consumer(t testing.TB, u *url.URL) transport.Consumer {
	t.Helper()
	return transporttest.Open(t, amqp.Consume, u, transport.Options{})
}

// messages returns the messages of a queue, and removes them.
func messages(t testing.TB, channel *client.Channel, queue string) (list []client.Delivery) {
	t.Helper()
	for {
		d, ok, err := channel.Get(queue, true)
		if err != nil {
			t.Fatal(err)
		}
		if !ok {
			return list
		}
		list = append(list, d)
	}
}

func TestTransport(t *testing.T) {
	channel := admin(t)
	transporttest.Run(t, func(t *testing.T) transporttest.Place { return newPlace(channel, newAddress(t, channel)) })
}

func TestHold(t *testing.T) {
	transporttest.Hold(t, os.Getenv(transporttest.HoldVariable), transport.Options{}, amqp.Consume)
}

func TestCuts(t *testing.T) {
	channel := admin(t)
	u := newAddress(t, channel)
	proxy := transporttest.NewProxy(t, server)
	u.Host = proxy.Address()
	transporttest.Cuts(t, proxy, newPlace(channel, u))
}

// TestQueuesThatAreThere checks that existing queues are used.
func TestQueuesThatAreThere(t *testing.T) {
	channel := admin(t)
	for _, arguments := range []client.Table{nil, {"x-queue-type": "quorum"}, {"x-max-length": 1000}} {
		u := newAddress(t, channel)
		if _, err := channel.QueueDeclare(u.Path[1:], true, false, false, false, arguments); err != nil {
			t.Fatal(err)
		}
		p, c := publisher(t, u), consumer(t, u)
		if _, err := p.Publish(t.Context(), transport.Message{Body: []byte("x")}); err != nil {
			t.Error(err)
		}
		if err := transporttest.Next(t, c).Ack(t.Context()); err != nil {
			t.Error(err)
		}
		if err := errors.Join(p.Close(), c.Close()); err != nil {
			t.Error(err)
		}
	}
}

// TestRemoved checks that a removed queue is created again, for publishers and for consumers.
func TestRemoved(t *testing.T) {
	channel := admin(t)
	u := newAddress(t, channel)
	p, c := publisher(t, u), consumer(t, u)
	defer p.Close()
	defer c.Close()
	for i := range 2 {
		if _, err := channel.QueueDelete(u.Path[1:], false, false, false); err != nil {
			t.Fatal(err)
		}
		// RabbitMQ 3.10 confirms the deletion of a quorum queue before it deletes it; a queue that is created
		// under the same name in between has no leader.
		time.Sleep(time.Second)
		if _, err := p.Publish(t.Context(), transport.Message{Body: fmt.Append(nil, i)}); err != nil {
			t.Fatal(err)
		}
		d := transporttest.Next(t, c)
		if err := d.Ack(t.Context()); err != nil || string(d.Message().Body) != fmt.Sprint(i) {
			t.Errorf("%d: got %q, error %v", i, d.Message().Body, err)
		}
	}
}

// TestClosedOften checks that a message does not become a dead letter because receivers were closed more often
// than the server's limit of deliveries.
func TestClosedOften(t *testing.T) {
	channel := admin(t)
	u := newAddress(t, channel)
	_, err := channel.QueueDeclare(u.Path[1:], true, false, false, false, client.Table{
		"x-queue-type": "quorum", "x-delivery-limit": 12, "x-dead-letter-exchange": "", "x-dead-letter-routing-key": u.Path[1:] + ".dead",
	})
	if err != nil {
		t.Fatal(err)
	}
	p := publisher(t, u)
	defer p.Close()
	if _, err := p.Publish(t.Context(), transport.Message{Key: "k", Body: []byte("x")}); err != nil {
		t.Fatal(err)
	}
	for range 30 {
		c := consumer(t, u)
		if m := transporttest.Next(t, c).Message(); m.Key != "k" {
			t.Fatalf("got %+v", m)
		}
		if err := c.Close(); err != nil {
			t.Fatal(err)
		}
	}
	if list := messages(t, channel, u.Path[1:]+".dead"); len(list) != 0 {
		t.Errorf("dead letters: %v", list)
	}
}

// TestForeignMessages checks that a message published by another client is delivered, and that bodies that are
// too long are dead letters.
func TestForeignMessages(t *testing.T) {
	channel := admin(t)
	u := newAddress(t, channel)
	c, err := amqp.Consume(t.Context(), u, transport.Options{MaxBytes: 10})
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	for _, m := range []client.Publishing{
		{Body: make([]byte, 11), MessageId: "1"},
		{Body: []byte("a"), Headers: client.Table{"Handoff-Attempt": int32(3), "Idempotency-Key": client.Table{"a": "b"}, "handoff-kind": []byte("answer")}},
		{},
	} {
		if err := channel.Publish("", u.Path[1:], true, false, m); err != nil {
			t.Fatal(err)
		}
	}
	for _, want := range []transport.Message{{Body: []byte("a"), Kind: transport.Answer}, {}} {
		if m := transporttest.Next(t, c).Message(); string(m.Body) != string(want.Body) || m.Kind != want.Kind || m.Attempt != 0 || m.Key != "" {
			t.Errorf("got %+v, want %+v", m, want)
		}
	}
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	for ctx.Err() == nil {
		if list := messages(t, channel, u.Path[1:]+".dead"); len(list) == 1 {
			if list[0].Headers["Handoff-Reason"] == nil || list[0].MessageId != "1" {
				t.Errorf("the dead letter is %+v", list[0])
			}
			return
		}
	}
	t.Error("no dead letter")
}

// TestReturnedForLater checks that a message that was returned for later is on the server, and is delivered
// after the consumer that returned it has gone.
func TestReturnedForLater(t *testing.T) {
	channel := admin(t)
	u := newAddress(t, channel)
	p, first := publisher(t, u), consumer(t, u)
	defer p.Close()
	if _, err := p.Publish(t.Context(), transport.Message{Key: "k", Body: []byte("x")}); err != nil {
		t.Fatal(err)
	}
	d := transporttest.Next(t, first)
	if err := errors.Join(d.Return(t.Context(), 700*time.Millisecond), d.Ack(t.Context()), first.Close()); err != nil {
		t.Fatal(err)
	}
	if q, err := channel.QueueDeclarePassive(u.Path[1:]+".later.800", true, false, false, false, nil); err != nil || q.Messages > 1 {
		t.Errorf("for later: %+v, error %v", q, err)
	}
	second := consumer(t, u)
	defer second.Close()
	if m := transporttest.Next(t, second).Message(); m.Key != "k" || string(m.Body) != "x" {
		t.Errorf("got %+v", m)
	}
}

func TestAddresses(t *testing.T) {
	admin(t)
	free, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	nobody := free.Addr().String()
	free.Close()
	long := strings.Repeat("q", 183)
	for address, want := range map[string]string{
		"amqp://u:secret@" + server + "/":             "amqp://" + server + "/: the path is not /QUEUE or /VHOST/QUEUE",
		"amqp://u:secret@" + server + "/a/b/c":        "the path is not /QUEUE or /VHOST/QUEUE",
		"amqp://u:secret@" + server + "//b":           "the path is not /QUEUE or /VHOST/QUEUE",
		"amqp://u:secret@" + server + "/" + long:      "the name of the queue has 183 bytes, more than the limit of 182",
		"amqp://u:secret@" + server + "/amq.x":        "reserved for the server",
		"amqp://u:secret@" + server + "/a?x=1":        "unknown parameter",
		"amqp://u:secret@" + nobody + "/a":            nobody + ": connection refused",
		"amqp://u:secret@" + server + "/a":            server + ": the server rejects this user or its password",
		"amqp://guest:guest@" + server + "/nobody/a":  server + ": the server denies this user access to the virtual host",
		"amqps://u:secret@no-such-host.invalid/queue": "no-such-host.invalid:5671: no-such-host.invalid: no such host",
	} {
		u, err := url.Parse(address)
		if err != nil {
			t.Fatal(err)
		}
		patience := time.Minute // a server takes seconds to reject a password
		if u.Host != server {
			patience = 500 * time.Millisecond
		}
		ctx, cancel := context.WithTimeout(t.Context(), patience)
		defer cancel()
		_, err = amqp.Publish(ctx, u, transport.Options{})
		if err == nil || !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "secret") {
			t.Errorf("%s: got %v", address, err)
		}
	}
}

// TestVirtualHosts checks that the first of two names in the path is the virtual host.
func TestVirtualHosts(t *testing.T) {
	channel := admin(t)
	u := newAddress(t, channel)
	u, err := url.Parse("amqp://guest:guest@" + server + "/%2F" + u.Path)
	if err != nil {
		t.Fatal(err)
	}
	p := publisher(t, u)
	defer p.Close()
	if _, err := p.Publish(t.Context(), transport.Message{Body: []byte("x")}); err != nil {
		t.Fatal(err)
	}
	if list := messages(t, channel, strings.Trim(u.Path, "/")); len(list) != 1 {
		t.Errorf("got %v", list)
	}
}

func BenchmarkTransport(b *testing.B) {
	u := newAddress(b, admin(b))
	p := publisher(b, u)
	transporttest.Benchmark(b, p, consumer(b, u))
}
