package simulation

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/eaapl/handoff/relay/transport"
)

// place is a queue of messages for receivers. If it is direct, answers come only with the message, as with
// HTTP: the publisher waits for the receiver.
type place struct {
	world    *world
	address  string
	direct   bool
	messages *box
	answers  map[string]*box // by the names of senders
	dead     int             // dead letters
}

// box holds the messages for consumers.
type box struct {
	name    string
	letters []*letter
}

// letter is a message in transit.
type letter struct {
	message transport.Message
	box     *box
	due     time.Time
	back    chan error         // for a direct place: the result, with the answer
	answer  *transport.Message // for a direct place
}

func (l *letter) String() string { return fmt.Sprintf("%s of %s", l.message.ID, l.box.name) }

// due returns the letters that may be taken. The caller holds mu.
func (b *box) due() (list []*letter) {
	for _, l := range b.letters {
		if !time.Now().Before(l.due) {
			list = append(list, l)
		}
	}
	return list
}

func (w *world) newPlace(address string, direct bool) *place {
	return &place{world: w, address: address, direct: direct, messages: &box{name: address}, answers: map[string]*box{}}
}

// box returns the box for the answers to a sender. The caller holds mu.
func (pl *place) box(name string) *box {
	if pl.answers[name] == nil {
		pl.answers[name] = &box{name: "answers at " + pl.address}
	}
	return pl.answers[name]
}

// put adds a message to a box, possibly with a delay.
func (w *world) put(b *box, m transport.Message) *letter {
	w.mu.Lock()
	defer w.mu.Unlock()
	l := &letter{message: m, box: b, due: time.Now()}
	if !w.calm && w.chance(w.plan.delays) {
		l.due = l.due.Add(time.Duration(w.rng.Int64N(int64(w.plan.longest))))
	}
	b.letters = append(b.letters, l)
	return l
}

// publisher is the connection of a sender's process to a place.
type publisher struct {
	*place
	process *process
}

// connect opens a place for a sender.
func (p *process) connect(ctx context.Context, pl *place) (transport.Publisher, error) {
	if err := p.do(ctx, "connects to "+pl.address, func() {}, fails, dies); err != nil {
		return nil, err
	}
	pub := publisher{pl, p}
	if pl.direct {
		return directPublisher{pub}, nil
	}
	return pub, nil
}

func (pub publisher) Publish(ctx context.Context, m transport.Message) (transport.Receipt, error) {
	err := pub.process.do(ctx, "publishes "+m.ID, func() {
		pub.world.published(pub.process, pub.place, m)
		pub.world.put(pub.messages, m)
	}, fails, unheard, twice, dies, diesAfter)
	return transport.Receipt{}, err
}

func (pub publisher) Answers(ctx context.Context, name string) (transport.Consumer, error) {
	if err := pub.process.do(ctx, "listens at "+pub.address, func() {}, fails, dies); err != nil {
		return nil, err
	}
	pub.world.mu.Lock()
	defer pub.world.mu.Unlock()
	return pub.place.consumer(pub.process, pub.box(name)), nil
}

func (publisher) Close() error { return nil }

// A directPublisher waits for its receiver.
type directPublisher struct{ publisher }

