// Package transporttest is the test suite of all transports.
package transporttest

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net/url"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/eaapl/handoff/relay/transport"
)

// A Place is a place of a transport for exclusive use.
type Place struct {
	// Publisher and Consumer open one more of each; the test closes them.
	Publisher func(*testing.T) transport.Publisher
	Consumer  func(*testing.T) transport.Consumer
	// Withholding opens a consumer with [transport.Options].Withhold; nil if there are no dead letters.
	Withholding func(*testing.T) transport.Consumer
	// Kill opens a consumer in a process that takes one message and is killed; nil if a test cannot
	// do that.
	Kill func(*testing.T)
	// DeadLetters returns the bodies of the dead letters; nil if there is no place for them.
	DeadLetters func(*testing.T) [][]byte
	// Limit is the maximum length of a body in bytes, which headers may reduce; 0 if no test can
	// reach it.
	Limit int64
}

// patience is the maximum time that a test waits for an expected event.
const patience = time.Minute

// Run tests a transport that stores messages until they are taken. start returns a new, empty place.
func Run(t *testing.T, start func(*testing.T) Place) {
	for _, tt := range []struct {
		name string
		test func(*testing.T, Place)
	}{
		{"a message arrives as it was sent", arrives},
		{"hostile headers", hostileHeaders},
		{"large bodies", largeBodies},
		{"what is too large", tooLarge},
		{"published twice", twice},
		{"messages wait for a consumer", waits},
		{"acknowledged, never again", acknowledged},
		{"given back, again", givenBack},
		{"not acknowledged, again for another", closed},
		{"with a consumer that died, again for another", killed},
		{"each message for one consumer", competing},
		{"dead letters", deadLetters},
		{"dead letters without the messages", withheld},
		{"answers", answers},
		{"answers wait", answersWait},
		{"a reply long after", replies},
		{"the end of the context", ends},
	} {
		t.Run(tt.name, func(t *testing.T) { tt.test(t, start(t)) })
	}
}

func arrives(t *testing.T, p Place) {
	sent := full()
	publish(t, p.Publisher(t), sent)
	same(t, next(t, p.Consumer(t)).Message(), sent)

	bare := transport.Message{ID: "b7-2", Body: []byte("x")}
	publish(t, p.Publisher(t), bare)
	same(t, next(t, p.Consumer(t)).Message(), bare)
}

// same compares messages. A transport may set a missing kind, and need not carry the ID and the
// group, which it only uses itself.
func same(t *testing.T, got, want transport.Message) {
	t.Helper()
	if got.Kind == transport.Handoff && want.Kind == "" {
		got.Kind = ""
	}
	if got.ID == "" {
		got.ID = want.ID
	}
	if got.Group == "" {
		got.Group = want.Group
	}
	if !bytes.Equal(got.Body, want.Body) {
		t.Errorf("the body is %q, want %q", got.Body, want.Body)
	}
	got.Body, want.Body = nil, nil
	if fmt.Sprintf("%+v", got) != fmt.Sprintf("%+v", want) {
		t.Errorf("got  %+v\nwant %+v", got, want)
	}
}

func hostileHeaders(t *testing.T, p Place) {
	for _, sent := range hostile() {
		publish(t, p.Publisher(t), sent)
		same(t, next(t, p.Consumer(t)).Message(), sent)
	}
}

func largeBodies(t *testing.T, p Place) {
	size := int64(1 << 20)
	if p.Limit > 0 {
		size = min(size, p.Limit*9/10)
	}
	sent := transport.Message{ID: "large", Body: bytes.Repeat([]byte("0123456789abcde\n"), int(size/16))}
	publish(t, p.Publisher(t), sent)
	same(t, next(t, p.Consumer(t)).Message(), sent)
}

