package chunked

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"

	"github.com/eaapl/handoff/pkg/jsonstream"
	"github.com/eaapl/handoff/pkg/message"
	"github.com/eaapl/handoff/pkg/sign"
)

// SplitOptions configure chunks. The zero value makes unsigned chunks of the default size.
type SplitOptions struct {
	// ChunkBytes is the maximum length of a chunk, in bytes; 0 means [DefaultChunkBytes], and less
	// than [MinChunkBytes] means [MinChunkBytes]. A chunk is longer only for indivisible content:
	// the required part of the first chunk (see [Splitter.Split]), a number, a name or a pointer.
	ChunkBytes int
	// Key signs every chunk; nil leaves them unsigned.
	Key *sign.Key
}

func (o SplitOptions) chunkBytes() int {
	if o.ChunkBytes == 0 {
		return DefaultChunkBytes
	}
	return max(o.ChunkBytes, MinChunkBytes)
}

// A Splitter makes streams from messages. It is safe for concurrent use.
type Splitter struct {
	options SplitOptions
	room    int // of a chunk's body; 0 means according to the options
}

// NewSplitter returns a Splitter.
func NewSplitter(o SplitOptions) *Splitter { return &Splitter{options: o} }

// errNoStream reports a message that cannot be sent as a stream.
var errNoStream = errors.New("only a canonical message can be a stream: an object with a handoffId, which identifies the stream")

// Split calls emit with the chunks of a message, in order and each on one line; emit may retain
// them. The message should have passed its schema, so that the message of the first chunk is valid
// too.
//
// The first chunk has every member of the message. Members that a receiver acts on are whole: the
// identifiers and agents, taskDescription, constraints, costTracking and every other member that
// is not an array, an object or a long string. Of the other members, it has as much of the
// beginning as fits: first one completed subtask, then the remaining subtasks, the state, the
// summary, the completed subtasks, the context, the conversation and the tool calls. Later chunks
// append the rest in that order.
//
// The error is that of emit or of signing: a [*jsonstream.NumberError], with its place in the
// message, for a number that a signature would not protect.
func (s *Splitter) Split(m *message.Message, emit func(chunk []byte) error) error {
	err := s.split(m, emit)
	if number := (*jsonstream.NumberError)(nil); errors.As(err, &number) {
		// The error refers to the chunk: its place in the message is more useful.
		if whole := jsonstream.WriteCanonical(io.Discard, m.Root(), jsonstream.CanonicalOptions{Exact: true}); whole != nil {
			return whole
		}
	}
	return err
}

func (s *Splitter) split(m *message.Message, emit func(chunk []byte) error) error {
	root := m.Root()
	if root.Kind() != jsonstream.Object || m.HandoffID() == "" {
		return errNoStream
	}
	if text := jsonstream.AppendCompact(make([]byte, 0, len(root.Raw())), root.Raw()); len(text) != len(root.Raw()) {
		var err error
		if m, err = message.ParseInPlace(jsonstream.NewRaw(text), message.Options{Limits: jsonstream.Unlimited()}); err != nil {
			return err
		}
		root = m.Root()
	}
	c := newChain(root, s.options)
	w := &writer{chain: c, room: cmp.Or(s.room, c.room()), emit: emit}
	plan := planOf(root, w.room)
	if err := w.send(First, plan.appendFirst([]byte(`,"message":`))); err != nil {
		return err
	}
	for _, p := range plan.parts {
		if err := w.rest(p); err != nil {
			return err
		}
	}
	if err := w.flush(); err != nil {
		return err
	}
	chunk, err := c.last(m, len(root.Raw()))
	if err != nil {
		return err
	}
	return emit(chunk)
}

// order is the order in which members fill the first chunk and the chunks after it. Other members
// come last.
var order = []string{
	"remainingSubtasks", "currentState", "conversationHistorySummary", "completedSubtasks", "relevantContext",
	"conversationHistoryVerbatim", "extensions", "toolCallHistory",
}

// A part is a member of a message that may be split between chunks.
type part struct {
	value jsonstream.Value
	whole bool
	taken int              // bytes of a string without quotes, or values, that are in the first chunk
	rest  jsonstream.Value // the first value that is not in the first chunk
}

