// Package sqlqueue carries messages through a table of a database: "sqlite:PATH?queue=NAME" on one
// machine, "postgres://…?queue=NAME" between several.
//
// The table handoff_message has the waiting and the taken messages, and the answers;
// handoff_dead_letter has the dead letters, with their reasons. The column taken_by names the
// process that has taken a message: once it has died, any other process puts the message back.
//
// Published messages, answers and dead letters are durable when the call returns. An acknowledgement
// may be undone by a crash of the machine: the message is then redelivered.
package sqlqueue

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"net/url"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/eaapl/handoff/relay/internal/database"
	"github.com/eaapl/handoff/relay/transport"
)

// defaultQueue is the name of the queue if an address has none.
const defaultQueue = "handoffs"

// maxBody is the maximum length of a stored body: databases limit a row to about 1 GB, and need
// several times the memory.
const maxBody = 256 << 20

// Publish opens a queue for sending messages. Missing tables are created.
func Publish(ctx context.Context, u *url.URL, o transport.Options) (transport.Publisher, error) {
	q, err := open(ctx, u, o)
	if err != nil {
		return nil, err
	}
	p := &publisher{queue: q, address: *u}
	p.puts = newGroup(q.db, q.put)
	return p, nil
}

// Check returns an error if the address can never work, whatever the state of its server.
func Check(u *url.URL) error {
	address, _, err := parse(u)
	if err != nil {
		return err
	}
	return database.Check(address)
}

// Consume opens a queue for taking messages. Missing tables are created.
func Consume(ctx context.Context, u *url.URL, o transport.Options) (transport.Consumer, error) {
	return consume(ctx, u, o, "")
}

func consume(ctx context.Context, u *url.URL, o transport.Options, sender string) (transport.Consumer, error) {
	q, err := open(ctx, u, o)
	if err != nil {
		return nil, err
	}
	c, err := newConsumer(ctx, q, sender)
	if err != nil {
		return nil, errors.Join(err, q.close())
	}
	return c, nil
}

// A queue is an open database with the name of a queue in it.
type queue struct {
	db      *database.DB
	name    string
	options transport.Options
	dialect dialect
	notices *group[notice] // PostgreSQL
}

// close closes the database.
func (q *queue) close() error {
	q.notices.close()
	return q.db.Close()
}

func open(ctx context.Context, u *url.URL, o transport.Options) (*queue, error) {
	address, name, err := parse(u)
	if err != nil {
		return nil, err
	}
	db, err := database.Open(ctx, address, database.Options{Create: true, PageSize: 4 << 10, Wipe: o.Withhold})
	if err != nil {
		return nil, err
	}
	q := &queue{db: db, name: name, options: o.WithDefaults(), dialect: sqlite}
	q.notices = newGroup(db, q.tell)
	if db.Postgres {
		q.dialect = postgres
	}
	if err := db.Migrate(ctx, "queue", q.dialect.steps, true); err != nil {
		return nil, errors.Join(fmt.Errorf("creating the tables of the queue: %w", err), db.Close())
	}
	return q, nil
}

// parse returns the address of the database and the name of the queue.
func parse(u *url.URL) (address, name string, err error) {
	parameters, err := url.ParseQuery(u.RawQuery)
	if err != nil {
		return "", "", fmt.Errorf("%s: the parameters after the question mark: %w", u.Scheme, err)
	}
	name = defaultQueue
	if parameters.Has("queue") {
		name = parameters.Get("queue")
	}
	if name == "" || len(name) > 200 || !utf8.ValidString(name) || name != transport.OneLine(name) {
		return "", "", fmt.Errorf("%q cannot be the name of a queue: use up to 200 bytes of printable text", name)
	}
	parameters.Del("queue")
	if u.Fragment != "" {
		return "", "", fmt.Errorf("%s: write a # in the address as %%23", u.Scheme)
	}
	if u.Scheme != "sqlite" {
		database := *u
		database.RawQuery = parameters.Encode()
		return database.String(), name, nil
	}
	for parameter := range parameters {
		return "", "", fmt.Errorf("sqlite: has no parameter %q: use queue=NAME, and write a question mark in a file name as %%3F", parameter)
	}
	if u.Host != "" {
		return "", "", fmt.Errorf("sqlite://%s%s: is on another machine: write a file of this machine as sqlite:PATH", u.Host, u.Path)
	}
	path := u.Path
	if u.Opaque != "" {
		if path, err = url.PathUnescape(u.Opaque); err != nil {
			return "", "", fmt.Errorf("sqlite:%s: %w: write a percent sign in a file name as %%25", u.Opaque, err)
		}
	}
	return "sqlite:" + path, name, nil
}

// channel returns the channel of PostgreSQL's notifications for new messages.
func (q *queue) channel(sender string) string {
	sum := sha256.Sum256([]byte(q.name + "\x00" + sender))
	return "handoff_" + hex.EncodeToString(sum[:16])
}

// A pendingMessage is a message to be added to the table.
type pendingMessage struct {
	sender  string // "" for a message, else an answer to that sender
	message *transport.Message
	known   *bool // set when it is put: the queue already had it
}

