package transport

import (
	"context"
	"slices"
	"sync"
	"time"
)

// A Memory is a place within one process, for tests and for programs that contain both sender and
// receiver. Its messages are lost with the process. The zero value is ready to use.
type Memory struct {
	mu     sync.Mutex
	queues map[string]*memoryQueue // by the name of the sender, for answers; "" for messages
}

// Publisher returns a publisher to the place.
func (m *Memory) Publisher() Publisher { return memoryPublisher{m} }

// Consumer returns a consumer of the place.
func (m *Memory) Consumer() Consumer { return &memoryConsumer{memory: m, queue: m.queue("")} }

// DeadLetters returns the dead letters of the place.
func (m *Memory) DeadLetters() []Message {
	q := m.queue("")
	q.mu.Lock()
	defer q.mu.Unlock()
	return append([]Message(nil), q.dead...)
}

func (m *Memory) queue(name string) *memoryQueue {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.queues == nil {
		m.queues = map[string]*memoryQueue{}
	}
	if m.queues[name] == nil {
		m.queues[name] = new(memoryQueue)
	}
	return m.queues[name]
}

type memoryQueue struct {
	mu      sync.Mutex
	waiting []Message
	dead    []Message
	takers  []chan Message // each receives one message; the longest waiting is first
}

// add gives a message to the consumer that has waited longest. If add woke all consumers, the same
// one could win each time, and a message that it returns for another consumer would never reach that
// one.
func (q *memoryQueue) add(m Message) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if len(q.takers) == 0 {
		q.waiting = append(q.waiting, m)
		return
	}
	q.takers[0] <- m
	q.takers = q.takers[1:]
}

// take waits for a message. A consumer must not be closed while it waits: cancel ctx first.
func (q *memoryQueue) take(ctx context.Context) (Message, error) {
	q.mu.Lock()
	if len(q.waiting) > 0 {
		defer q.mu.Unlock()
		m := q.waiting[0]
		q.waiting = q.waiting[1:]
		return m, nil
	}
	taker := make(chan Message, 1)
	q.takers = append(q.takers, taker)
	q.mu.Unlock()
	select {
	case m := <-taker:
		return m, nil
	case <-ctx.Done():
	}
	q.mu.Lock()
	defer q.mu.Unlock()
	if i := slices.Index(q.takers, taker); i >= 0 {
		q.takers = slices.Delete(q.takers, i, i+1)
		return Message{}, ctx.Err()
	}
	return <-taker, nil // it arrived at the same time
}

type memoryPublisher struct{ memory *Memory }

func (p memoryPublisher) Publish(ctx context.Context, m Message) (Receipt, error) {
	if err := ctx.Err(); err != nil {
		return Receipt{}, err
	}
	m.Body = append([]byte(nil), m.Body...)
	p.memory.queue("").add(m)
	return Receipt{}, nil
}

func (p memoryPublisher) Answers(_ context.Context, replyTo string) (Consumer, error) {
	return &memoryConsumer{memory: p.memory, queue: p.memory.queue("answers/" + replyTo)}, nil
}

func (memoryPublisher) Close() error { return nil }

type memoryConsumer struct {
	memory *Memory
	queue  *memoryQueue
	mu     sync.Mutex
	held   map[*memoryDelivery]bool
}

func (c *memoryConsumer) Next(ctx context.Context) (Delivery, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	m, err := c.queue.take(ctx)
	if err != nil {
		return nil, err
	}
	d := &memoryDelivery{consumer: c, message: m}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.held == nil {
		c.held = map[*memoryDelivery]bool{}
	}
	c.held[d] = true
	return d, nil
}

func (c *memoryConsumer) Reply(_ context.Context, replyTo string, answer Message) error {
	c.memory.queue("answers/" + replyTo).add(answer)
	return nil
}

func (c *memoryConsumer) Close() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	for d := range c.held {
		c.queue.add(d.message)
	}
	c.held = nil
	return nil
}

// end removes a delivery from the consumer, and reports whether the consumer still had it.
func (c *memoryConsumer) end(d *memoryDelivery) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	held := c.held[d]
	delete(c.held, d)
	return held
}

type memoryDelivery struct {
	consumer *memoryConsumer
	message  Message
}

func (d *memoryDelivery) Message() Message { return d.message }

func (d *memoryDelivery) Answer(ctx context.Context, answer Message) error {
	return Respond(ctx, d.consumer, d.message, answer)
}

func (d *memoryDelivery) Ack(context.Context) error {
	d.consumer.end(d)
	return nil
}

func (d *memoryDelivery) Return(_ context.Context, after time.Duration) error {
	if d.consumer.end(d) {
		time.AfterFunc(after, func() { d.consumer.queue.add(d.message) })
	}
	return nil
}

func (d *memoryDelivery) DeadLetter(context.Context, string) error {
	if q := d.consumer.queue; d.consumer.end(d) {
		q.mu.Lock()
		defer q.mu.Unlock()
		q.dead = append(q.dead, d.message)
	}
	return nil
}
