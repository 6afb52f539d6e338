package chunked

import (
	"errors"
	"fmt"

	"github.com/eaapl/handoff/pkg/finding"
	"github.com/eaapl/handoff/pkg/jsonstream"
	"github.com/eaapl/handoff/pkg/message"
	"github.com/eaapl/handoff/pkg/sign"
)

// A Builder makes the chunks of an unfinished message, as a sender does that hands over while it still
// works: the programs only read such chunks. It holds the message so far. It cannot be used after an error.
type Builder struct {
	w     *writer
	grown *growth
}

// BuilderOptions configure a [Builder]. The zero value makes unsigned chunks of the default size.
type BuilderOptions struct {
	// SplitOptions configure the chunks. The key also signs the whole message at the end.
	SplitOptions
	// Limits bound the whole message.
	Limits jsonstream.Limits
}

// An Addition is appended to the value at a pointer of the message: elements to an array,
// members to an object, characters to a string.
type Addition struct {
	// At is the JSON Pointer of the value: a member of the message, or a value that is the last of
	// its array or object at every level below that.
	At string
	// Add is the JSON text of an array, an object or a string.
	Add []byte
}

// Begin emits the first chunk, with a message that the receiver can begin with. Its identifiers,
// agents, taskDescription, constraints and costTracking are final, so the sender must already have
// deducted the cost of its whole step from costTracking. first must not be signed. emit is called
// with every chunk and may retain it.
func Begin(first *message.Message, o BuilderOptions, emit func(chunk []byte) error) (*Builder, error) {
	root := first.Root()
	if root.Kind() != jsonstream.Object || first.HandoffID() == "" {
		return nil, errNoStream
	}
	if root.Get(sign.Member).Exists() || root.Get(sign.KeyIDMember).Exists() {
		return nil, errors.New("a message that is signed cannot grow: sign it at its end")
	}
	c := newChain(root, o.SplitOptions)
	b := &Builder{&writer{chain: c, room: c.room(), emit: emit}, newGrowth(root, o.Limits)}
	return b, b.w.send(First, jsonstream.AppendCompact([]byte(`,"message":`), root.Raw()))
}

// Append appends to the message by one chunk, or by several if one would be too long.
func (b *Builder) Append(additions ...Addition) error {
	for _, a := range additions {
		doc, err := jsonstream.Parse(jsonstream.NewRaw(a.Add), b.grown.limits)
		if err != nil {
			return err
		}
		text := jsonstream.AppendCompact(nil, doc.Root().Raw())
		if doc, err = jsonstream.Parse(jsonstream.NewRaw(text), b.grown.limits); err != nil {
			return err
		}
		add := doc.Root()
		if !divisible(add.Kind()) {
			return fmt.Errorf("an array, an object or a string can be appended: found %s", finding.QuoteValue(add))
		}
		index, err := b.grown.count(a.At)
		if err == nil {
			err = b.grown.append(a.At, add)
		}
		switch {
		case err != nil:
			return fmt.Errorf("%s: %w", finding.Pointer(a.At), err)
		case add.Kind() == jsonstream.String:
			err = b.w.text(a.At, inside(add))
		default:
			err = b.w.children(a.At, add.Kind(), add.First(), index)
		}
		if err != nil {
			return err
		}
	}
	return b.w.flush()
}

// End appends the signature of the whole message, if there is a key, emits the last chunk, and
// returns the message.
func (b *Builder) End() ([]byte, error) {
	m, err := b.message()
	if err != nil {
		return nil, err
	}
	if key := b.w.options.Key; key != nil {
		signed, err := sign.Sign(m, *key, false)
		if err != nil {
			return nil, err
		}
		doc, err := jsonstream.Parse(jsonstream.NewRaw(signed), b.grown.limits)
		if err != nil {
			return nil, err
		}
		members := []byte{'{'}
		for _, name := range []string{sign.KeyIDMember, sign.Member} {
			if v := doc.Root().Get(name); v.Exists() && !m.Root().Get(name).Exists() {
				members = appendChild(jsonstream.AppendComma(members), v)
			}
		}
		if err := b.Append(Addition{Add: append(members, '}')}); err != nil {
			return nil, err
		}
		if m, err = b.message(); err != nil {
			return nil, err
		}
	}
	chunk, err := b.w.last(m, b.grown.size)
	if err != nil {
		return nil, err
	}
	return m.Raw(), b.w.emit(chunk)
}

func (b *Builder) message() (*message.Message, error) {
	return message.ParseInPlace(jsonstream.NewRaw(b.grown.bytes()), message.Options{Limits: b.grown.limits})
}

// count returns the number of values of the array or object at a pointer. It is 0 for a value that
// cannot be appended to, which append reports.
func (g *growth) count(pointer string) (int, error) {
	tokens, _ := jsonstream.SplitPointer(pointer)
	if len(tokens) == 0 {
		return 0, nil
	}
	i, ok := g.index[tokens[0]]
	if !ok {
		return 0, nil
	}
	m := &g.members[i]
	if err := g.openMember(m); err != nil || len(tokens) > len(m.edge) {
		return 0, err
	}
	return m.edge[len(tokens)-1].count, nil
}
