package nats_test

import (
	"context"
	"crypto/rand"
	"errors"
	"net"
	"net/url"
	"os"
	"strings"
	"testing"
	"time"

	client "github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"github.com/eaapl/handoff/relay/transport"
	"github.com/eaapl/handoff/relay/transport/nats"
	"github.com/eaapl/handoff/relay/transport/transporttest"
)

const server = "127.0.0.1:4222"

// options have a short lease.
var options = transport.Options{Lease: 3 * time.Second}

// admin returns a separate connection of the tests.
func admin(t testing.TB) jetstream.JetStream {
	t.Helper()
	conn, err := client.Connect("nats://" + server)
	if err != nil {
		t.Skipf("no NATS server at %s: %v", server, err)
	}
	t.Cleanup(conn.Close)
	js, err := jetstream.New(conn)
	if err != nil {
		t.Fatal(err)
	}
	return js
}

// newAddress returns a place for one test, whose streams are removed at its end.
func newAddress(t testing.TB, js jetstream.JetStream) *url.URL {
	t.Helper()
	subject := "test." + rand.Text()
	t.Cleanup(func() {
		ctx := context.WithoutCancel(t.Context())
		for name := range js.StreamNames(ctx).Name() {
			stream, err := js.Stream(ctx, name)
			if err == nil && strings.HasPrefix(stream.CachedInfo().Config.Subjects[0], subject) {
				err = js.DeleteStream(ctx, name)
			}
			if err != nil && !errors.Is(err, jetstream.ErrStreamNotFound) {
				t.Error(err)
			}
		}
	})
	return &url.URL{Scheme: "nats", Host: server, Path: "/" + subject}
}

func newPlace(js jetstream.JetStream, u *url.URL) transporttest.Place {
	return transporttest.Place{
		Publisher: func(t *testing.T) transport.Publisher { return publisher(t, u) },
		Consumer:  func(t *testing.T) transport.Consumer { return consumer(t, u) },
		Withholding: func(t *testing.T) transport.Consumer {
			o := options
			o.Withhold = true
			return transporttest.Open(t, nats.Consume, u, o)
		},
		Kill:  func(t *testing.T) { transporttest.Kill(t, os.Args[0], u.String()) },
		Limit: 1 << 20,
		DeadLetters: func(t *testing.T) (bodies [][]byte) {
			for _, m := range messages(t, js, u.Path[1:]+".dead") {
				bodies = append(bodies, m.Data)
			}
			return bodies
		},
	}
}

func publisher(t testing.TB, u *url.URL) transport.Publisher {
	t.Helper()
	return transporttest.Open(t, nats.Publish, u, options)
}

func consumer(t testing.TB, u *url.URL) transport.Consumer {
	t.Helper()
	return transporttest.Open(t, nats.Consume, u, options)
}

// messages returns the messages of a stream on a subject.
func messages(t testing.TB, js jetstream.JetStream, subject string) (list []*jetstream.RawStreamMsg) {
	t.Helper()
	name, err := js.StreamNameBySubject(t.Context(), subject)
	if err != nil {
		t.Fatal(err)
	}
	stream, err := js.Stream(t.Context(), name)
	if err != nil {
		t.Fatal(err)
	}
	for sequence := uint64(1); ; sequence++ {
		m, err := stream.GetMsg(t.Context(), sequence, jetstream.WithGetMsgSubject(subject))
		if errors.Is(err, jetstream.ErrMsgNotFound) {
			return list
		}
		if err != nil {
			t.Fatal(err)
		}
		list, sequence = append(list, m), m.Sequence
	}
}

func TestTransport(t *testing.T) {
	js := admin(t)
	transporttest.Run(t, func(t *testing.T) transporttest.Place { return newPlace(js, newAddress(t, js)) })
}

func TestHold(t *testing.T) {
	transporttest.Hold(t, os.Getenv(transporttest.HoldVariable), options, nats.Consume)
}

func TestCuts(t *testing.T) {
	js := admin(t)
	u := newAddress(t, js)
	proxy := transporttest.NewProxy(t, server)
	u.Host = proxy.Address()
	transporttest.Cuts(t, proxy, newPlace(js, u))
}

