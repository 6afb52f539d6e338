package redis_test

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

	client "github.com/redis/go-redis/v9"

	"github.com/eaapl/handoff/relay/transport"
	"github.com/eaapl/handoff/relay/transport/redis"
	"github.com/eaapl/handoff/relay/transport/transporttest"
)

const server = "127.0.0.1:6379"

// options have a short lease.
var options = transport.Options{Lease: 3 * time.Second}

// admin returns a separate connection of the tests.
func admin(t testing.TB) *client.Client {
	t.Helper()
	c := client.NewClient(&client.Options{Addr: server})
	t.Cleanup(func() { c.Close() })
	if err := c.Ping(t.Context()).Err(); err != nil {
		t.Skipf("no Redis server at %s: %v", server, err)
	}
	return c
}

// newAddress returns a place for one test, whose keys are removed at its end.
func newAddress(t testing.TB, c *client.Client) *url.URL {
	t.Helper()
	stream := "test-" + rand.Text()
	t.Cleanup(func() {
		ctx := context.WithoutCancel(t.Context())
		for cursor := uint64(0); ; {
			keys, next, err := c.Scan(ctx, cursor, "*"+stream+"*", 10000).Result()
			if len(keys) > 0 && err == nil {
				err = c.Unlink(ctx, keys...).Err()
			}
			if err != nil {
				t.Error(err)
			}
			if cursor = next; cursor == 0 || err != nil {
				break
			}
		}
	})
	return &url.URL{Scheme: "redis", Host: server, Path: "/0/" + stream}
}

// key returns the name of a key beside the stream of an address.
func key(u *url.URL, what string) string { return "{" + u.Path[len("/0/"):] + "}:" + what }

func newPlace(c *client.Client, u *url.URL) transporttest.Place {
	return transporttest.Place{
		Publisher: func(t *testing.T) transport.Publisher { return publisher(t, u) },
		Consumer:  func(t *testing.T) transport.Consumer { return consumer(t, u) },
		Withholding: func(t *testing.T) transport.Consumer {
			o := options
			o.Withhold = true
			return transporttest.Open(t, redis.Consume, u, o)
		},
		Kill: func(t *testing.T) { transporttest.Kill(t, os.Args[0], u.String()) },
		DeadLetters: func(t *testing.T) (bodies [][]byte) {
			for _, entry := range entries(t, c, key(u, "dead")) {
				bodies = append(bodies, []byte(entry.Values["body"].(string)))
			}
			return bodies
		},
	}
}

func publisher(t testing.TB, u *url.URL) transport.Publisher {
	t.Helper()
	return transporttest.Open(t, redis.Publish, u, options)
}

func consumer(t testing.TB, u *url.URL) transport.Consumer {
	t.Helper()
	return transporttest.Open(t, redis.Consume, u, options)
}

func entries(t testing.TB, c *client.Client, key string) []client.XMessage {
	t.Helper()
	list, err := c.XRange(t.Context(), key, "-", "+").Result()
	if err != nil {
		t.Fatal(err)
	}
	return list
}

func TestTransport(t *testing.T) {
	c := admin(t)
	transporttest.Run(t, func(t *testing.T) transporttest.Place { return newPlace(c, newAddress(t, c)) })
}

func TestHold(t *testing.T) {
	transporttest.Hold(t, os.Getenv(transporttest.HoldVariable), options, redis.Consume)
}

func TestCuts(t *testing.T) {
	c := admin(t)
	u := newAddress(t, c)
	proxy := transporttest.NewProxy(t, server)
	u.Host = proxy.Address()
	transporttest.Cuts(t, proxy, newPlace(c, u))
}

// TestOneIDIsOneMessage checks that a message that is published twice is stored once.
func TestOneIDIsOneMessage(t *testing.T) {
	c := admin(t)
	u := newAddress(t, c)
	p := publisher(t, u)
	defer p.Close()
	for _, id := range []string{"1", "1", "", "", strings.Repeat("2", 1000), "1"} {
		if _, err := p.Publish(t.Context(), transport.Message{ID: id, Body: []byte("x")}); err != nil {
			t.Fatal(err)
		}
	}
	if list := entries(t, c, u.Path[len("/0/"):]); len(list) != 4 {
		t.Errorf("%d messages, want 1, two without an id, and 2: %v", len(list), list)
	}
}