func (p pendingMessage) size() int { return len(p.message.Body) }

var columns = []string{"queue", "sender", "id", "size", "headers", "body"}

// put adds messages that the queue does not have yet. They are durable when it returns.
func (q *queue) put(ctx context.Context, list []pendingMessage) error {
	rows, ids, channels := make([][]any, len(list)), make([]string, len(list)), []string(nil)
	for i, p := range list {
		headers, err := encode(p.message)
		if err != nil {
			return err
		}
		body := p.message.Body
		if body == nil {
			body = []byte{}
		}
		var id any // NULL is never equal
		if p.message.ID != "" {
			sum := sha256.Sum256([]byte(p.message.ID))
			ids[i] = hex.EncodeToString(sum[:])
			id = ids[i]
		}
		rows[i] = []any{q.name, p.sender, id, len(body), headers, body}
		if c := q.channel(p.sender); !slices.Contains(channels, c) {
			channels = append(channels, c)
		}
	}
	err := q.db.Change(ctx, database.Durable, func(tx *database.Tx) error {
		// If the first message with an ID is taken and removed between the insertion of the next one
		// and this check, the next one is inserted again, and delivered twice.
		left := make([]int, len(list))
		for i := range list {
			left[i] = i
		}
		for range 3 {
			var chosen [][]any
			for _, i := range left {
				chosen = append(chosen, rows[i])
			}
			added, err := tx.InsertNew("handoff_message", columns, chosen, "id")
			if err != nil {
				return err
			}
			count := map[string]int{}
			for _, id := range added {
				count[id]++
			}
			var gone []int
			for _, i := range left {
				p := list[i]
				if *p.known = count[ids[i]] == 0; !*p.known {
					count[ids[i]]--
				} else if there, err := q.has(tx, p.sender, ids[i]); err != nil {
					return err
				} else if !there {
					gone = append(gone, i)
				}
			}
			if left = gone; len(left) == 0 {
				return nil
			}
		}
		return errDropped
	})
	if err == nil && q.db.Postgres {
		for _, c := range channels {
			q.notices.begin(notice{c}) // consumers that miss it look after a while
		}
	}
	return err
}

var errDropped = errors.New("the database did not add the message, and has none with this id: look for a trigger, a rule or a policy of the table handoff_message that drops rows")

// has reports whether the queue has a message of an id.
func (q *queue) has(tx *database.Tx, sender, id string) (bool, error) {
	var n int
	err := tx.QueryRow("SELECT count(*) FROM handoff_message WHERE queue = ? AND sender = ? AND id = ?", q.name, sender, id).Scan(&n)
	return n > 0, err
}

// A notice notifies a channel of a possible message. It is a transaction of its own: in PostgreSQL,
// commits that notify wait for each other, and would be written to disk one by one.
type notice struct{ channel string }

func (notice) size() int { return 0 }

func (q *queue) tell(ctx context.Context, list []notice) error {
	return q.db.Change(ctx, database.Soon, func(tx *database.Tx) error {
		told := map[notice]bool{}
		for _, n := range list {
			if told[n] {
				continue
			}
			told[n] = true
			if err := q.notify(tx, n.channel); err != nil {
				return err
			}
		}
		return nil
	})
}

// notify notifies consumers at the end of the transaction.
func (q *queue) notify(tx *database.Tx, channel string) error {
	if !q.db.Postgres {
		return nil // consumers poll often
	}
	return tx.Exec("SELECT pg_notify(?, '')", channel)
}

// post adds a message, together with others that are added at the same time, unless the queue
// already has it.
func post(ctx context.Context, g *group[pendingMessage], sender string, m *transport.Message) (known bool, err error) {
	if n := int64(len(m.Body)); n > maxBody {
		return false, &transport.TooLargeError{Size: n, Limit: maxBody}
	}
	was := new(bool)
	if err := g.add(ctx, pendingMessage{sender, m, was}); err != nil { // it may still be added
		return false, err
	}
	return *was, nil
}

// reply adds an answer to a sender.
func reply(ctx context.Context, g *group[pendingMessage], replyTo string, answer *transport.Message) error {
	if !transport.IsName(replyTo) {
		return &transport.PermanentError{Err: fmt.Errorf("%q cannot be the name of a sender: use up to 64 of a–z, 0–9 and -", replyTo)}
	}
	_, err := post(ctx, g, replyTo, answer)
	return err
}

type publisher struct {
	queue   *queue
	address url.URL
	puts    *group[pendingMessage]
}

func (p *publisher) Publish(ctx context.Context, m transport.Message) (transport.Receipt, error) {
	known, err := post(ctx, p.puts, "", &m)
	return transport.Receipt{Duplicate: known}, err
}

func (p *publisher) Answers(ctx context.Context, replyTo string) (transport.Consumer, error) {
	if !transport.IsName(replyTo) {
		return nil, fmt.Errorf("%q cannot be the name of a sender: use up to 64 of a–z, 0–9 and -", strings.ToValidUTF8(replyTo, "?"))
	}
	return consume(ctx, &p.address, p.queue.options, replyTo)
}

func (p *publisher) Close() error {
	p.puts.close()
	return p.queue.close()
}
