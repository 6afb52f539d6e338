package diff

import (
	"cmp"
	"slices"
	"strings"

	"github.com/eaapl/handoff/pkg/format"
	"github.com/eaapl/handoff/pkg/formats"
	"github.com/eaapl/handoff/pkg/history"
	"github.com/eaapl/handoff/pkg/jsonstream"
)

// An Identity is common to the messages that are compared with each other. A request and its
// response have the same ID, but different formats.
type Identity struct {
	Format format.Format
	ID     string // see [history.ID]; "" if there is none
}

// IdentityOf returns the identity of a message in format f, or in the detected format if f is
// "". It does not keep the document in memory.
func IdentityOf(message jsonstream.Value, f format.Format) Identity {
	id := strings.Clone(history.ID(message, f))
	if f == "" {
		f, _ = formats.Detect(message)
	}
	return Identity{f, id}
}

// A Pairing pairs the messages of two streams, old and new, for comparison: the first old and
// the first new message with the same identity, and so on. It keeps messages until their
// counterpart comes. The zero Pairing is ready to use.
type Pairing[T any] struct {
	waiting [2]map[Identity][]waiting[T]
	added   int
}

// waiting is a message without its counterpart.
type waiting[T any] struct {
	message T
	order   int
}

// The sides of a comparison.
const (
	Old = 0
	New = 1
)

// Add adds the next message of a side and returns its counterpart on the other side, if that
// has already been added.
func (p *Pairing[T]) Add(side int, id Identity, message T) (other T, met bool) {
	if list := p.waiting[1-side][id]; len(list) > 0 {
		if p.waiting[1-side][id] = list[1:]; len(list) == 1 {
			delete(p.waiting[1-side], id)
		}
		return list[0].message, true
	}
	if p.waiting[side] == nil {
		p.waiting[side] = make(map[Identity][]waiting[T])
	}
	p.waiting[side][id] = append(p.waiting[side][id], waiting[T]{message, p.added})
	p.added++
	return other, false
}

// Alone returns the messages of a side without a counterpart, in the order they were
// added.
func (p *Pairing[T]) Alone(side int) []T {
	var list []waiting[T]
	for _, w := range p.waiting[side] {
		list = append(list, w...)
	}
	slices.SortFunc(list, func(a, b waiting[T]) int { return cmp.Compare(a.order, b.order) })
	messages := make([]T, len(list))
	for i, w := range list {
		messages[i] = w.message
	}
	return messages
}
