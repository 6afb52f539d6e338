package sqlqueue_test

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/eaapl/handoff/relay/transport"
	"github.com/eaapl/handoff/relay/transport/sqlqueue"
	"github.com/eaapl/handoff/relay/transport/transporttest"
)

func send(t testing.TB, p transport.Publisher, m transport.Message) {
	t.Helper()
	if _, err := p.Publish(t.Context(), m); err != nil {
		t.Fatal(err)
	}
}

func ack(t testing.TB, d transport.Delivery) {
	t.Helper()
	if err := d.Ack(t.Context()); err != nil {
		t.Error(err)
	}
}

func end(t testing.TB, c interface{ Close() error }) {
	t.Helper()
	if err := c.Close(); err != nil {
		t.Error(err)
	}
}

// want compares the result of a query with texts.
func want(t testing.TB, u *url.URL, query string, want ...string) {
	t.Helper()
	if got := texts(t, u, query); fmt.Sprint(got) != fmt.Sprint(want) {
		t.Errorf("%s: %q, want %q", query, got, want)
	}
}

// TestAgain checks that a message that is published again while it is in the queue is stored once, and that its
// ID is another message in another queue and among the answers.
func TestAgain(t *testing.T) {
	onBoth(t, func(t *testing.T, start func(testing.TB) *url.URL) {
		u := start(t)
		another := *u
		another.RawQuery = strings.Replace(u.RawQuery, "queue=tests", "queue=others", 1)
		p, other, c := publisher(t, u), publisher(t, &another), consumer(t, u, transport.Options{})
		defer end(t, p)
		defer end(t, other)
		defer end(t, c)
		m := transport.Message{ID: "1", Body: []byte("x")}
		send(t, p, m)
		send(t, p, m)
		send(t, other, m)
		send(t, p, transport.Message{Body: []byte("no ID")})
		send(t, p, transport.Message{Body: []byte("no ID")})
		if err := c.Reply(t.Context(), "sender", m); err != nil {
			t.Fatal(err)
		}
		all := "SELECT queue || ' ' || sender || ' ' || count(*) FROM handoff_message GROUP BY queue, sender ORDER BY queue, sender"
		want(t, u, all, "others  1", "tests  3", "tests sender 1")
		d := transporttest.Next(t, c)
		send(t, p, m) // while the message is taken
		want(t, u, all, "others  1", "tests  3", "tests sender 1")
		ack(t, d)
		send(t, p, m)
		want(t, u, all, "others  1", "tests  3", "tests sender 1")
	})
}

// TestOrder checks that one consumer gets messages in the order of their publication, and that a message that
// was returned for later does not delay others.
func TestOrder(t *testing.T) {
	onBoth(t, func(t *testing.T, start func(testing.TB) *url.URL) {
		u := start(t)
		p, c := publisher(t, u), consumer(t, u, transport.Options{})
		defer end(t, p)
		defer end(t, c)
		send(t, p, transport.Message{Body: []byte("later")})
		if err := transporttest.Next(t, c).Return(t.Context(), time.Hour); err != nil {
			t.Fatal(err)
		}
		for i := range 50 {
			send(t, p, transport.Message{Body: fmt.Append(nil, i)})
		}
		for i := range 50 {
			d := transporttest.Next(t, c)
			if got := d.Message().Body; string(got) != fmt.Sprint(i) {
				t.Fatalf("message %d is %s", i, got)
			}
			ack(t, d)
			ack(t, d) // it has no effect
		}
		want(t, u, "SELECT body FROM handoff_message", "later")
	})
}

// TestPrefetch checks that a consumer does not hold more messages than permitted.
func TestPrefetch(t *testing.T) {
	onBoth(t, func(t *testing.T, start func(testing.TB) *url.URL) {
		u := start(t)
		p, c := publisher(t, u), consumer(t, u, transport.Options{Prefetch: 2})
		defer end(t, p)
		defer end(t, c)
		for i := range 5 {
			send(t, p, transport.Message{Body: fmt.Append(nil, i)})
		}
		first := transporttest.Next(t, c)
		transporttest.Next(t, c)
		ctx, cancel := context.WithTimeout(t.Context(), 100*time.Millisecond)
		defer cancel()
		if _, err := c.Next(ctx); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("a third comes before one was acknowledged: %v", err)
		}
		want(t, u, "SELECT 'taken' FROM handoff_message WHERE taken_by IS NOT NULL", "taken", "taken")
		ack(t, first)
		transporttest.Next(t, c)
	})
}

