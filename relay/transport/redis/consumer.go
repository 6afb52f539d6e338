package redis

import (
	"context"
	"crypto/rand"
	"errors"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/redis/go-redis/v9"

	"github.com/eaapl/handoff/relay/internal/broker"
	"github.com/eaapl/handoff/relay/transport"
)

// group is the consumer group of all receivers, and of all readers of a sender's answers.
const group = "handoff"

// longestBlock is the maximum time for which the server waits for a message before it answers that
// there is none.
const longestBlock = 2 * time.Second

// A consumer reads in one goroutine, removes acknowledged messages in another, and in a third renews
// its messages and moves due ones.
type consumer struct {
	*server
	options transport.Options
	key     string // of the stream
	name    string // in the group
	owns    bool   // whether closing the consumer closes the connection
	held    *broker.Held[*delivery]
	ctx     context.Context
	cancel  context.CancelFunc
	running sync.WaitGroup
	later   chan struct{} // signaled when a message was returned for later

	claimed time.Time     // when the messages of other consumers were last checked
	toAck   chan struct{} // signaled when a message was acknowledged

	mu     sync.Mutex
	reader int64       // the server's id of the reading connection, 0 for none
	acked  []*delivery // to be removed
}

func newConsumer(s *server, o transport.Options, key string, owns bool) *consumer {
	c := &consumer{
		server: s, options: o, key: key, name: "handoff-" + rand.Text(), owns: owns, held: broker.NewHeld[*delivery](o.Prefetch),
		later: make(chan struct{}, 1), toAck: make(chan struct{}, 1),
	}
	c.ctx, c.cancel = context.WithCancel(context.Background())
	return c
}

// start creates the group, and starts reading.
func (c *consumer) start(ctx context.Context) error {
	if err := broker.Retry(ctx, c.address, func() error { return c.makeGroup(ctx) }); err != nil {
		c.cancel()
		return err
	}
	c.running.Go(c.read)
	c.running.Go(c.remove)
	c.running.Go(c.keep)
	return nil
}

// makeGroup creates the stream and its group if they do not exist. The group starts at the beginning
// of the stream.
func (c *consumer) makeGroup(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()
	err := c.client.XGroupCreateMkStream(ctx, c.key, group, "0").Err()
	if redis.HasErrorPrefix(err, "BUSYGROUP") {
		return nil
	}
	return c.explain(err)
}

// read reads until the consumer is closed.
func (c *consumer) read() {
	for failed := 0; c.ctx.Err() == nil; {
		read, err := c.readFrom()
		if read {
			failed = 0
		}
		failed++
		if redis.HasErrorPrefix(err, "NOGROUP") { // the server has lost its data, or it was deleted
			err = c.makeGroup(c.ctx)
		}
		if c.fatal(c.explain(err)) {
			return
		}
		broker.Pause(c.ctx, failed)
	}
}

// fatal ends the consumer if a retry after err would not help.
func (c *consumer) fatal(err error) bool {
	permanent := (*transport.PermanentError)(nil)
	if errors.As(err, &permanent) {
		c.held.End(broker.At(c.address, permanent.Err))
		return true
	}
	return false
}

// readFrom reads from one connection until it is lost, and reports whether it received a message.
func (c *consumer) readFrom() (read bool, err error) {
	conn := c.client.Conn()
	defer conn.Close()
	id, err := conn.ClientID(c.ctx).Result()
	if err != nil {
		return false, err
	}
	c.setReader(id)
	defer c.setReader(0)
	for c.ctx.Err() == nil {
		room := c.held.Room()
		if room <= 0 {
			select {
			case <-c.ctx.Done():
			case <-c.held.Changed():
			}
			continue
		}
		if time.Since(c.claimed) >= c.options.Lease/3 {
			n, err := c.claim(room)
			if err != nil {
				return read, err
			}
			read = read || n > 0
			continue
		}
		// Not c.ctx: a message that was sent must be read.
		streams, err := conn.XReadGroup(context.Background(), &redis.XReadGroupArgs{
			Group: group, Consumer: c.name, Streams: []string{c.key, ">"}, Count: int64(room), Block: min(longestBlock, max(c.options.Lease/3, time.Millisecond)),
		}).Result()
		if err != nil && !errors.Is(err, redis.Nil) {
			return read, err
		}
		for _, stream := range streams {
			c.took(stream.Messages)
			read = true
		}
	}
	return read, nil
}

