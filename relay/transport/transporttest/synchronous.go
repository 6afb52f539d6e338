package transporttest

import (
	"bytes"
	"context"
	"errors"
	"sync"
	"testing"
	"time"

	"github.com/eaapl/handoff/relay/transport"
)

// RunSynchronous tests a transport whose Publish waits for the receiver, and that stores nothing.
// start returns a new place; its consumer is opened before its publishers, and only one at a time.
// Kill and DeadLetters are not used.
func RunSynchronous(t *testing.T, start func(*testing.T) Place) {
	for _, tt := range []struct {
		name string
		test func(*testing.T, synchronous)
	}{
		{"a message arrives as it was sent, and so does the answer", exchanged},
		{"hostile headers", hostileExchanged},
		{"large bodies", largeExchanged},
		{"what is too large", tooLargeExchanged},
		{"every outcome", outcomes},
		{"acknowledged without an answer", unanswered},
		{"given back: an error that may be gone", returned},
		{"dead letters: an error for good, or the answer", refused},
		{"not acknowledged: an error that may be gone", abandoned},
		{"each message once, each answer to its message", crossed},
		{"answers come with the message alone", noAnswers},
		{"the end of the context", synchronousEnds},
		{"a sender that does not wait", impatient},
	} {
		t.Run(tt.name, func(t *testing.T) {
			p := start(t)
			s := synchronous{Place: p, consumer: p.Consumer(t)}
			s.publisher = p.Publisher(t)
			tt.test(t, s)
			closing(t, s.publisher)
			closing(t, s.consumer)
		})
	}
}

// A synchronous place has one consumer, and a publisher.
type synchronous struct {
	Place
	consumer  transport.Consumer
	publisher transport.Publisher
}

type published struct {
	answer *transport.Message
	err    error
}

// publish publishes a message, and returns the result.
func (s synchronous) publish(ctx context.Context, m transport.Message) <-chan published {
	result := make(chan published, 1)
	go func() {
		receipt, err := s.publisher.Publish(ctx, m)
		result <- published{receipt.Answer, err}
	}()
	return result
}

// exchange sends a message and an answer, and checks that both arrive unchanged.
func (s synchronous) exchange(t *testing.T, sent, answer transport.Message) {
	t.Helper()
	result := s.publish(t.Context(), sent)
	d := Next(t, s.consumer)
	same(t, d.Message(), sent)
	if err := d.Answer(t.Context(), answer); err != nil {
		t.Error(err)
	}
	ack(t, d)
	got := <-result
	if got.err != nil || got.answer == nil {
		t.Fatalf("answer %v, error %v", got.answer, got.err)
	}
	same(t, *got.answer, answer)
}

func exchanged(t *testing.T, s synchronous) {
	s.exchange(t, full(), transport.Message{
		Key: "0b1f62a9-3d3c-4f0e-9a4f-5d6f6e8f7a10", Kind: transport.Answer, Outcome: transport.Conflict, Attempt: 3,
		Traceparent: "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01", Body: []byte("{\"status\": \"\u00e9\x00\xff\"}\r\n"),
	})
	s.exchange(t, transport.Message{ID: "b7-2", Body: []byte("x")}, transport.Message{Kind: transport.Answer, Outcome: transport.Taken, Body: []byte("{}")})
}

func hostileExchanged(t *testing.T, s synchronous) {
	for _, sent := range hostile() {
		answer := answerTo(sent.Key)
		answer.Traceparent = sent.Traceparent
		s.exchange(t, sent, answer)
	}
}

func largeExchanged(t *testing.T, s synchronous) {
	size := int64(4 << 20)
	if s.Limit > 0 {
		size = min(size, s.Limit*9/10)
	}
	body := bytes.Repeat([]byte("0123456789abcde\n"), int(size/16))
	answer := answerTo("large")
	answer.Body = body
	s.exchange(t, transport.Message{ID: "large", Key: "large", Body: body}, answer)
}

func tooLargeExchanged(t *testing.T, s synchronous) {
	if s.Limit == 0 {
		t.Skip("no limit that a test could reach")
	}
	_, err := s.publisher.Publish(t.Context(), transport.Message{ID: "too large", Body: make([]byte, s.Limit+1)})
	if e := (*transport.TooLargeError)(nil); !errors.As(err, &e) || e.Limit != s.Limit || e.Size != s.Limit+1 {
		t.Errorf("the error is %v, want a TooLargeError with size and limit", err)
	}
	s.exchange(t, numbered(1), answerTo("1"))
}

func outcomes(t *testing.T, s synchronous) {
	for _, outcome := range []transport.Outcome{transport.Taken, transport.Refused, transport.Conflict} {
		answer := answerTo(string(outcome))
		answer.Outcome = outcome
		s.exchange(t, transport.Message{ID: "o", Key: string(outcome), Body: []byte("x")}, answer)
	}
}

func unanswered(t *testing.T, s synchronous) {
	result := s.publish(t.Context(), numbered(1))
	ack(t, Next(t, s.consumer))
	if got := <-result; got.answer != nil || got.err != nil {
		t.Errorf("answer %v, error %v", got.answer, got.err)
	}
}

// temporary checks for an error that a retry may resolve.
func temporary(t *testing.T, got published) {
	t.Helper()
	tooLarge, permanent := (*transport.TooLargeError)(nil), (*transport.PermanentError)(nil)
	if got.err == nil || errors.As(got.err, &tooLarge) || errors.As(got.err, &permanent) {
		t.Errorf("answer %v, error %v, want an error that may be gone", got.answer, got.err)
	}
}

