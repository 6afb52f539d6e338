package mcp

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"sync"
	"time"
	"unicode/utf8"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

// lastAnswers is the maximum time for answering a client that has closed its input.
const lastAnswers = 5 * time.Second

// lines is a transport with one message per line. The SDK's own transport ends at the first line that is
// invalid or too long; this one responds with an error, and continues.
type lines struct {
	in    io.Reader
	out   io.Writer
	limit int64 // maximum length of a line, in bytes

	incoming chan jsonrpc.Message
	closed   chan struct{}
	close    sync.Once
	ended    error // set before incoming is closed

	mu      sync.Mutex     // guards out, batches and the fields below
	waiting map[any]*batch // ids of unanswered requests, with their batches, nil for none
	answer  chan struct{}
}

// Connect implements [sdk.Transport].
func (l *lines) Connect(context.Context) (sdk.Connection, error) {
	l.incoming, l.closed, l.answer = make(chan jsonrpc.Message), make(chan struct{}), make(chan struct{}, 1)
	l.waiting = map[any]*batch{}
	go l.readAll()
	return l, nil
}

// SessionID implements [sdk.Connection]: there is one session.
func (l *lines) SessionID() string { return "" }

// Read implements [sdk.Connection].
func (l *lines) Read(ctx context.Context) (jsonrpc.Message, error) {
	select {
	case <-ctx.Done():
		return nil, ctx.Err()
	case <-l.closed:
		return nil, io.EOF
	case m, ok := <-l.incoming:
		if !ok {
			return nil, l.ended
		}
		return m, nil
	}
}

// readAll reads until the client ends or the connection is closed. Reading cannot be interrupted: then the
// goroutine stays until the process ends.
func (l *lines) readAll() {
	defer close(l.incoming)
	r := bufio.NewReaderSize(l.in, 64<<10)
	for {
		line, err := l.line(r)
		if line = bytes.TrimSpace(line); len(line) > 0 {
			if l.ended = l.take(line); l.ended != nil {
				return
			}
		}
		if err != nil {
			l.ended = err
			l.drain()
			return
		}
	}
}

// line reads a line. One that is too long is answered with an error, skipped and returned as empty.
func (l *lines) line(r *bufio.Reader) ([]byte, error) {
	var line []byte
	long := false
	for {
		part, err := r.ReadSlice('\n')
		if long = long || int64(len(line)+len(part)) > l.limit; long {
			line = nil
		} else {
			line = append(line, part...)
		}
		if errors.Is(err, bufio.ErrBufferFull) {
			continue
		}
		if long {
			err = errors.Join(err, l.settle(nil, fault(nil, jsonrpc.CodeInvalidRequest, fmt.Sprintf("the request has more than %d bytes: give the message as the path of a file, or split it", l.limit))))
		}
		return line, err
	}
}

// take answers an invalid line with an error, and passes a valid one on. It returns an error at the end of
// the input.
func (l *lines) take(line []byte) error {
	if fault := malformed(line); fault != nil {
		return l.settle(nil, fault)
	}
	elements, b := [][]byte{line}, (*batch)(nil)
	if line[0] == '[' {
		var fault []byte
		if elements, fault = elementsOf(line); fault != nil {
			return l.settle(nil, fault)
		}
		b = &batch{left: len(elements), limit: l.limit}
	}
	var messages []jsonrpc.Message
	for _, text := range elements {
		m, isCall, fault := l.enter(text, b)
		if fault == nil {
			messages = append(messages, m)
		}
		if !isCall {
			if err := l.settle(b, fault); err != nil {
				return err
			}
		}
	}
	for _, m := range messages {
		select {
		case l.incoming <- m:
		case <-l.closed:
			return io.EOF
		}
	}
	return nil
}

// malformed returns the error response to a line that is not JSON, nil for others.
func malformed(line []byte) []byte {
	switch {
	case !utf8.Valid(line):
		return fault(nil, jsonrpc.CodeParseError, "the line is not valid UTF-8: write JSON in UTF-8")
	case !json.Valid(line):
		return fault(nil, jsonrpc.CodeParseError, "the line is not JSON: write one JSON-RPC message per line, nested no deeper than 1000 levels")
	}
	return nil
}

// enter decodes a message, and notes a request as unanswered. answer is the error response to an invalid
// message.
func (l *lines) enter(text []byte, b *batch) (m jsonrpc.Message, isCall bool, answer []byte) {
	refuse := func(why string) (jsonrpc.Message, bool, []byte) {
		return nil, false, fault(idOf(text), jsonrpc.CodeInvalidRequest, why)
	}
	m, err := jsonrpc.DecodeMessage(textIDs(text))
	if err != nil {
		return refuse("the line is not a JSON-RPC 2.0 message: send jsonrpc, method and id, nested no deeper than 1000 levels")
	}
	r, ok := m.(*jsonrpc.Request)
	if !ok || !r.IsCall() {
		return m, false, nil
	}
	if b != nil && r.Method == "initialize" {
		return refuse("initialize is in a batch: send it by itself, before all other requests")
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if _, taken := l.waiting[r.ID.Raw()]; taken {
		return refuse("another request with this id has no response yet: give each request its own id")
	}
	l.waiting[r.ID.Raw()] = b
	return m, true, nil
}

func fault(id []byte, code int, text string) []byte {
	if id == nil {
		id = []byte("null")
	}
	quoted, _ := json.Marshal(text) // cannot fail for a string
	return fmt.Appendf(nil, `{"jsonrpc":"2.0","id":%s,"error":{"code":%d,"message":%s}}`, id, code, quoted)
}

// answered notes that a request was answered.
func (l *lines) answered(id any) {
	l.mu.Lock()
	defer l.mu.Unlock()
	delete(l.waiting, id)
	select {
	case l.answer <- struct{}{}:
	default:
	}
}

// drain waits until all requests are answered, at most lastAnswers.
func (l *lines) drain() {
	late := time.After(lastAnswers)
	for {
		l.mu.Lock()
		waiting := len(l.waiting)
		l.mu.Unlock()
		if waiting == 0 {
			return
		}
		select {
		case <-l.answer:
		case <-l.closed:
			return
		case <-late:
			return
		}
	}
}

// Write implements [sdk.Connection].
func (l *lines) Write(_ context.Context, m jsonrpc.Message) error {
	text, err := jsonrpc.EncodeMessage(m)
	if err != nil {
		return err
	}
	text = clientIDs(text)
	r, ok := m.(*jsonrpc.Response)
	if !ok {
		return l.settle(nil, text)
	}
	defer l.answered(r.ID.Raw())
	l.mu.Lock()
	b := l.waiting[r.ID.Raw()]
	l.mu.Unlock()
	return l.settle(b, text)
}

// settle writes a message, or adds it to the answers of its batch, which it writes when complete. nil settles
// an element of a batch without an answer.
func (l *lines) settle(b *batch, message []byte) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if b != nil {
		message = b.settle(message)
	}
	if message == nil {
		return nil
	}
	_, err := l.out.Write(append(message, '\n'))
	return err
}

// Close implements [sdk.Connection].
func (l *lines) Close() error {
	l.close.Do(func() { close(l.closed) })
	return nil
}