func (c *consumer) setReader(id int64) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.reader = id
}

// claim takes over messages that other consumers no longer renew, and removes consumers that are
// gone.
func (c *consumer) claim(room int) (n int, err error) {
	ctx, cancel := context.WithTimeout(context.Background(), timeout)
	defer cancel()
	mine := map[string]bool{} // includes messages that were renewed too late and are still in work
	for _, d := range c.held.All() {
		mine[d.id] = true
	}
	for start := "0-0"; n < room; {
		entries, next, err := c.client.XAutoClaim(ctx, &redis.XAutoClaimArgs{
			Stream: c.key, Group: group, Consumer: c.name, MinIdle: c.options.Lease, Start: start, Count: int64(room - n),
		}).Result()
		if err != nil {
			return n, err
		}
		entries = slices.DeleteFunc(entries, func(entry redis.XMessage) bool { return mine[entry.ID] })
		c.took(entries)
		n += len(entries)
		if start = next; start == "0-0" {
			c.claimed = time.Now()
			break
		}
	}
	silent := max(10*c.options.Lease, time.Minute)
	return n, c.client.Eval(ctx, forgetScript, []string{c.key}, group, silent.Milliseconds()).Err()
}

// took holds the messages read.
func (c *consumer) took(entries []redis.XMessage) {
	for _, entry := range entries {
		d := &delivery{consumer: c, id: entry.ID}
		body, ours := entry.Values[bodyField].(string)
		for name, value := range entry.Values {
			text, _ := value.(string)
			if !ours && len(entry.Values) == 1 { // with any field name
				body = text
			}
			d.message.SetHeader(name, text)
		}
		d.message.Body = []byte(body)
		if size := int64(len(body)); size > c.options.MaxBytes {
			c.held.Hold(d)
			c.running.Go(func() {
				_ = d.DeadLetter(c.ctx, (&transport.TooLargeError{Size: size, Limit: c.options.MaxBytes}).Error()) // retried until the consumer is closed
			})
			continue
		}
		c.held.Offer(d)
	}
}

// remove removes acknowledged messages.
func (c *consumer) remove() {
	for {
		select {
		case <-c.ctx.Done():
			return
		case <-c.toAck:
			if c.fatal(c.removeAcked(c.ctx)) { // otherwise it is closed, and Close tries once more
				return
			}
		}
	}
}

func (c *consumer) removeAcked(ctx context.Context) error {
	for {
		c.mu.Lock()
		batch := c.acked[:min(len(c.acked), maxBatch)]
		c.mu.Unlock()
		if len(batch) == 0 {
			return nil
		}
		args := []any{group}
		for _, d := range batch {
			args = append(args, d.id)
		}
		if err := c.write(ctx, ackScript, []string{c.key}, args...); err != nil {
			return err
		}
		c.mu.Lock()
		c.acked = c.acked[len(batch):]
		c.mu.Unlock()
		for _, d := range batch {
			c.held.Release(d)
		}
	}
}

// keep renews the messages in work, and moves due messages.
func (c *consumer) keep() {
	renew := time.NewTicker(max(c.options.Lease/3, time.Millisecond))
	defer renew.Stop()
	for {
		wait := time.Second // other consumers may have returned messages and died
		next, err := c.client.Eval(c.ctx, dueScript, c.returnKeys(), maxBatch).Int64()
		if err == nil && next >= 0 {
			wait = min(wait, time.Duration(next)*time.Millisecond)
		}
		if c.fatal(c.explain(err)) {
			return
		}
		due := time.NewTimer(wait)
		select {
		case <-c.ctx.Done():
			due.Stop()
			return
		case <-due.C:
		case <-c.later:
		case <-renew.C:
			args := []any{group, c.name}
			for _, d := range c.held.All() {
				args = append(args, d.id)
			}
			_ = c.client.Eval(c.ctx, renewScript, []string{c.key}, args...).Err() // if it fails, another consumer may take them over
		}
		due.Stop()
	}
}

