package nats_test

import (
	"context"
	"crypto/rand"
	"errors"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"

	client "github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"github.com/eaapl/handoff/relay/transport"
	"github.com/eaapl/handoff/relay/transport/nats"
	"github.com/eaapl/handoff/relay/transport/transporttest"
)

// wide creates a stream for one test with all subjects below one, and returns addresses on two of them.
func wide(t *testing.T, js jetstream.JetStream, change func(*jetstream.StreamConfig)) (a, b *url.URL) {
	t.Helper()
	subject := "test." + rand.Text()
	config := jetstream.StreamConfig{Name: "test-" + rand.Text(), Subjects: []string{subject + ".>"}, Retention: jetstream.WorkQueuePolicy, Storage: jetstream.MemoryStorage}
	if change != nil {
		change(&config)
	}
	_, err := js.CreateStream(t.Context(), config)
	if errors.Is(err, jetstream.ErrStreamSubjectTransformNotSupported) {
		t.Skip(err)
	}
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := js.DeleteStream(context.WithoutCancel(t.Context()), config.Name); err != nil {
			t.Error(err)
		}
	})
	address := func(name string) *url.URL { return &url.URL{Scheme: "nats", Host: server, Path: "/" + subject + name} }
	return address(".a"), address(".b")
}

// sender and taker return a publisher and a consumer, which are closed at the end of the test.
func sender(t *testing.T, u *url.URL) transport.Publisher {
	p := publisher(t, u)
	t.Cleanup(func() { p.Close() })
	return p
}

func taker(t *testing.T, u *url.URL) transport.Consumer {
	c := consumer(t, u)
	t.Cleanup(func() { c.Close() })
	return c
}

func streamOf(t *testing.T, js jetstream.JetStream, u *url.URL) jetstream.Stream {
	t.Helper()
	name, err := js.StreamNameBySubject(t.Context(), u.Path[1:])
	if err != nil {
		t.Fatal(err)
	}
	stream, err := js.Stream(t.Context(), name)
	if err != nil {
		t.Fatal(err)
	}
	return stream
}

// TestManySubjects checks that each subject of a stream with many subjects is a separate place: one ID is a
// message on each, and each has its own receivers and answers.
func TestManySubjects(t *testing.T) {
	js := admin(t)
	a, b := wide(t, js, nil)
	m := transport.Message{ID: "1", Body: []byte("x"), ReplyTo: "me"}
	for _, u := range []*url.URL{a, b} {
		if r, err := sender(t, u).Publish(t.Context(), m); err != nil || r.Duplicate {
			t.Errorf("%s: %+v, %v", u, r, err)
		}
		if list := messages(t, js, u.Path[1:]); len(list) != 1 {
			t.Errorf("%s has %d messages", u, len(list))
		}
	}
	// Both receivers take messages, and both senders take answers, at the same time.
	consumers := []transport.Consumer{taker(t, a), taker(t, b)}
	for i, u := range []*url.URL{a, b} {
		d := transporttest.Next(t, consumers[i])
		answer := transport.Message{ID: "answer", Kind: transport.Answer, Body: []byte(u.Path)}
		if err := errors.Join(d.Answer(t.Context(), answer), d.DeadLetter(t.Context(), "bad")); err != nil {
			t.Error(err)
		}
	}
	for _, u := range []*url.URL{a, b} {
		answers, err := sender(t, u).Answers(t.Context(), "me")
		if err != nil {
			t.Fatal(err)
		}
		defer answers.Close()
		if got := string(transporttest.Next(t, answers).Message().Body); got != u.Path {
			t.Errorf("%s has the answer %s", u, got)
		}
		if list := messages(t, js, u.Path[1:]+".dead"); len(list) != 1 {
			t.Errorf("%s has %d dead letters", u, len(list))
		}
	}
}

// TestEarlierConsumer checks that a consumer that an earlier version created for a subject is still used, so
// that no message is delivered twice, and that it does not exclude the receivers of other subjects.
func TestEarlierConsumer(t *testing.T) {
	js := admin(t)
	a, b := wide(t, js, nil)
	stream := streamOf(t, js, a)
	if _, err := stream.CreateConsumer(t.Context(), jetstream.ConsumerConfig{Durable: "handoff", FilterSubject: a.Path[1:], AckPolicy: jetstream.AckExplicitPolicy}); err != nil {
		t.Fatal(err)
	}
	taker(t, a)
	taker(t, b)
	var names []string
	for name := range stream.ConsumerNames(t.Context()).Name() {
		names = append(names, name)
	}
	slices.Sort(names)
	if want := []string{"handoff", "handoff+" + strings.ReplaceAll(b.Path[1:], ".", "+")}; !slices.Equal(names, want) {
		t.Errorf("the consumers are %q, want %q", names, want)
	}
}

// TestLongSubject checks that the name of a consumer does not exceed the server's limit.
func TestLongSubject(t *testing.T) {
	js := admin(t)
	a, _ := wide(t, js, nil)
	a.Path += "." + strings.Repeat("x", 200-len(a.Path))
	p, c := sender(t, a), taker(t, a)
	if _, err := p.Publish(t.Context(), transport.Message{ID: "1", Body: []byte("x")}); err != nil {
		t.Fatal(err)
	}
	transporttest.Next(t, c)
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	answers, err := p.Answers(ctx, strings.Repeat("s", 64))
	if err != nil {
		t.Fatal(err)
	}
	answers.Close()
}