// TestUnused checks that messages that a consumer has taken in advance, but not delivered, are returned for
// others.
func TestUnused(t *testing.T) {
	onBoth(t, func(t *testing.T, start func(testing.TB) *url.URL) {
		u := start(t)
		p, c := publisher(t, u), consumer(t, u, transport.Options{})
		defer end(t, p)
		defer end(t, c)
		const messages = 20
		for i := range messages {
			send(t, p, transport.Message{Body: fmt.Append(nil, i)})
		}
		for range 2 { // the second time, two are taken
			transporttest.Next(t, c)
		}
		other := consumer(t, u, transport.Options{})
		defer end(t, other)
		for range messages - 2 {
			ack(t, transporttest.Next(t, other))
		}
	})
}

// TestUnusable checks that a message that cannot be delivered is a dead letter with the reason, and does not
// stop others.
func TestUnusable(t *testing.T) {
	onBoth(t, func(t *testing.T, start func(testing.TB) *url.URL) {
		u := start(t)
		p, c := publisher(t, u), consumer(t, u, transport.Options{MaxBytes: 3})
		send(t, p, transport.Message{ID: "1", Body: []byte("long")})
		send(t, p, transport.Message{ID: "2", Body: []byte("ok")})
		send(t, p, transport.Message{ID: "3", Body: []byte("bad")})
		if got := transporttest.Next(t, c).Message().Body; string(got) != "ok" {
			t.Errorf("got %q", got)
		}
		if err := transporttest.Next(t, c).DeadLetter(t.Context(), "an attack\x00\r\n\x1b\xff"); err != nil {
			t.Fatal(err)
		}
		end(t, p)
		end(t, c) // it waits for the current operation
		want(t, u, "SELECT queue || ': ' || reason FROM handoff_dead_letter ORDER BY sequence",
			"tests: it has 4 bytes, more than the limit of 3", "tests: an attack    \uFFFD")
		want(t, u, "SELECT headers FROM handoff_dead_letter ORDER BY sequence", `{"Handoff-Message-Id":"1"}`, `{"Handoff-Message-Id":"3"}`)
	})
}

// TestTerminated checks that no message is lost while PostgreSQL repeatedly ends all connections.
func TestTerminated(t *testing.T) {
	u := onPostgres(t)
	admin := *u
	u.RawQuery += "&application_name=" + strings.TrimPrefix(u.Query().Get("search_path"), "handoff_")
	terminate := func() {
		ended := texts(t, &admin, "SELECT pg_terminate_backend(pid)::text FROM pg_stat_activity WHERE application_name = ?", u.Query().Get("application_name"))
		if len(ended) == 0 {
			t.Error("there were no connections to end")
		}
	}
	const messages, publishers, consumers, every = 400, 4, 2, 100
	ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
	defer cancel()
	var sending, taking sync.WaitGroup
	came := make(chan string)
	for range consumers {
		c := consumer(t, u, transport.Options{})
		defer end(t, c)
		taking.Go(func() {
			for {
				d, err := c.Next(ctx)
				if ctx.Err() != nil {
					return
				}
				if err != nil {
					t.Error(err)
					return
				}
				if err := d.Ack(ctx); err != nil && ctx.Err() == nil {
					t.Error(err)
				}
				select {
				case came <- string(d.Message().Body):
				case <-ctx.Done():
				}
			}
		})
	}
	for i := range publishers {
		p := publisher(t, u)
		defer end(t, p)
		sending.Go(func() {
			for j := i; j < messages; j += publishers {
				if _, err := p.Publish(ctx, transport.Message{ID: fmt.Sprint(j), Body: fmt.Append(nil, j)}); err != nil {
					t.Error(err)
				}
			}
		})
	}
	got := map[string]bool{}
	for len(got) < messages {
		select {
		case body := <-came:
			if got[body] = true; len(got)%every == 1 {
				terminate()
			}
		case <-ctx.Done():
			t.Fatalf("%d of %d messages came", len(got), messages)
		}
	}
	sending.Wait() // a message may be delivered before the publisher gets its confirmation
	cancel()
	taking.Wait()
}