func tooLarge(t *testing.T, p Place) {
	if p.Limit == 0 {
		t.Skip("no limit that a test could reach")
	}
	publisher := p.Publisher(t)
	defer closing(t, publisher)
	_, err := publisher.Publish(t.Context(), transport.Message{ID: "too large", Body: make([]byte, p.Limit+1)})
	if e := (*transport.TooLargeError)(nil); !errors.As(err, &e) || e.Limit <= 0 || e.Size <= e.Limit {
		t.Errorf("the error is %v, want a TooLargeError with size and limit", err)
	}
	_, err = publisher.Publish(t.Context(), transport.Message{ID: "small", Body: []byte("x")})
	if err != nil {
		t.Errorf("after it: %v", err)
	}
}

// twice tests that the receipt of a second copy is accurate.
func twice(t *testing.T, p Place) {
	publisher := p.Publisher(t)
	defer closing(t, publisher)
	want := 0
	for range 3 {
		r, err := publisher.Publish(t.Context(), numbered(1))
		if err != nil {
			t.Fatal(err)
		}
		if !r.Duplicate {
			want++
		}
	}
	if r, err := publisher.Publish(t.Context(), numbered(2)); err != nil || r.Duplicate {
		t.Fatalf("another message: %+v, %v", r, err)
	}
	c := p.Consumer(t)
	defer closing(t, c)
	got := map[string]int{}
	for range want + 1 {
		d := Next(t, c)
		got[string(d.Message().Body)]++
		ack(t, d)
	}
	if want == 0 || got["1"] != want || got["2"] != 1 {
		t.Errorf("came %v, and the receipts say that %d copies of the first were added", got, want)
	}
}

func waits(t *testing.T, p Place) {
	publisher := p.Publisher(t)
	for i := range 5 {
		if _, err := publisher.Publish(t.Context(), numbered(i)); err != nil {
			t.Fatal(err)
		}
	}
	closing(t, publisher)
	var got []string
	c := p.Consumer(t)
	defer closing(t, c)
	for range 5 {
		d := Next(t, c)
		got = append(got, string(d.Message().Body))
		ack(t, d)
	}
	slices.Sort(got)
	if want := []string{"0", "1", "2", "3", "4"}; !slices.Equal(got, want) {
		t.Errorf("got %q", got)
	}
}

func acknowledged(t *testing.T, p Place) {
	publish(t, p.Publisher(t), numbered(1))
	c := p.Consumer(t)
	ack(t, Next(t, c))
	closing(t, c)
	publish(t, p.Publisher(t), numbered(2))
	d := next(t, p.Consumer(t))
	if got := string(d.Message().Body); got != "2" {
		t.Errorf("got %q, want what was published after", got)
	}
}

func givenBack(t *testing.T, p Place) {
	publish(t, p.Publisher(t), numbered(1))
	c := p.Consumer(t)
	defer closing(t, c)
	for range 3 {
		if err := Next(t, c).Return(t.Context(), 10*time.Millisecond); err != nil {
			t.Fatal(err)
		}
	}
	d := Next(t, c)
	same(t, d.Message(), numbered(1))
	ack(t, d)
}

func closed(t *testing.T, p Place) {
	publish(t, p.Publisher(t), numbered(1))
	c := p.Consumer(t)
	Next(t, c)
	closing(t, c)
	same(t, next(t, p.Consumer(t)).Message(), numbered(1))
}

func killed(t *testing.T, p Place) {
	if p.Kill == nil {
		t.Skip("a test cannot kill its consumer")
	}
	publish(t, p.Publisher(t), numbered(1))
	p.Kill(t)
	same(t, next(t, p.Consumer(t)).Message(), numbered(1))
}