// TestOneIDIsOneMessage checks that a message that is published twice is stored once, and that an answer or a
// dead letter with its id is another message.
func TestOneIDIsOneMessage(t *testing.T) {
	u := newAddress(t, admin(t))
	p, c := publisher(t, u), consumer(t, u)
	defer p.Close()
	defer c.Close()
	m := transport.Message{ID: "1", Body: []byte("x"), ReplyTo: "me"}
	for range 3 {
		if _, err := p.Publish(t.Context(), m); err != nil {
			t.Fatal(err)
		}
	}
	d, err := c.Next(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(d.Answer(t.Context(), m), d.Answer(t.Context(), m), d.DeadLetter(t.Context(), "é\r\n")); err != nil {
		t.Fatal(err)
	}
	js := admin(t)
	for subject, want := range map[string]int{".answers.me": 1, ".dead": 1} {
		if list := messages(t, js, u.Path[1:]+subject); len(list) != want {
			t.Errorf("%d messages on %s, want %d", len(list), subject, want)
		}
	}
	for len(messages(t, js, u.Path[1:])) > 0 { // until the server has processed the acknowledgement
		time.Sleep(time.Millisecond)
	}
}

// TestForeignMessages checks that a message of another client on the subject is delivered, and that bodies that
// are too long are dead letters.
func TestForeignMessages(t *testing.T) {
	js := admin(t)
	u := newAddress(t, js)
	c, err := nats.Consume(t.Context(), u, transport.Options{MaxBytes: 10})
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	subject := u.Path[1:]
	for _, m := range []*client.Msg{
		{Subject: subject, Data: make([]byte, 11)},
		{Subject: subject, Header: client.Header{"Status": {"408"}, "Handoff-Attempt": {"-1"}, "Empty": nil}},
		{Subject: subject},
		{Subject: subject, Data: []byte("end"), Header: client.Header{"Status": {"503"}}},
	} {
		if _, err := js.PublishMsg(t.Context(), m); err != nil {
			t.Fatal(err)
		}
	}
	for _, want := range []string{"", "", "end"} {
		d, err := c.Next(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		if m := d.Message(); string(m.Body) != want || m.Attempt != 0 || m.Key != "" {
			t.Errorf("got %+v", m)
		}
	}
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	for len(messages(t, js, subject+".dead")) != 1 {
		if ctx.Err() != nil {
			t.Fatal("no dead letter")
		}
	}
}

// TestStreamsThatAreThere checks that existing streams are used if they lose nothing.
func TestStreamsThatAreThere(t *testing.T) {
	js := admin(t)
	for _, tt := range []struct {
		name   string
		config jetstream.StreamConfig
		want   string
	}{
		{"limits, and the subject alone", jetstream.StreamConfig{Retention: jetstream.LimitsPolicy}, ""},
		{"interest", jetstream.StreamConfig{Retention: jetstream.InterestPolicy}, "drops messages without a waiting consumer"},
		{"no acknowledgements", jetstream.StreamConfig{NoAck: true}, "confirms nothing"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			u := newAddress(t, js)
			tt.config.Name, tt.config.Subjects, tt.config.Storage = "test-"+rand.Text(), []string{u.Path[1:]}, jetstream.MemoryStorage
			if _, err := js.CreateStream(t.Context(), tt.config); err != nil {
				t.Fatal(err)
			}
			p, err := nats.Publish(t.Context(), u, options)
			if tt.want != "" {
				if e := (*transport.PermanentError)(nil); !errors.As(err, &e) || !strings.Contains(err.Error(), tt.want) {
					t.Errorf("got %v", err)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			defer p.Close()
			if _, err := p.Publish(t.Context(), transport.Message{ID: "1", Body: []byte("x"), ReplyTo: "me"}); err != nil {
				t.Fatal(err)
			}
			c := consumer(t, u)
			defer c.Close()
			d, err := c.Next(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			if err := errors.Join(d.Answer(t.Context(), transport.Message{Body: []byte("y")}), d.DeadLetter(t.Context(), "bad")); err != nil {
				t.Error(err)
			}
		})
	}
}

func TestAddresses(t *testing.T) {
	free, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	nobody := free.Addr().String()
	free.Close()
	for address, want := range map[string]string{
		"nats://u:secret@" + server + "/":          `nats://` + server + `/: the path is not a subject`,
		"nats://u:secret@" + server + "/a.>":       "not a subject",
		"nats://u:secret@" + server + "/a..b":      "not a subject",
		"nats://u:secret@" + server + "/a?x=1":     "unknown parameter",
		"nats://u:secret@" + nobody + "/a":         nobody + ": connection refused",
		"nats://secret@" + server + "/a/b":         "not a subject",
		"nats://secret@" + nobody + "/a":           nobody + ": connection refused",
		"tls://u:secret@no-such-host.invalid/test": "no-such-host.invalid:4222: no-such-host.invalid: no such host",
	} {
		u, err := url.Parse(address)
		if err != nil {
			t.Fatal(err)
		}
		ctx, cancel := context.WithTimeout(t.Context(), 500*time.Millisecond)
		defer cancel()
		_, err = nats.Publish(ctx, u, transport.Options{})
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