func (pub directPublisher) Publish(ctx context.Context, m transport.Message) (receipt transport.Receipt, err error) {
	w := pub.world
	f, err := pub.process.step(ctx, "posts "+m.ID, fails, unheard, twice, dies, diesAfter)
	switch {
	case err != nil:
		return receipt, err
	case f == fails:
		return receipt, errBroken
	case f == dies:
		pub.process.kill("it dies")
	}
	if f == dies || f == dead {
		return receipt, errDead
	}
	w.published(pub.process, pub.place, m)
	if f == twice { // an intermediary has tried again
		w.put(pub.messages, m)
	}
	l := w.put(pub.messages, m)
	l.back = make(chan error, 1)
	switch f {
	case unheard:
		return receipt, errBroken
	case diesAfter:
		pub.process.kill("it dies")
		return receipt, errDead
	}
	select {
	case err = <-l.back:
	case <-ctx.Done():
		err = ctx.Err()
	case <-pub.process.ctx.Done():
		err = errDead
	}
	if err == nil {
		err = pub.process.do(ctx, "gets the answer to "+m.ID, func() {}, fails, dies)
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	if err != nil {
		return receipt, err
	}
	return transport.Receipt{Answer: l.answer}, nil
}

func (directPublisher) Answers(context.Context, string) (transport.Consumer, error) {
	return nil, transport.ErrNoAnswers
}

// Ask implements [transport.Asker]: any running receiver of the place has the answer.
func (pub directPublisher) Ask(ctx context.Context, key string) (answer *transport.Message, err error) {
	asked := errBroken
	err = pub.process.do(ctx, "asks for "+key, func() {
		for _, s := range pub.world.stations {
			if p := s.process; s.place == pub.place && p != nil && !p.ended {
				answer, asked = s.lookUp(ctx, key)
				return
			}
		}
	}, fails, unheard, dies, diesAfter)
	if err == nil {
		err = asked
	}
	return answer, err
}

// consumer is the connection of a process to a box.
type consumer struct {
	place   *place
	process *process
	box     *box
	held    []*letter
	closed  bool
}

// wait is a consumer that waits for a message.
type wait struct {
	consumer *consumer
	got      chan *letter
}

// consume opens a place for a receiver.
func (p *process) consume(ctx context.Context, pl *place) (transport.Consumer, error) {
	if err := p.do(ctx, "consumes "+pl.address, func() {}, fails, dies); err != nil {
		return nil, err
	}
	p.world.mu.Lock()
	defer p.world.mu.Unlock()
	return pl.consumer(p, pl.messages), nil
}

// consumer returns a consumer, whose messages are delivered again when its process ends. The caller holds mu.
func (pl *place) consumer(p *process, b *box) *consumer {
	c := &consumer{place: pl, process: p, box: b}
	p.atEnd = append(p.atEnd, func() { c.giveBack() })
	return c
}

var errClosed = errors.New("the consumer is closed")

// take gives a consumer a letter. The caller holds mu.
func (c *consumer) take(l *letter) {
	l.box.letters = slices.DeleteFunc(l.box.letters, func(o *letter) bool { return o == l })
	c.held = append(c.held, l)
}

// giveBack returns the messages that the consumer holds. The caller holds mu.
func (c *consumer) giveBack() {
	c.closed = true
	for _, l := range c.held {
		c.back(l, 0)
	}
	c.held = nil
}

// back returns a letter. The caller holds mu.
func (c *consumer) back(l *letter, after time.Duration) {
	if c.place.direct && c.box == c.place.messages { // its publisher tries again
		if l.back != nil {
			l.back <- errBroken
		}
		return
	}
	l.due = time.Now().Add(after)
	c.box.letters = append(c.box.letters, l)
}

func (c *consumer) Next(ctx context.Context) (transport.Delivery, error) {
	w := c.process.world
	w.mu.Lock()
	if c.closed || c.process.ended {
		w.mu.Unlock()
		return nil, errClosed
	}
	x := &wait{c, make(chan *letter, 1)}
	w.waits = append(w.waits, x)
	w.mu.Unlock()
	var l *letter
	select {
	case l = <-x.got:
	case <-ctx.Done():
		w.mu.Lock()
		defer w.mu.Unlock()
		if i := slices.Index(w.waits, x); i >= 0 {
			w.waits = slices.Delete(w.waits, i, i+1)
			return nil, ctx.Err()
		}
		l = <-x.got
	}
	if l == nil {
		return nil, errClosed
	}
	return &delivery{c, l}, nil
}

func (c *consumer) Reply(ctx context.Context, replyTo string, answer transport.Message) error {
	if c.place.direct {
		return nil
	}
	return c.process.do(ctx, "answers "+answerName(answer), func() {
		c.process.world.answered(c.process, c.place, answer)
		c.process.world.mu.Lock()
		b := c.place.box(replyTo)
		c.process.world.mu.Unlock()
		c.process.world.put(b, answer)
	}, fails, unheard, twice, dies, diesAfter)
}

// answerName returns the name of an answer in a trace.
func answerName(m transport.Message) string { return m.Key + " " + string(m.Outcome) }

func (c *consumer) Close() error {
	c.process.world.mu.Lock()
	defer c.process.world.mu.Unlock()
	if !c.closed {
		c.giveBack()
	}
	return nil
}

// A delivery is a letter that a consumer holds.
type delivery struct {
	consumer *consumer
	letter   *letter
}

func (d *delivery) Message() transport.Message {
	m := d.letter.message
	m.Body = slices.Clone(m.Body)
	return m
}

func (d *delivery) Answer(ctx context.Context, answer transport.Message) error {
	if !d.consumer.place.direct {
		return transport.Respond(ctx, d.consumer, d.letter.message, answer)
	}
	w := d.consumer.process.world
	return d.consumer.process.do(ctx, "answers "+answerName(answer), func() {
		w.answered(d.consumer.process, d.consumer.place, answer)
		w.mu.Lock()
		defer w.mu.Unlock()
		d.letter.answer = &answer
	}, dies, diesAfter)
}

// end takes a letter from its consumer, and reports whether it had the letter.
func (d *delivery) end(then func()) {
	w := d.consumer.process.world
	w.mu.Lock()
	defer w.mu.Unlock()
	if i := slices.Index(d.consumer.held, d.letter); i >= 0 {
		d.consumer.held = slices.Delete(d.consumer.held, i, i+1)
		then()
	}
}

// do ends the delivery. After a failure, the consumer has lost its connection, and returns the remaining
// letters.
func (d *delivery) do(ctx context.Context, name string, effect func(), can ...fate) error {
	err := d.consumer.process.do(ctx, name, effect, can...)
	if err != nil {
		d.consumer.lose()
	}
	return err
}

// lose ends a consumer.
func (c *consumer) lose() {
	w := c.process.world
	w.mu.Lock()
	defer w.mu.Unlock()
	if c.closed {
		return
	}
	c.giveBack()
	for _, x := range w.waits {
		if x.consumer == c {
			x.got <- nil
		}
	}
	w.waits = slices.DeleteFunc(w.waits, func(x *wait) bool { return x.consumer == c })
}

func (d *delivery) finish() {
	if l := d.letter; l.back != nil {
		l.back <- nil
	}
}

func (d *delivery) Ack(ctx context.Context) error {
	return d.do(ctx, "acknowledges "+d.letter.String(), func() {
		d.consumer.process.world.acknowledged(d)
		d.end(d.finish)
	}, fails, unheard, dies, diesAfter)
}

func (d *delivery) Return(ctx context.Context, after time.Duration) error {
	return d.do(ctx, "returns "+d.letter.String(), func() {
		d.end(func() { d.consumer.back(d.letter, after) })
	}, fails, unheard, dies, diesAfter)
}

func (d *delivery) DeadLetter(ctx context.Context, _ string) error {
	return d.do(ctx, "puts with the dead letters "+d.letter.String(), func() {
		d.consumer.process.world.acknowledged(d)
		d.end(func() { d.consumer.place.dead++; d.finish() })
	}, fails, unheard, dies, diesAfter)
}