func competing(t *testing.T, p Place) {
	const messages, consumers, publishers = 200, 4, 4
	var got sync.Map
	var taking, sending sync.WaitGroup
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	remaining := make(chan struct{}, messages)
	for range consumers {
		c := p.Consumer(t)
		defer closing(t, c)
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
				if _, again := got.LoadOrStore(string(d.Message().Body), true); again {
					t.Errorf("%s came twice", d.Message().Body)
				}
				if err := d.Ack(context.WithoutCancel(ctx)); err != nil {
					t.Error(err)
				}
				remaining <- struct{}{}
			}
		})
	}
	for i := range publishers {
		publisher := p.Publisher(t)
		defer closing(t, publisher)
		sending.Go(func() {
			for j := range messages / publishers {
				if _, err := publisher.Publish(ctx, numbered(i*messages/publishers+j)); err != nil {
					t.Error(err)
				}
			}
		})
	}
	sending.Wait()
	for n := range messages {
		select {
		case <-remaining:
		case <-ctx.Done():
			t.Fatalf("%d of %d messages came", n, messages)
		}
	}
	cancel()
	taking.Wait()
}

// withheld tests that nothing of a withheld message stays with the transport, except its key and the
// reason, which refers to the audit log.
func withheld(t *testing.T, p Place) {
	if p.Withholding == nil || p.DeadLetters == nil {
		return
	}
	m := numbered(1)
	m.Key, m.Body = "h-1", []byte(`{"customer":"Erika Mustermann"}`)
	publish(t, p.Publisher(t), m)
	c := p.Withholding(t)
	if err := Next(t, c).DeadLetter(t.Context(), "SAFETY_VIOLATION: record 7 of the audit log"); err != nil {
		t.Fatal(err)
	}
	closing(t, c)
	for _, body := range p.DeadLetters(t) {
		if text := string(body); strings.Contains(text, "Erika") || !strings.Contains(text, "h-1") || !strings.Contains(text, "record 7") {
			t.Errorf("the dead letter is %q", text)
		}
	}
	publish(t, p.Publisher(t), numbered(2))
	same(t, next(t, p.Consumer(t)).Message(), numbered(2))
}

func deadLetters(t *testing.T, p Place) {
	publish(t, p.Publisher(t), numbered(1))
	c := p.Consumer(t)
	if err := Next(t, c).DeadLetter(t.Context(), "SAFETY_VIOLATION: an attack"); err != nil {
		t.Fatal(err)
	}
	closing(t, c)
	publish(t, p.Publisher(t), numbered(2))
	same(t, next(t, p.Consumer(t)).Message(), numbered(2))
	if p.DeadLetters == nil {
		return
	}
	if list := p.DeadLetters(t); len(list) != 1 || string(list[0]) != "1" {
		t.Errorf("the dead letters are %q", list)
	}
}

func answers(t *testing.T, p Place) {
	publisher := p.Publisher(t)
	defer closing(t, publisher)
	for _, sender := range []string{"sender-a", "sender-b", ""} {
		if _, err := publisher.Publish(t.Context(), transport.Message{ID: "from " + sender, Body: []byte(sender), ReplyTo: sender}); err != nil {
			t.Fatal(err)
		}
	}
	c := p.Consumer(t)
	defer closing(t, c)
	for range 3 {
		d := Next(t, c)
		if err := d.Answer(t.Context(), answerTo(string(d.Message().Body))); err != nil {
			t.Fatal(err)
		}
		ack(t, d)
	}
	for _, sender := range []string{"sender-b", "sender-a"} {
		list := answersFor(t, publisher, sender)
		d := Next(t, list)
		same(t, d.Message(), answerTo(sender))
		ack(t, d)
		nothing(t, list)
		closing(t, list)
	}
}

// answersWait tests that a sender can read its answers much later, from another process.
func answersWait(t *testing.T, p Place) {
	publish(t, p.Publisher(t), transport.Message{ID: "1", Body: []byte("x"), ReplyTo: "sender"})
	c := p.Consumer(t)
	d := Next(t, c)
	if err := d.Answer(t.Context(), answerTo("x")); err != nil {
		t.Fatal(err)
	}
	ack(t, d)
	closing(t, c)
	for _, end := range []func(transport.Delivery) error{
		func(transport.Delivery) error { return nil }, // read, and not acknowledged: it is redelivered
		func(d transport.Delivery) error { return d.Ack(t.Context()) },
	} {
		publisher := p.Publisher(t)
		list := answersFor(t, publisher, "sender")
		d := Next(t, list)
		same(t, d.Message(), answerTo("x"))
		if err := end(d); err != nil {
			t.Fatal(err)
		}
		closing(t, list)
		closing(t, publisher)
	}
}