// TestReturnedForLater checks that a message that was returned for later is on the server, and is delivered
// after the consumer that returned it has gone.
func TestReturnedForLater(t *testing.T) {
	c := admin(t)
	u := newAddress(t, c)
	p, first := publisher(t, u), consumer(t, u)
	defer p.Close()
	if _, err := p.Publish(t.Context(), transport.Message{ID: "1", Key: "k", Body: []byte("\x00\xff")}); err != nil {
		t.Fatal(err)
	}
	d, err := first.Next(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(d.Return(t.Context(), 100*time.Millisecond), d.Ack(t.Context()), first.Close()); err != nil {
		t.Fatal(err)
	}
	if list := entries(t, c, key(u, "later")); len(list) != 1 {
		t.Fatalf("for later: %v", list)
	}
	second := consumer(t, u)
	defer second.Close()
	d, err = second.Next(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if m := d.Message(); m.Key != "k" || string(m.Body) != "\x00\xff" {
		t.Errorf("got %+v", m)
	}
	if list := entries(t, c, key(u, "later")); len(list) != 0 {
		t.Errorf("still for later: %v", list)
	}
}

// TestNothingStays checks that acknowledged messages are removed, and that closed consumers are removed from
// the group.
func TestNothingStays(t *testing.T) {
	admin := admin(t)
	u := newAddress(t, admin)
	stream := u.Path[len("/0/"):]
	p, c := publisher(t, u), consumer(t, u)
	defer p.Close()
	for i := range 1000 {
		if _, err := p.Publish(t.Context(), transport.Message{Body: fmt.Append(nil, i)}); err != nil {
			t.Fatal(err)
		}
	}
	for i := range 1000 {
		d, err := c.Next(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		if i%10 != 0 {
			err = d.Ack(t.Context())
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	if err := c.Close(); err != nil {
		t.Fatal(err)
	}
	if _, err := c.Next(t.Context()); err == nil {
		t.Error("a message after the end")
	}
	pending, err := admin.XPending(t.Context(), stream, "handoff").Result()
	if err != nil || pending.Count != 0 {
		t.Errorf("pending: %+v, error %v", pending, err)
	}
	if list := entries(t, admin, stream); len(list) != 100 {
		t.Errorf("%d entries are there, want those that were not acknowledged", len(list))
	}
	if list, err := admin.XInfoConsumers(t.Context(), stream, "handoff").Result(); err != nil || len(list) != 0 {
		t.Errorf("consumers: %v, error %v", list, err)
	}
}

// TestForeignMessages checks that a message of another client is delivered, and that bodies that are too long
// are dead letters.
func TestForeignMessages(t *testing.T) {
	admin := admin(t)
	u := newAddress(t, admin)
	c, err := redis.Consume(t.Context(), u, transport.Options{MaxBytes: 10})
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	for _, fields := range [][]string{
		{"body", strings.Repeat("x", 11)}, {"payload", "a"}, {"one", "1", "two", "2"}, {"Handoff-Attempt", "-1", "body", "b"}, {"", ""},
	} {
		if err := admin.XAdd(t.Context(), &client.XAddArgs{Stream: u.Path[len("/0/"):], Values: fields}).Err(); err != nil {
			t.Fatal(err)
		}
	}
	for _, want := range []string{"a", "", "b", ""} {
		d, err := c.Next(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		if m := d.Message(); string(m.Body) != want || m.Attempt != 0 {
			t.Errorf("got %+v, want %q", m, want)
		}
	}
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	for len(entries(t, admin, key(u, "dead"))) != 1 {
		if ctx.Err() != nil {
			t.Fatal("no dead letter")
		}
	}
}

// TestCleared checks that a removed stream is created again.
func TestCleared(t *testing.T) {
	admin := admin(t)
	u := newAddress(t, admin)
	p, c := publisher(t, u), consumer(t, u)
	defer p.Close()
	defer c.Close()
	for i := range 2 {
		if err := admin.Del(t.Context(), u.Path[len("/0/"):]).Err(); err != nil {
			t.Fatal(err)
		}
		if _, err := p.Publish(t.Context(), transport.Message{Body: fmt.Append(nil, i)}); err != nil {
			t.Fatal(err)
		}
		d, err := c.Next(t.Context())
		if err != nil || string(d.Message().Body) != fmt.Sprint(i) {
			t.Fatalf("%d: got %v, error %v", i, d, err)
		}
	}
}

func TestAddresses(t *testing.T) {
	admin := admin(t)
	wrong := newAddress(t, admin)
	if err := admin.Set(t.Context(), wrong.Path[len("/0/"):], "x", 0).Err(); err != nil {
		t.Fatal(err)
	}
	free, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	nobody := free.Addr().String()
	free.Close()
	for address, want := range map[string]string{
		"redis://u:secret@" + server + "/handoffs":        "redis://" + server + "/handoffs: the path is not /DATABASE/STREAM",
		"redis://u:secret@" + server + "/0/":              "the path is not /DATABASE/STREAM",
		"redis://u:secret@" + server + "/-1/a":            "the path is not /DATABASE/STREAM",
		"redis://u:secret@" + server + "/0/a%7Bb":         "braces",
		"redis://u:secret@" + server + "/0/a?durable=yes": "only durable=require is supported",
		"redis://u:secret@" + server + "/0/a?x=1":         "unknown parameter",
		"redis://u:secret@" + nobody + "/0/a":             nobody + ": connection refused",
		"redis://u:secret@" + server + "/0/a":             server + ": the server rejects this user or its password",
		"redis://" + server + "/99999/a":                  server + ": ERR DB index is out of range",
		wrong.String():                                    server + ": WRONGTYPE",
		"redis://no-such-host.invalid/0/a":                "no-such-host.invalid:6379: no-such-host.invalid: no such host",
	} {
		u, err := url.Parse(address)
		if err != nil {
			t.Fatal(err)
		}
		ctx, cancel := context.WithTimeout(t.Context(), 500*time.Millisecond)
		defer cancel()
		_, err = redis.Consume(ctx, u, transport.Options{})
		if err == nil || !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "secret") {
			t.Errorf("%s: got %v", address, err)
		}
	}
}

func BenchmarkTransport(b *testing.B) {
	u := newAddress(b, admin(b))
	p := publisher(b, u)
	transporttest.Benchmark(b, p, consumer(b, u))
}

// TestBraces checks that the streams a and {a} share some keys, but that an ID is a separate message in each.
func TestBraces(t *testing.T) {
	c := admin(t)
	plain := newAddress(t, c)
	braces := *plain
	braces.Path = "/0/{" + plain.Path[len("/0/"):] + "}"
	for _, u := range []*url.URL{plain, &braces} {
		p := publisher(t, u)
		defer p.Close()
		if r, err := p.Publish(t.Context(), transport.Message{ID: "1", Body: []byte("x")}); err != nil || r.Duplicate {
			t.Errorf("%s: %+v, %v", u, r, err)
		}
		if list := entries(t, c, u.Path[len("/0/"):]); len(list) != 1 {
			t.Errorf("%s has %d messages", u, len(list))
		}
	}
}
