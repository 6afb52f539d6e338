package convert

import (
	"cmp"
	"slices"
	"strconv"
	"strings"

	"github.com/eaapl/handoff/pkg/formats"
	"github.com/eaapl/handoff/pkg/internal/exchange"
	"github.com/eaapl/handoff/pkg/internal/tree"
	"github.com/eaapl/handoff/pkg/jsonstream"
)

// store returns a message of a format with a residue in its holder, and the residue's pointer.
func store(s side, message tree.Node, r residue) (tree.Node, string) {
	if s.Bare != "" && message.Is(jsonstream.Array) {
		message, r.bare = tree.Object(tree.Member{Name: s.Bare, Value: message}), true
	}
	place := s.HolderAt(message)
	holder := message.At(place)
	kind, empty := jsonstream.Object, tree.Object()
	if s.Pack != nil {
		kind, empty = jsonstream.Array, tree.Array()
	}
	if !holder.Is(kind) {
		r.place = tree.Array()
		if holder != tree.None {
			r.place = tree.Array(holder)
		}
		holder = empty
	}
	packed := r.pack()
	switch {
	case s.InBase64:
		packed = packed.Encode()
	case packed.DeeperThan(exchange.MaxDepth):
		packed = tree.String(string(packed.AppendPlain(nil)))
	}
	last := "0"
	if s.Pack != nil {
		elements := tree.Elements(holder)
		at := 0
		if s.Last {
			at, last = len(elements), strconv.Itoa(len(elements))
		}
		holder = tree.Array(slices.Insert(slices.Clone(elements), at, s.Pack(packed))...)
	} else {
		last = freeName(holder, s.Prefix+formats.Named(r.format).System)
		holder = holder.With(last, packed)
	}
	return message.Set(place, holder), jsonstream.AppendPointer(place, last)
}

// strip removes the latest residue for a format from a message.
func strip(s side, message tree.Node, wanted side) (tree.Node, residue, bool) {
	place := s.HolderAt(message)
	holder := message.At(place)
	take := takeMember
	if s.Pack != nil {
		take = takeElement
	}
	holder, r, found := take(s, holder, wanted)
	if !found {
		return message, residue{}, false
	}
	if r.place != tree.None && holder.Empty() {
		holder = tree.None
		if !r.place.Empty() {
			holder = r.place.Element("0")
		}
	}
	message = message.Set(place, holder)
	if list := message.Get(s.Bare); r.bare && list.Is(jsonstream.Array) && message.Length() == 1 {
		message = list
	}
	return message, r, true
}

// takeElement removes the latest residue for a format from an array: the first or the last.
func takeElement(s side, holder tree.Node, wanted side) (tree.Node, residue, bool) {
	elements := tree.Elements(holder)
	for n := range elements {
		i := n
		if s.Last {
			i = len(elements) - 1 - n
		}
		carried, ok := s.Unpack(elements[i])
		if !ok {
			continue
		}
		if r, ok := unpack(carried, wanted.Name); ok {
			return tree.Array(slices.Delete(slices.Clone(elements), i, i+1)...), r, true
		}
	}
	return holder, residue{}, false
}

// takeMember removes the residue for a format with the highest number in its name from an object.
func takeMember(s side, holder tree.Node, wanted side) (tree.Node, residue, bool) {
	if !holder.Is(jsonstream.Object) {
		return holder, residue{}, false
	}
	var r residue
	name, highest, found := "", "", false
	for m := holder.Children(); m.Next(); {
		digits, ok := numberIn(m.Name, s.Prefix+wanted.System)
		if !ok || found && compareDigits(digits, highest) <= 0 {
			continue
		}
		value := m.Value
		if s.InBase64 {
			value, _ = value.Decode()
		}
		if candidate, ok := unpack(value, wanted.Name); ok {
			name, r, found, highest = m.Name, candidate, true, digits
		}
	}
	if !found {
		return holder, r, false
	}
	return holder.With(name, tree.None), r, true
}

// numberIn returns the number in a name like sw4rm or sw4rm_1, "" for none, and reports whether the name is
// one of a system.
func numberIn(name, system string) (digits string, ok bool) {
	rest, ok := strings.CutPrefix(name, system)
	if !ok || rest == "" {
		return "", ok
	}
	digits, ok = strings.CutPrefix(rest, "_")
	if !ok || digits == "" || digits[0] == '0' || strings.Trim(digits, "0123456789") != "" {
		return "", false
	}
	return digits, true
}

// compareDigits compares numbers of any length, without leading zeros.
func compareDigits(a, b string) int {
	return cmp.Or(cmp.Compare(len(a), len(b)), strings.Compare(a, b))
}

// freeName returns a free name for a system's residue, with a higher number than all existing ones.
func freeName(holder tree.Node, system string) string {
	highest, taken := "", false
	for m := holder.Children(); m.Next(); {
		if digits, ok := numberIn(m.Name, system); ok {
			taken = true
			if compareDigits(digits, highest) > 0 {
				highest = digits
			}
		}
	}
	if !taken {
		return system
	}
	return system + "_" + successor(highest)
}

// successor returns the next number.
func successor(digits string) string {
	next := []byte(digits)
	for i := len(next) - 1; i >= 0; i-- {
		if next[i] != '9' {
			next[i]++
			return string(next)
		}
		next[i] = '0'
	}
	return "1" + string(next)
}
