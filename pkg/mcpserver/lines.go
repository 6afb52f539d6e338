package mcpserver

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

	"github.com/go-json-experiment/json/jsontext"
	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// lastAnswers is how long a client that has closed its side is still answered.
const lastAnswers = 5 * time.Second

// lines is a transport of one message a line. That of the SDK ends with the first line that is
// no message, or that is too long; this one answers it with an error, and goes on.
type lines struct {
	in    io.Reader
	out   io.Writer
	limit int64 // of a line, in bytes

	incoming chan jsonrpc.Message
	closed   chan struct{}
	close    sync.Once
	ended    error // set before incoming is closed

	mu      sync.Mutex // guards out and what follows
	waiting int        // requests that have no answer yet
	answer  chan struct{}
}

// Connect implements [mcp.Transport].
func (l *lines) Connect(context.Context) (mcp.Connection, error) {
	l.incoming, l.closed, l.answer = make(chan jsonrpc.Message), make(chan struct{}), make(chan struct{}, 1)
	go l.readAll()
	return l, nil
}

// SessionID implements [mcp.Connection]: there is one session.
func (l *lines) SessionID() string { return "" }

// Read implements [mcp.Connection].
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

// readAll reads until the client ends or the connection is closed. Reading itself cannot be
// interrupted: then the goroutine stays until the process ends.
func (l *lines) readAll() {
	defer close(l.incoming)
	r := bufio.NewReaderSize(l.in, 64<<10)
	for {
		line, err := l.line(r)
		if len(bytes.TrimSpace(line)) > 0 {
			if m, fault := decode(line); fault != nil {
				if err := l.write(fault); err != nil {
					l.ended = err
					return
				}
			} else if !l.pass(m) {
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

// line reads a line. One that is too long is answered, skipped and returned as empty.
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
			err = errors.Join(err, l.write(fault(nil, jsonrpc.CodeInvalidRequest, fmt.Sprintf("a request of more than %d bytes: give the message as the path of a file, or split it", l.limit))))
		}
		return line, err
	}
}

// decode decodes a message, or returns the answer that says why it is none.
func decode(line []byte) (jsonrpc.Message, []byte) {
	if !utf8.Valid(line) {
		return nil, fault(nil, jsonrpc.CodeParseError, "the line is not valid UTF-8: JSON is written in UTF-8")
	}
	if !json.Valid(line) {
		return nil, fault(nil, jsonrpc.CodeParseError, "the line is not JSON: write one JSON-RPC message a line, nested no deeper than 1000")
	}
	m, err := jsonrpc.DecodeMessage(line)
	if err != nil {
		text := "not a JSON-RPC 2.0 message"
		if bytes.HasPrefix(bytes.TrimSpace(line), []byte("[")) {
			text = "a batch: write one JSON-RPC message a line"
		}
		return nil, fault(idOf(line), jsonrpc.CodeInvalidRequest, text+"; it has jsonrpc, method and id, and is nested no deeper than 1000")
	}
	return m, nil
}

// idOf returns the id of a request that cannot be decoded, nil if it has none: else its client
// would wait forever.
func idOf(line []byte) []byte {
	d := jsontext.NewDecoder(bytes.NewReader(line), jsontext.AllowDuplicateNames(true))
	if t, err := d.ReadToken(); err != nil || t.Kind() != '{' {
		return nil
	}
	for d.PeekKind() == '"' {
		name, err := d.ReadToken()
		if err != nil {
			return nil
		}
		found := name.String() == "id"
		v, err := d.ReadValue()
		if err != nil {
			return nil
		}
		if found && (v.Kind() == '"' || v.Kind() == '0') {
			return v
		}
	}
	return nil
}

func fault(id []byte, code int, text string) []byte {
	if id == nil {
		id = []byte("null")
	}
	quoted, _ := json.Marshal(text) // a string always can be
	return fmt.Appendf(nil, `{"jsonrpc":"2.0","id":%s,"error":{"code":%d,"message":%s}}`+"\n", id, code, quoted)
}

// pass hands a message to whoever reads, and reports whether there is somebody.
func (l *lines) pass(m jsonrpc.Message) bool {
	if r, ok := m.(*jsonrpc.Request); ok && r.IsCall() {
		l.count(1)
	}
	select {
	case l.incoming <- m:
		return true
	case <-l.closed:
		l.ended = io.EOF
		return false
	}
}

func (l *lines) count(n int) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.waiting += n
	select {
	case l.answer <- struct{}{}:
	default:
	}
}

// drain waits until all requests are answered, but not long.
func (l *lines) drain() {
	late := time.After(lastAnswers)
	for {
		l.mu.Lock()
		waiting := l.waiting
		l.mu.Unlock()
		if waiting <= 0 {
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

// Write implements [mcp.Connection].
func (l *lines) Write(_ context.Context, m jsonrpc.Message) error {
	text, err := jsonrpc.EncodeMessage(m)
	if err != nil {
		return err
	}
	err = l.write(append(text, '\n'))
	if _, ok := m.(*jsonrpc.Response); ok {
		l.count(-1)
	}
	return err
}

func (l *lines) write(line []byte) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	_, err := l.out.Write(line)
	return err
}

// Close implements [mcp.Connection].
func (l *lines) Close() error {
	l.close.Do(func() { close(l.closed) })
	return nil
}