// replies tests an answer to a message that another consumer has acknowledged.
func replies(t *testing.T, p Place) {
	c := p.Consumer(t)
	if err := c.Reply(t.Context(), "sender", answerTo("y")); err != nil {
		t.Fatal(err)
	}
	closing(t, c)
	publisher := p.Publisher(t)
	defer closing(t, publisher)
	list := answersFor(t, publisher, "sender")
	defer closing(t, list)
	d := Next(t, list)
	same(t, d.Message(), answerTo("y"))
	ack(t, d)
}

func ends(t *testing.T, p Place) {
	c := p.Consumer(t)
	defer closing(t, c)
	nothing(t, c)
	ctx, cancel := context.WithCancel(t.Context())
	result := make(chan error)
	go func() {
		_, err := c.Next(ctx)
		result <- err
	}()
	cancel()
	if err := <-result; !errors.Is(err, context.Canceled) {
		t.Errorf("Next ended with %v", err)
	}
	publish(t, p.Publisher(t), numbered(1)) // the consumer still works
	ack(t, Next(t, c))
}

// answersFor opens a sender's answers, and skips the test if there is no place for them.
func answersFor(t *testing.T, p transport.Publisher, sender string) transport.Consumer {
	t.Helper()
	list, err := p.Answers(t.Context(), sender)
	if errors.Is(err, transport.ErrNoAnswers) {
		t.Skip(err)
	}
	if err != nil {
		t.Fatal(err)
	}
	return list
}

func numbered(i int) transport.Message {
	return transport.Message{ID: fmt.Sprint("n", i), Key: fmt.Sprint(i), Body: fmt.Append(nil, i)}
}

func answerTo(what string) transport.Message {
	return transport.Message{ID: "answer to " + what, Key: what, Kind: transport.Answer, Outcome: transport.Taken, Body: []byte("to " + what)}
}

func publish(t *testing.T, p transport.Publisher, m transport.Message) {
	t.Helper()
	if r, err := p.Publish(t.Context(), m); err != nil || r.Answer != nil || r.Duplicate {
		t.Fatalf("publishing: %+v, error %v", r, err)
	}
	closing(t, p)
}

// next takes a message, acknowledges it and closes the consumer.
func next(t *testing.T, c transport.Consumer) transport.Delivery {
	t.Helper()
	d := Next(t, c)
	ack(t, d)
	closing(t, c)
	return d
}

// Open opens a place by one of the functions of a transport, or fails the test.
func Open[T any](t testing.TB, open func(context.Context, *url.URL, transport.Options) (T, error), u *url.URL, o transport.Options) T {
	t.Helper()
	v, err := open(t.Context(), u, o)
	if err != nil {
		t.Fatal(err)
	}
	return v
}

// Next takes a message, or fails the test after a timeout.
func Next(t testing.TB, c transport.Consumer) transport.Delivery {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	d, err := c.Next(ctx)
	if err != nil {
		t.Fatal(err)
	}
	return d
}

// nothing checks that no message is available now.
func nothing(t *testing.T, c transport.Consumer) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 200*time.Millisecond)
	defer cancel()
	if d, err := c.Next(ctx); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("got %v and error %v, want nothing", d, err)
	}
}

func ack(t *testing.T, d transport.Delivery) {
	t.Helper()
	if err := d.Ack(t.Context()); err != nil {
		t.Error(err)
	}
}

func closing(t testing.TB, c interface{ Close() error }) {
	t.Helper()
	if err := c.Close(); err != nil {
		t.Error(err)
	}
}
