package collect

import (
	"bytes"
	"fmt"
	"io"
	"slices"
	"time"

	"github.com/klauspost/compress/zstd"

	"github.com/eaapl/handoff/internal/inspect"
	"github.com/eaapl/handoff/internal/viewer"
	"github.com/eaapl/handoff/pkg/chain"
	"github.com/eaapl/handoff/pkg/claims"
	"github.com/eaapl/handoff/pkg/finding"
	"github.com/eaapl/handoff/pkg/jsonstream"
	"github.com/eaapl/handoff/pkg/message"
	"github.com/eaapl/handoff/pkg/validate"
)

// A Spool stores data. It is read after the last write.
type Spool interface {
	io.Writer
	io.ReaderAt
}

// Messages builds a page from messages of any format. It stores their texts compressed, in a spool.
// Package chain builds the tasks from canonical messages; other messages become separate handoffs.
type Messages struct {
	o       Options
	spool   Spool
	written int64
	encoder *zstd.Encoder
	decoder *zstd.Decoder
	list    []*Message
	unread  []string
}

// NewMessages returns a collector without messages.
func NewMessages(o Options, spool Spool) (*Messages, error) {
	encoder, err := zstd.NewWriter(nil, zstd.WithEncoderLevel(zstd.SpeedFastest), zstd.WithEncoderCRC(false))
	if err != nil {
		return nil, err
	}
	decoder, err := zstd.NewReader(nil, zstd.WithDecoderConcurrency(0))
	return &Messages{o: o, spool: spool, encoder: encoder, decoder: decoder}, err
}

// A Message is an examined message.
type Message struct {
	origin   Origin
	chain    *chain.Message // nil unless it is canonical
	facts    viewer.Handoff
	taskID   string
	findings []finding.Finding
	masked   bool
	problem  string // the reason why it is not strict JSON

	packed []byte // until it is in the spool
	at     int64
	size   int
}

// Examine prepares a message for the page; result is its result from package validate. It is safe
// for concurrent use.
func (c *Messages) Examine(raw jsonstream.Raw, place chain.Place, result validate.Result) *Message {
	m := &Message{origin: Origin{Place: place, OneLine: !bytes.Contains(bytes.TrimSpace(raw.Bytes), []byte("\n"))}, findings: result.Findings}
	m.facts = viewer.Handoff{Format: result.Format, Parent: -1, Bytes: len(raw.Bytes)}
	doc, err := parse(raw, c.o.Limits)
	text := raw.Bytes
	text, m.masked = c.o.mask(text, doc, result.Format)
	m.packed = c.encoder.EncodeAll(text, nil)
	if err != nil {
		m.problem = err.Error()
		return m
	}
	root := doc.Root()
	m.facts.Title = titleOf(root.Get("taskDescription").Text())
	if m.chain, err = chain.Read(doc, place); err == nil {
		m.findings = slices.Concat(m.findings, claims.Stated(root))
		return m
	}
	m.chain = nil
	facts := inspect.Of(message.Of(doc), result.Format, c.o.Limits)
	m.taskID = facts.TaskID
	m.facts.ID, m.facts.From, m.facts.FromVersion = facts.HandoffID, facts.From.ID, facts.From.Version
	m.facts.To, m.facts.ToVersion, m.facts.Signed = facts.To.Type, facts.To.Version, facts.Signed
	m.facts.Title, m.facts.Time = titleOf(facts.TaskDescription), facts.Timestamp
	if at, err := time.Parse(time.RFC3339, facts.Timestamp); err == nil {
		m.facts.At = millis(at)
	}
	return m
}

// parse parses a message, which may be JSON Lines.
func parse(raw jsonstream.Raw, limits jsonstream.Limits) (*jsonstream.Document, error) {
	doc, err := jsonstream.Parse(raw, limits)
	if err == nil {
		return doc, nil
	}
	if lines, failed := jsonstream.ParseLines(raw, limits); failed == nil {
		return lines, nil
	}
	return nil, err
}

// Add adds an examined message. The error is that of the spool.
func (c *Messages) Add(m *Message) error {
	m.at, m.size = c.written, len(m.packed)
	n, err := c.spool.Write(m.packed)
	c.written, m.packed = c.written+int64(n), nil
	c.list = append(c.list, m)
	return err
}

// Unread records a source that could not be read, with the reason.
func (c *Messages) Unread(text string) { c.unread = append(c.unread, text) }

// text returns an added message. It is safe for concurrent use.
func (c *Messages) text(m *Message) (*Text, error) {
	packed := make([]byte, m.size)
	if _, err := c.spool.ReadAt(packed, m.at); err != nil {
		return nil, fmt.Errorf("reading the stored messages: %w", err)
	}
	text, err := c.decoder.DecodeAll(packed, nil)
	if err != nil {
		return nil, err
	}
	t := &Text{bytes: text, masked: m.masked, malformed: m.problem}
	if m.problem == "" {
		t.doc, _ = parse(jsonstream.NewRaw(text), c.o.Limits) // masking keeps valid JSON valid
	}
	return t, nil
}
