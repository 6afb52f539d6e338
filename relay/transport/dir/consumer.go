package dir

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"sync"
	"time"

	"github.com/eaapl/handoff/internal/polling"
	"github.com/eaapl/handoff/relay/internal/alive"
	"github.com/eaapl/handoff/relay/transport"
)

// A consumer takes the messages of a box.
type consumer struct {
	place *place
	box   *box
	sign  *alive.Sign
	mine  string        // the folder of its taken messages
	slots chan struct{} // one for each message that it holds
	ended chan struct{} // closed by Close

	mu      sync.Mutex
	list    listing
	checked time.Time // when messages of dead consumers were last given back
	closed  bool
}

func newConsumer(p *place, b *box) (transport.Consumer, error) {
	if err := b.make(); err != nil {
		return nil, err
	}
	sign, err := alive.Show(p.running())
	if err != nil {
		return nil, plain(err)
	}
	c := &consumer{
		place: p, box: b, sign: sign, mine: filepath.Join(b.taken, sign.Name),
		slots: make(chan struct{}, p.options.Prefetch), ended: make(chan struct{}),
	}
	if err := os.MkdirAll(c.mine, 0o700); err != nil {
		return nil, errors.Join(plain(err), sign.End())
	}
	return c, nil
}

var errClosed = errors.New("the consumer was closed")

func (c *consumer) Next(ctx context.Context) (transport.Delivery, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	select {
	case c.slots <- struct{}{}:
	case <-ctx.Done():
		return nil, ctx.Err()
	case <-c.ended:
		return nil, errClosed
	}
	d, err := c.wait(ctx)
	if err != nil {
		<-c.slots
		return nil, plain(err)
	}
	return d, nil
}

func (c *consumer) wait(ctx context.Context) (*delivery, error) {
	for start := time.Now(); ; {
		if d, err := c.take(); d != nil || err != nil {
			return d, err
		}
		timer := time.NewTimer(polling.Pause(time.Since(start)))
		select {
		case <-ctx.Done():
			timer.Stop()
			return nil, ctx.Err()
		case <-c.ended:
			timer.Stop()
			return nil, errClosed
		case <-timer.C:
		}
	}
}

// take returns the first waiting message, nil if there is none.
func (c *consumer) take() (*delivery, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.closed {
		return nil, errClosed
	}
	if err := c.putBack(); err != nil {
		return nil, err
	}
	if len(c.list.names) == 0 || c.list.old() { // returned messages come before all others
		var err error
		if c.list, err = c.box.list(); err != nil {
			return nil, err
		}
	}
	for len(c.list.names) > 0 {
		n := c.list.names[0]
		c.list.names = c.list.names[1:]
		if n.after.After(time.Now()) {
			continue
		}
		switch d, err := c.open(n); {
		case errors.Is(err, fs.ErrNotExist): // another consumer was faster
		case err != nil:
			return nil, err
		case d != nil:
			return d, nil
		}
	}
	return nil, nil
}

// open takes a message and reads it; nil if it became a dead letter.
func (c *consumer) open(n name) (*delivery, error) {
	waiting, path := filepath.Join(c.box.waiting, n.text), filepath.Join(c.mine, n.text)
	if err := os.Rename(waiting, path); err != nil {
		return nil, err
	}
	m, err := readFile(path, c.place.options.MaxBytes)
	if e := (*unusable)(nil); errors.As(err, &e) {
		return nil, c.bury(path, m, e.reason)
	}
	if err != nil {
		return nil, errors.Join(fmt.Errorf("%w: the message stays in the queue", plain(err)), os.Rename(path, waiting))
	}
	return &delivery{consumer: c, name: n, message: m}, nil
}

// look is the interval of the search for messages of dead consumers.
const look = time.Second

// putBack gives back the messages of dead consumers.
func (c *consumer) putBack() error {
	if time.Since(c.checked).Abs() < look {
		return nil
	}
	c.checked = time.Now()
	if _, err := os.Lstat(c.mine); err != nil {
		return fmt.Errorf("%w: the folder was removed, with the messages that this consumer had taken", plain(err))
	}
	consumers, err := os.ReadDir(c.box.taken)
	if err != nil {
		return err
	}
	for _, e := range consumers {
		if e.Name() == c.sign.Name || !fits(e.Name(), signForm) || !e.IsDir() {
			continue
		}
		if lives, err := alive.Is(c.place.running(), e.Name()); lives || err != nil {
			continue // its state is unknown
		}
		if err := c.box.release(filepath.Join(c.box.taken, e.Name())); err != nil {
			return err
		}
	}
	return nil
}

// release gives back all messages in a folder of taken messages, and removes the folder.
func (b *box) release(folder string) error {
	files, err := os.ReadDir(folder)
	if errors.Is(err, fs.ErrNotExist) {
		return nil // another was faster
	}
	if err != nil {
		return err
	}
	for _, f := range files {
		if n, ok := parseName(f.Name()); ok {
			err := os.Rename(filepath.Join(folder, n.text), filepath.Join(b.waiting, n.text))
			if err != nil && !errors.Is(err, fs.ErrNotExist) {
				return err
			}
		}
	}
	_ = os.Remove(folder) // it fails if other files are left
	return nil
}

func (c *consumer) Reply(ctx context.Context, replyTo string, answer transport.Message) error {
	b, err := c.place.answersTo(replyTo)
	if err != nil {
		return err
	}
	_, err = b.put(ctx, &answer)
	return err
}

func (c *consumer) Close() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.closed {
		return nil
	}
	c.closed = true
	close(c.ended)
	return errors.Join(plain(c.box.release(c.mine)), c.sign.End())
}

// end runs the final action of a delivery, unless the delivery has ended.
func (c *consumer) end(d *delivery, last func(path string) error) error {
	c.mu.Lock()
	closed, ended := c.closed, d.ended
	d.ended = true
	c.mu.Unlock()
	switch {
	case ended:
		return nil
	case closed:
		return fmt.Errorf("%w: the message was given back", errClosed)
	}
	defer func() { <-c.slots }()
	err := plain(last(filepath.Join(c.mine, d.name.text)))
	if errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("%w: another program removed the message, so it may be delivered again", err)
	}
	return err
}

type delivery struct {
	consumer *consumer
	name     name
	message  transport.Message
	ended    bool // under the lock of the consumer
}

func (d *delivery) Message() transport.Message { return d.message }

func (d *delivery) Answer(ctx context.Context, answer transport.Message) error {
	return transport.Respond(ctx, d.consumer, d.message, answer)
}

func (d *delivery) Ack(context.Context) error { return d.consumer.end(d, os.Remove) }

func (d *delivery) Return(_ context.Context, after time.Duration) error {
	var until time.Time
	if after > 0 {
		until = time.Now().Add(after)
	}
	return d.consumer.end(d, func(path string) error {
		return os.Rename(path, filepath.Join(d.consumer.box.waiting, d.name.delayed(until)))
	})
}

func (d *delivery) DeadLetter(_ context.Context, reason string) error {
	return d.consumer.end(d, func(path string) error { return d.consumer.bury(path, d.message, reason) })
}

// bury turns the file of a message into a dead letter.
func (c *consumer) bury(path string, m transport.Message, reason string) error {
	if c.place.options.Withhold {
		return withhold(path, c.place.dead(), m.Withheld(reason), reason)
	}
	return bury(path, c.place.dead(), reason)
}