// returnKeys returns the keys of returnScript and dueScript.
func (c *consumer) returnKeys() []string {
	return []string{c.key, beside(c.key, "later"), beside(c.key, "due")}
}

func (c *consumer) Next(ctx context.Context) (transport.Delivery, error) { return c.held.Next(ctx) }

func (c *consumer) Reply(ctx context.Context, replyTo string, answer transport.Message) error {
	if err := broker.NameError(replyTo); err != nil {
		return err
	}
	_, err := c.publish(ctx, c.answers(replyTo), answer)
	return err
}

// Close returns held messages to the end of the stream. If the server is unreachable, other
// consumers take them over after the lease.
func (c *consumer) Close() error {
	c.held.End(broker.ErrClosed)
	c.cancel()
	stopped := make(chan struct{})
	go func() {
		c.running.Wait()
		close(stopped)
	}()
	ctx, cancel := context.WithTimeout(context.Background(), timeout)
	defer cancel()
	for waiting := true; waiting; {
		c.mu.Lock()
		reader := c.reader
		c.mu.Unlock()
		if reader != 0 { // so that it need not wait for the end of the blocking read; if this is forbidden, it waits
			_ = c.client.ClientUnblock(ctx, reader).Err()
		}
		select {
		case <-stopped:
			waiting = false
		case <-time.After(broker.FirstWait):
		}
	}
	err := c.removeAcked(ctx)
	if err == nil {
		err = c.write(ctx, leaveScript, []string{c.key}, group, c.name)
	}
	if errors.Is(err, context.DeadlineExceeded) || redis.HasErrorPrefix(err, "NOGROUP") {
		err = nil // the server is unreachable: held messages are redelivered
	}
	if c.owns {
		err = errors.Join(err, c.close())
	}
	return err
}

type delivery struct {
	consumer *consumer
	id       string
	message  transport.Message

	ended atomic.Bool
}

func (d *delivery) Message() transport.Message { return d.message }

func (d *delivery) Answer(ctx context.Context, answer transport.Message) error {
	return transport.Respond(ctx, d.consumer, d.message, answer)
}

func (d *delivery) Ack(context.Context) error {
	c := d.consumer
	if !d.ended.Swap(true) {
		c.mu.Lock()
		c.acked = append(c.acked, d)
		c.mu.Unlock()
		signal(c.toAck)
	}
	return nil
}

func (d *delivery) Return(ctx context.Context, after time.Duration) error {
	milliseconds := (max(after, 0) + time.Millisecond - 1).Milliseconds()
	err := d.move(ctx, returnScript, d.consumer.returnKeys(), milliseconds)
	signal(d.consumer.later)
	return err
}

func (d *delivery) DeadLetter(ctx context.Context, reason string) error {
	keys := []string{d.consumer.key, beside(d.consumer.stream, "dead")}
	args := []any{broker.ReasonHeader, broker.Reason(reason)}
	if d.consumer.options.Withhold {
		args = append(args, fieldsOf(d.message.Withheld(reason))...)
	}
	return d.move(ctx, deadScript, keys, args...)
}

// move ends a delivery by a script.
func (d *delivery) move(ctx context.Context, script string, keys []string, args ...any) error {
	if d.ended.Load() {
		return nil
	}
	err := d.consumer.write(ctx, script, keys, append([]any{group, d.id}, args...)...)
	if err == nil {
		d.ended.Store(true)
		d.consumer.held.Release(d)
	}
	return err
}

// signal wakes a goroutine, unless a signal is pending.
func signal(c chan struct{}) {
	select {
	case c <- struct{}{}:
	default:
	}
}