func TestAddresses(t *testing.T) {
	t.Chdir(t.TempDir())
	for _, tt := range []struct{ address, want string }{
		{address: "sqlite:a.db"},
		{address: "sqlite:b%20c.db?queue=a%20b"},
		{"sqlite:", "empty"},
		{"sqlite://host/a.db", "another machine"},
		{"sqlite:a.db?queue=", "name of a queue"},
		{"sqlite:a.db?queue=%00", "name of a queue"},
		{"sqlite:a.db?mode=ro", `no parameter "mode"`},
		{"sqlite:a.db#x", "%23"},
		{"sqlite:.", "is a directory"},
		{"postgres://user:secret@127.0.0.1:1/d?queue=q", "cannot be reached"},
		{"postgres://user:secret@127.0.0.1:1/d?sslmode=%20secret", "sslmode"},
	} {
		u, err := url.Parse(tt.address)
		if err != nil {
			t.Fatal(err)
		}
		for _, open := range []func() (interface{ Close() error }, error){
			func() (interface{ Close() error }, error) {
				return sqlqueue.Publish(t.Context(), u, transport.Options{})
			},
			func() (interface{ Close() error }, error) {
				return sqlqueue.Consume(t.Context(), u, transport.Options{})
			},
		} {
			c, err := open()
			if err == nil {
				end(t, c)
			}
			if (err == nil) != (tt.want == "") || err != nil && (!strings.Contains(err.Error(), tt.want) || strings.Contains(err.Error(), "user:secret")) {
				t.Errorf("%s: %v, want %q", tt.address, err, tt.want)
			}
		}
	}
	if got, err := filepath.Glob("*.db"); err != nil || fmt.Sprint(got) != "[a.db b c.db]" {
		t.Errorf("the files are %q (%v)", got, err)
	}
	p := publisher(t, &url.URL{Scheme: "sqlite", Opaque: "a.db"})
	defer end(t, p)
	if _, err := p.Answers(t.Context(), "../x"); err == nil {
		t.Error("answers to what is no name")
	}
}

// TestDroppedByTheDatabase checks that a message that the database confirms but drops, because of a trigger, is
// an error.
func TestDroppedByTheDatabase(t *testing.T) {
	for name, tt := range map[string]struct {
		start      func(testing.TB) *url.URL
		statements []string
	}{
		"SQLite": {onSQLite, []string{"CREATE TRIGGER no BEFORE INSERT ON handoff_message BEGIN SELECT RAISE(IGNORE); END"}},
		"PostgreSQL": {onPostgres, []string{
			"CREATE FUNCTION no() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN RETURN NULL; END'",
			"CREATE TRIGGER no BEFORE INSERT ON handoff_message FOR EACH ROW EXECUTE FUNCTION no()",
		}},
	} {
		t.Run(name, func(t *testing.T) {
			u := tt.start(t)
			p := publisher(t, u)
			defer end(t, p)
			send(t, p, transport.Message{ID: "0", Body: []byte("x")})
			for _, statement := range tt.statements {
				texts(t, u, statement)
			}
			for _, id := range []string{"1", ""} {
				if r, err := p.Publish(t.Context(), transport.Message{ID: id, Body: []byte("x")}); err == nil || !strings.Contains(err.Error(), "did not add the message") {
					t.Errorf("with the ID %q: %+v, %v", id, r, err)
				}
			}
			if r, err := p.Publish(t.Context(), transport.Message{ID: "0", Body: []byte("x")}); err != nil || !r.Duplicate {
				t.Errorf("what is there: %+v, %v", r, err)
			}
		})
	}
}