// TestDroppedForAnother checks that a duplicate reported by the server is an error if the stored message is
// another one: on another subject, or from another sender.
func TestDroppedForAnother(t *testing.T) {
	js := admin(t)
	for _, tt := range []struct {
		name         string
		onB          bool
		sender, want string
	}{
		{"ours", false, "me", ""},
		{"of another sender", false, "you", "as a duplicate of its message 1, which is on the subject "},
		{"on another subject", true, "me", "as a duplicate of its message 1, which is on the subject "},
	} {
		t.Run(tt.name, func(t *testing.T) {
			a, b := wide(t, js, nil)
			there := &client.Msg{Subject: a.Path[1:], Data: []byte("y"), Header: client.Header{"Nats-Msg-Id": {a.Path[1:] + "/1"}, "Handoff-Reply-To": {tt.sender}}}
			if tt.onB {
				there.Subject = b.Path[1:]
			}
			if _, err := js.PublishMsg(t.Context(), there); err != nil {
				t.Fatal(err)
			}
			r, err := sender(t, a).Publish(t.Context(), transport.Message{ID: "1", Body: []byte("x"), ReplyTo: "me"})
			switch e := (*transport.PermanentError)(nil); {
			case tt.want == "":
				if err != nil || !r.Duplicate {
					t.Errorf("got %+v, %v", r, err)
				}
			case !errors.As(err, &e) || !strings.Contains(err.Error(), tt.want+there.Subject):
				t.Errorf("got %+v, %v", r, err)
			}
		})
	}
	t.Run("ours, which a receiver has taken", func(t *testing.T) {
		a, _ := wide(t, js, nil)
		p, c := sender(t, a), taker(t, a)
		m := transport.Message{ID: "1", Body: []byte("x"), ReplyTo: "me"}
		if _, err := p.Publish(t.Context(), m); err != nil {
			t.Fatal(err)
		}
		if err := errors.Join(transporttest.Next(t, c).Ack(t.Context()), c.Close()); err != nil {
			t.Fatal(err)
		}
		for len(messages(t, js, a.Path[1:])) > 0 { // an acknowledgement does not wait
		}
		if r, err := p.Publish(t.Context(), m); err != nil || !r.Duplicate {
			t.Errorf("got %+v, %v", r, err)
		}
	})
}

// TestStreamsThatDrop checks that a sender does not use a stream that confirms a message and drops it, or moves
// it to a subject without receivers. Receivers still empty such streams.
func TestStreamsThatDrop(t *testing.T) {
	js := admin(t)
	for _, tt := range []struct {
		name   string
		change func(*jetstream.StreamConfig)
		want   string // "" for no error
		both   bool   // receivers also fail
	}{
		{"many messages", func(c *jetstream.StreamConfig) { c.MaxMsgs = 5 }, "drops the oldest messages when it is full", false},
		{"many bytes", func(c *jetstream.StreamConfig) { c.MaxBytes = 5 << 20 }, "drops the oldest messages when it is full", false},
		{"many messages of a subject", func(c *jetstream.StreamConfig) { c.MaxMsgsPerSubject = 5 }, "drops the oldest messages when it is full", false},
		{"a full one takes none", func(c *jetstream.StreamConfig) { c.MaxMsgs, c.Discard = 5, jetstream.DiscardNew }, "", false},
		{"other subjects", func(c *jetstream.StreamConfig) {
			c.SubjectTransform = &jetstream.SubjectTransformConfig{Source: c.Subjects[0], Destination: "elsewhere.>"}
		}, "gives its messages other subjects", true},
	} {
		t.Run(tt.name, func(t *testing.T) {
			a, _ := wide(t, js, tt.change)
			_, err := nats.Publish(t.Context(), a, options)
			if e := (*transport.PermanentError)(nil); (err == nil) != (tt.want == "") || err != nil && (!errors.As(err, &e) || !strings.Contains(err.Error(), tt.want)) {
				t.Errorf("publishing: %v", err)
			}
			if _, err := nats.Consume(t.Context(), a, options); (err != nil) != tt.both {
				t.Errorf("consuming: %v", err)
			}
		})
	}
}

// TestOtherConsumer checks that a work queue whose messages another consumer takes is an error that names it.
func TestOtherConsumer(t *testing.T) {
	js := admin(t)
	a, _ := wide(t, js, nil)
	if _, err := streamOf(t, js, a).CreateConsumer(t.Context(), jetstream.ConsumerConfig{Durable: "theirs", AckPolicy: jetstream.AckExplicitPolicy}); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	_, err := nats.Consume(ctx, a, options)
	if e := (*transport.PermanentError)(nil); !errors.As(err, &e) || !strings.Contains(err.Error(), "has another consumer that takes messages of "+a.Path[1:]) {
		t.Errorf("got %v", err)
	}
}
