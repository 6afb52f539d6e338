// Package redis carries messages through Redis Streams.
//
// An address is redis://[USER:PASSWORD@]HOST:PORT/DB/STREAM, or rediss:// for TLS. Receivers are the
// consumer group "handoff" of the stream. Acknowledged messages are removed from it. Dead letters
// are in the stream {STREAM}:dead, answers in {STREAM}:answers:SENDER, and messages returned for
// later in {STREAM}:later, with their times in the sorted set {STREAM}:due: the braces keep all keys
// in one slot of a cluster.
//
// The durability of a confirmed message depends on the server's append-only file. If it is enabled
// and the server is Redis 7.2 or later, publishing waits until the message is in the file on disk.
// Earlier versions write the file before they confirm only with "appendfsync always". The parameter
// durable=require rejects a server with neither.
package redis

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/redis/go-redis/v9"

	"github.com/eaapl/handoff/relay/internal/broker"
	"github.com/eaapl/handoff/relay/transport"
)

// Publish opens a publisher to the stream of an address. It retries until ctx is done.
func Publish(ctx context.Context, u *url.URL, o transport.Options) (transport.Publisher, error) {
	s, err := open(ctx, u)
	if err != nil {
		return nil, err
	}
	return &publisher{s, o.WithDefaults()}, nil
}

// Consume opens a consumer of the stream of an address. It retries until ctx is done. If the
// connection is lost later, Next waits until the server is back.
//
// All receivers of a stream must have the same Options.Lease: each one takes over messages that
// another has not renewed for its own lease.
func Consume(ctx context.Context, u *url.URL, o transport.Options) (transport.Consumer, error) {
	s, err := open(ctx, u)
	if err != nil {
		return nil, err
	}
	c := newConsumer(s, o.WithDefaults(), s.stream, true)
	if err := c.start(ctx); err != nil {
		return nil, errors.Join(err, s.close())
	}
	return c, nil
}

// Check returns an error if the address can never work, whatever the state of its server.
func Check(u *url.URL) error {
	_, err := parse(u)
	return err
}

// open returns the server and the stream of an address.
func open(ctx context.Context, u *url.URL) (*server, error) {
	p, err := parse(u)
	if err != nil {
		return nil, err
	}
	return connect(ctx, u, p)
}

// A place is a stream on a server.
type place struct {
	database int
	stream   string
	require  bool // writes have to reach the server's disk
}

func parse(u *url.URL) (p place, err error) {
	if err := broker.OnlyParameters(u, "durable"); err != nil {
		return p, err
	}
	require := u.Query().Get("durable")
	if require != "" && require != "require" {
		return p, fmt.Errorf("%s: durable=%s: only durable=require is supported", transport.Shown(u), require)
	}
	number, stream, _ := strings.Cut(strings.TrimPrefix(u.Path, "/"), "/")
	database, err := strconv.ParseUint(number, 10, 31)
	if err != nil || stream == "" {
		return p, fmt.Errorf("%s: the path is not /DATABASE/STREAM, such as /0/handoffs", transport.Shown(u))
	}
	if strings.ContainsAny(stream, "{}") && !hasTag(stream) {
		return p, fmt.Errorf("%s: braces in the name of a stream must mark its hash tag for clusters: {TAG}REST", transport.Shown(u))
	}
	return place{int(database), stream, require != ""}, nil
}

// hasTag reports whether a key has a hash tag: a part in braces by which a cluster selects its slot.
func hasTag(key string) bool {
	_, after, found := strings.Cut(key, "{")
	tag, _, closed := strings.Cut(after, "}")
	return found && closed && tag != ""
}

// beside returns a key related to a stream, in the same slot of a cluster.
func beside(stream, what string) string {
	if !hasTag(stream) {
		stream = "{" + stream + "}"
	}
	return stream + ":" + what
}

func (s *server) answers(sender string) string { return beside(s.stream, "answers:"+sender) }

// bodyField is the field of an entry with the body. The other fields are headers.
const bodyField = "body"

// maxBody is the maximum length of a value (the default of the server's proto-max-bulk-len).
const maxBody = 512 << 20

// remember is the time for which the server remembers the id of a message.
const remember = 2 * time.Minute