// A plan is the division of a message between the first chunk and the rest.
type plan struct {
	root  jsonstream.Value
	parts []*part // in the order in which they are sent
	of    map[int]*part
}

// planOf plans a first chunk whose body has room bytes.
func planOf(root jsonstream.Value, room int) plan {
	p := plan{root: root, of: map[int]*part{}}
	room -= len(`,"message":{}`)
	for name, v := range root.Members() {
		room -= len(v.RawName()) + len(":,")
		if isFixed(name) || !divisible(v.Kind()) {
			room -= len(v.Raw())
			continue
		}
		room -= len("[]")
		one := &part{value: v, rest: v.First()}
		p.parts = append(p.parts, one)
		p.of[v.Ordinal()] = one
	}
	slices.SortStableFunc(p.parts, func(a, b *part) int { return rank(a.value) - rank(b.value) })
	if one := p.of[root.Get("completedSubtasks").Ordinal()]; one != nil && one.rest.Exists() {
		room -= one.take() // completeness requires one of them in the first message
	}
	for _, one := range p.parts {
		room = one.fill(room)
	}
	return p
}

func rank(v jsonstream.Value) int {
	if i := slices.Index(order, v.Name()); i >= 0 {
		return i
	}
	return len(order)
}

// divisible reports whether values of a kind can be split between chunks.
func divisible(k jsonstream.Kind) bool {
	return k == jsonstream.Array || k == jsonstream.Object || k == jsonstream.String
}

// take adds the next value to the first chunk and returns its length.
func (p *part) take() int {
	n := childLen(p.rest)
	p.taken++
	p.rest = p.rest.Next()
	return n
}

// fill adds as much as fits into room bytes to the first chunk and returns its length.
func (p *part) fill(room int) int {
	if p.value.Kind() == jsonstream.String {
		inner := inside(p.value)
		p.taken = len(inner)
		if len(inner) > room {
			p.taken = cut(inner, room)
		}
		p.whole = p.taken == len(inner)
		return room - p.taken
	}
	for p.rest.Exists() && childLen(p.rest) <= room {
		room -= p.take()
	}
	p.whole = !p.rest.Exists()
	return room
}

// inside returns the text of v without its quotes or brackets.
func inside(v jsonstream.Value) []byte { return v.Raw()[1 : len(v.Raw())-1] }

// childLen returns the length of a member or element, with its comma.
func childLen(v jsonstream.Value) int {
	n := len(v.Raw()) + len(",")
	if name := v.RawName(); name != nil {
		n += len(name) + len(":")
	}
	return n
}

// appendChild appends a member or element.
func appendChild(dst []byte, v jsonstream.Value) []byte {
	if name := v.RawName(); name != nil {
		dst = append(append(dst, name...), ':')
	}
	return append(dst, v.Raw()...)
}

// appendFirst appends the message of the first chunk.
func (p *plan) appendFirst(dst []byte) []byte {
	dst = append(dst, '{')
	for _, v := range p.root.Members() {
		dst = jsonstream.AppendComma(dst)
		one := p.of[v.Ordinal()]
		if one == nil || one.whole {
			dst = appendChild(dst, v)
			continue
		}
		dst = append(append(append(dst, v.RawName()...), ':'), v.Raw()[0])
		if v.Kind() == jsonstream.String {
			dst = append(dst, inside(v)[:one.taken]...)
		} else {
			for child := v.First(); child != one.rest; child = child.Next() {
				dst = appendChild(jsonstream.AppendComma(dst), child)
			}
		}
		dst = append(dst, end(v.Kind()))
	}
	return append(dst, '}')
}

// A writer fills the chunks after the first.
type writer struct {
	*chain
	room int
	emit func([]byte) error

	body    []byte // of the current chunk
	pointer string // of the value that its last part appends to
	kind    jsonstream.Kind
}

func (w *writer) send(kind Kind, body []byte) error {
	if w.next >= MaxSequence {
		return fmt.Errorf("the message needs more than %d chunks: use longer chunks", MaxSequence)
	}
	chunk, err := w.chunk(kind, body)
	if err != nil {
		return err
	}
	return w.emit(chunk)
}