func returned(t *testing.T, s synchronous) {
	result := s.publish(t.Context(), numbered(1))
	if err := Next(t, s.consumer).Return(t.Context(), 10*time.Millisecond); err != nil {
		t.Error(err)
	}
	temporary(t, <-result)
	s.exchange(t, numbered(1), answerTo("1"))
}

func refused(t *testing.T, s synchronous) {
	result := s.publish(t.Context(), numbered(1))
	if err := Next(t, s.consumer).DeadLetter(t.Context(), "SAFETY_VIOLATION: an attack"); err != nil {
		t.Error(err)
	}
	got := <-result
	if e := (*transport.PermanentError)(nil); !errors.As(got.err, &e) {
		t.Errorf("answer %v, error %v, want one for good", got.answer, got.err)
	}
	result = s.publish(t.Context(), numbered(2))
	d := Next(t, s.consumer)
	answer := answerTo("2")
	answer.Outcome = transport.Refused
	if err := errors.Join(d.Answer(t.Context(), answer), d.DeadLetter(t.Context(), "SAFETY_VIOLATION")); err != nil {
		t.Error(err)
	}
	if got := <-result; got.err != nil || got.answer == nil || got.answer.Outcome != transport.Refused {
		t.Errorf("answer %v, error %v", got.answer, got.err)
	}
}

func abandoned(t *testing.T, s synchronous) {
	result := s.publish(t.Context(), numbered(1))
	Next(t, s.consumer)
	closing(t, s.consumer)
	temporary(t, <-result)
	temporary(t, <-s.publish(t.Context(), numbered(2))) // without a receiver
}

func crossed(t *testing.T, s synchronous) {
	const messages, consumers, publishers = 200, 4, 8
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	var got sync.Map
	var taking, sending sync.WaitGroup
	for range consumers {
		taking.Go(func() {
			for {
				d, err := s.consumer.Next(ctx)
				if ctx.Err() != nil {
					return
				}
				if err != nil {
					t.Error(err)
					return
				}
				body := string(d.Message().Body)
				if _, again := got.LoadOrStore(body, true); again {
					t.Errorf("%s came twice", body)
				}
				if err := errors.Join(d.Answer(t.Context(), answerTo(body)), d.Ack(t.Context())); err != nil {
					t.Error(err)
				}
			}
		})
	}
	for i := range publishers {
		sending.Go(func() {
			for j := range messages / publishers {
				m := numbered(i*messages/publishers + j)
				r, err := s.publisher.Publish(ctx, m)
				a := r.Answer
				if err != nil || a == nil || string(a.Body) != "to "+string(m.Body) {
					t.Errorf("%s: answer %v, error %v", m.Body, a, err)
				}
			}
		})
	}
	sending.Wait()
	cancel()
	taking.Wait()
}

func noAnswers(t *testing.T, s synchronous) {
	if c, err := s.publisher.Answers(t.Context(), "sender"); !errors.Is(err, transport.ErrNoAnswers) {
		t.Errorf("got %v and %v", c, err)
	}
	if err := s.consumer.Reply(t.Context(), "sender", answerTo("y")); err != nil {
		t.Errorf("a reply has nowhere to go: %v", err)
	}
}

func synchronousEnds(t *testing.T, s synchronous) {
	nothing(t, s.consumer)
	ctx, cancel := context.WithCancel(t.Context())
	result := make(chan error)
	go func() {
		_, err := s.consumer.Next(ctx)
		result <- err
	}()
	cancel()
	if err := <-result; !errors.Is(err, context.Canceled) {
		t.Errorf("Next ended with %v", err)
	}
	s.exchange(t, numbered(1), answerTo("1")) // the consumer still works
}

// impatient tests a sender that stops waiting for the answer after the receiver has taken the
// message.
func impatient(t *testing.T, s synchronous) {
	ctx, cancel := context.WithCancel(t.Context())
	result := s.publish(ctx, numbered(1))
	d := Next(t, s.consumer)
	cancel()
	if got := <-result; !errors.Is(got.err, context.Canceled) {
		t.Errorf("answer %v, error %v", got.answer, got.err)
	}
	if err := errors.Join(d.Answer(t.Context(), answerTo("1")), d.Ack(t.Context())); err != nil {
		t.Error(err)
	}
	s.exchange(t, numbered(1), answerTo("1")) // it is redelivered, as any message may be
}

// full returns a message with all members.
func full() transport.Message {
	return transport.Message{
		ID: "b7-1", Key: "0b1f62a9-3d3c-4f0e-9a4f-5d6f6e8f7a10", Group: "task 7", Kind: transport.Handoff,
		Body:        []byte("{\"a\": 1.0,\r\n \"b\": \"\u00e9\x00\xff\"}\n"),
		Traceparent: "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01", DispatchedAt: time.Date(2026, 11, 23, 4, 5, 6, 789012000, time.UTC),
		Attempt: 3, ReplyTo: "sender-1", Outcome: transport.Refused, Encoding: "zstd",
		Claim: "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08",
	}
}

// hostile returns messages with headers that must not turn into something else.
func hostile() []transport.Message {
	return []transport.Message{
		{ID: "h", Key: "a\r\nX-Evil: 1\x00 é%0A", Group: "\n", Body: []byte("x"), Traceparent: "\r\n\r\n{}"},
		{ID: "h2", Key: `"quoted"`, Body: []byte("x")},
		{ID: "h3", Key: "../..//?a=b#c", Body: []byte("x")},
	}
}