// publish returns when the message is in a stream. Repeated publications with one id add one
// message: known reports whether this was one of them.
func (s *server) publish(ctx context.Context, stream string, m transport.Message) (known bool, err error) {
	if size := int64(len(m.Body)); size > maxBody {
		return false, &transport.TooLargeError{Size: size, Limit: maxBody}
	}
	keys := []string{stream}
	if m.ID != "" {
		keys = append(keys, beside(stream, "id:"+digest(stream+"\x00"+m.ID))) // the streams a and {a} share these keys
	}
	added, err := s.ask(ctx, publishScript, keys, append([]any{remember.Milliseconds()}, fieldsOf(m)...)...)
	return added == int64(0), err
}

// fieldsOf returns the fields of an entry, and their values.
func fieldsOf(m transport.Message) []any {
	fields := []any{bodyField, m.Body}
	for _, h := range m.Headers() {
		fields = append(fields, h.Name, h.Value)
	}
	return fields
}

type publisher struct {
	*server
	options transport.Options
}

func (p *publisher) Publish(ctx context.Context, m transport.Message) (transport.Receipt, error) {
	known, err := p.publish(ctx, p.stream, m)
	return transport.Receipt{Duplicate: known}, err
}

func (p *publisher) Answers(ctx context.Context, replyTo string) (transport.Consumer, error) {
	if err := broker.NameError(replyTo); err != nil {
		return nil, err
	}
	c := newConsumer(p.server, p.options, p.answers(replyTo), false)
	return c, c.start(ctx)
}

func (p *publisher) Close() error { return p.close() }

// A write is a script to run, and the channel for its error.
type write struct {
	script string
	keys   []string
	args   []any
	result chan writeResult
}

// A writeResult is the result of a script.
type writeResult struct {
	value any
	err   error
}

// maxBatch bounds the writes of one round trip.
const maxBatch = 256

// writers is the number of round trips in flight. A server reads 16 kB of each connection, and then
// flushes the data of all of them to the disk.
const writers = 8

// A writer runs the scripts of many goroutines in few round trips, so that they share one flush to
// the disk.
type writer struct {
	queue   chan *write
	stop    chan struct{}
	stopped sync.Once
	running sync.WaitGroup
}

// write runs a script, and returns when its effect is durable. The script must be safe to run twice.
func (s *server) write(ctx context.Context, script string, keys []string, args ...any) error {
	_, err := s.ask(ctx, script, keys, args...)
	return err
}

// ask is like write, and returns the result of the script.
func (s *server) ask(ctx context.Context, script string, keys []string, args ...any) (value any, err error) {
	err = broker.Retry(ctx, s.address, func() error {
		w := &write{script, keys, args, make(chan writeResult, 1)}
		select {
		case s.writer.queue <- w:
		case <-s.writer.stop:
			return &transport.PermanentError{Err: errConnectionClosed}
		case <-ctx.Done():
			return ctx.Err()
		}
		select {
		case is := <-w.result:
			value = is.value
			return s.explain(is.err)
		case <-ctx.Done():
			return ctx.Err()
		}
	})
	return value, err
}

var errConnectionClosed = errors.New("the connection is closed")

// run writes until the server is closed.
func (s *server) run() {
	for {
		select {
		case <-s.writer.stop:
			return
		case first := <-s.writer.queue:
			batch := []*write{first}
			for more := true; more && len(batch) < maxBatch; {
				select {
				case w := <-s.writer.queue:
					batch = append(batch, w)
				default:
					more = false
				}
			}
			s.flush(batch)
		}
	}
}

// flush writes a batch, and waits for the disk if the server can report that.
func (s *server) flush(batch []*write) {
	ctx, cancel := context.WithTimeout(context.Background(), 2*timeout)
	defer cancel()
	pipeline := s.client.Pipeline()
	results := make([]*redis.Cmd, len(batch))
	for i, w := range batch {
		results[i] = pipeline.Eval(ctx, w.script, w.keys, w.args...)
	}
	var synced *redis.Cmd
	if s.waits {
		synced = pipeline.Do(ctx, "WAITAOF", 1, 0, timeout.Milliseconds())
	}
	_, _ = pipeline.Exec(ctx) // each command has its own error
	var unsafe error
	if synced != nil {
		if list, err := synced.Int64Slice(); err != nil {
			unsafe = fmt.Errorf("the server cannot confirm that the message is on its disk: %w", err)
		} else if len(list) == 0 || list[0] < 1 {
			unsafe = errors.New("the server did not write the message to its disk in time")
		}
	}
	for i, w := range batch {
		if err := results[i].Err(); err != nil && !errors.Is(err, redis.Nil) {
			w.result <- writeResult{err: err}
		} else {
			w.result <- writeResult{results[i].Val(), unsafe}
		}
	}
}