// flush emits the current chunk.
func (w *writer) flush() error {
	if w.kind == jsonstream.Absent {
		return nil
	}
	w.endPart()
	err := w.send(Append, append(w.body, ']'))
	w.body = w.body[:0]
	return err
}

func (w *writer) endPart() {
	if w.kind != jsonstream.Absent {
		w.body = append(append(w.body, end(w.kind)), '}')
		w.kind = jsonstream.Absent
	}
}

// begin prepares an addition of n bytes to the value at a pointer and returns how many of them fit.
func (w *writer) begin(pointer string, kind jsonstream.Kind, n int) (int, error) {
	const around = len(`,"parts":[{"at":"","add":""}]`)
	if w.kind == jsonstream.Absent || w.pointer != pointer {
		quoted := quote(pointer)
		if free := w.room - len(w.body) - len(quoted) - around; len(w.body) > 0 && free < n {
			if err := w.flush(); err != nil {
				return 0, err
			}
		}
		w.endPart()
		if len(w.body) == 0 {
			w.body = append(w.body, `,"parts":[`...)
		}
		w.body = append(append(append(jsonstream.AppendComma(w.body), `{"at":`...), quoted...), `,"add":`...)
		w.body = append(w.body, begin(kind))
		w.pointer, w.kind = pointer, kind
	}
	return w.room - len(w.body) - len(`",}]`), nil
}

// begin returns the first character of a value of a kind.
func begin(k jsonstream.Kind) byte { return byte(k) }

// rest sends the remainder of a member.
func (w *writer) rest(p *part) error {
	pointer := jsonstream.AppendPointer("", p.value.Name())
	switch {
	case p.whole:
		return nil
	case p.value.Kind() == jsonstream.String:
		return w.text(pointer, inside(p.value)[p.taken:])
	default:
		return w.children(pointer, p.value.Kind(), p.rest, p.taken)
	}
}

// children sends the values of the array or object at a pointer, beginning with from.
func (w *writer) children(pointer string, kind jsonstream.Kind, from jsonstream.Value, index int) error {
	for child := from; child.Exists(); child = child.Next() {
		n := childLen(child)
		free, err := w.begin(pointer, kind, n)
		if err == nil && free < n && !w.isEmpty() {
			if err = w.flush(); err == nil {
				free, err = w.begin(pointer, kind, n)
			}
		}
		if err != nil {
			return err
		}
		token := strconv.Itoa(index)
		if kind == jsonstream.Object {
			token = child.Name()
		}
		index++
		// A pointer that fills much of a chunk costs more than it gains.
		if free >= n || !divisible(child.Kind()) || 4*(len(pointer)+len(token)) > w.room {
			w.body = appendChild(jsonstream.AppendComma(w.body), child)
			continue
		}
		w.body = jsonstream.AppendComma(w.body)
		if name := child.RawName(); name != nil {
			w.body = append(append(w.body, name...), ':')
		}
		w.body = append(w.body, begin(child.Kind()), end(child.Kind()))
		below := jsonstream.AppendPointer(pointer, token)
		if child.Kind() == jsonstream.String {
			err = w.text(below, inside(child))
		} else {
			err = w.children(below, child.Kind(), child.First(), 0)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// isEmpty reports whether the current chunk has no additions.
func (w *writer) isEmpty() bool {
	last := w.body[len(w.body)-1]
	return last == begin(w.kind) && len(w.body) == len(`,"parts":[{"at":,"add":[`)+len(quote(w.pointer))
}

// text sends characters of the string at a pointer, as encoded in JSON.
func (w *writer) text(pointer string, inner []byte) error {
	const worthwhile = 64 // minimum bytes for beginning a part in a chunk that has others
	for len(inner) > 0 {
		free, err := w.begin(pointer, jsonstream.String, min(len(inner), worthwhile))
		if err == nil && free < min(len(inner), worthwhile) && !w.isEmpty() {
			if err = w.flush(); err == nil {
				free, err = w.begin(pointer, jsonstream.String, 0)
			}
		}
		if err != nil {
			return err
		}
		n := len(inner)
		if n > free {
			n = max(cut(inner, free), cut(inner, longestCharacter))
		}
		w.body = append(w.body, inner[:n]...)
		inner = inner[n:]
	}
	return nil
}
