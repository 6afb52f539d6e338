package redact

import (
	"bytes"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/eaapl/handoff/pkg/history"
	"github.com/eaapl/handoff/pkg/privacy"
)

// A naming assigns replacements to the values of a message.
type naming struct {
	o        Options
	byValue  map[identity]string
	taken    map[string]bool // replacements, and values of the message
	people   map[string]string
	numbers  map[privacy.Class]int
	spelling map[string]string // original values by replacement
	replaced map[privacy.Class]int
	typed    bool
	key      *Key
}

// An identity determines a replacement: values with the same identity share it.
type identity struct {
	class privacy.Class
	value string // normalized by plain
}

func newNaming(o Options, w *walk) *naming {
	n := &naming{
		o: o, key: o.Key, byValue: map[identity]string{}, taken: map[string]bool{}, people: map[string]string{}, numbers: map[privacy.Class]int{},
		spelling: map[string]string{}, replaced: map[privacy.Class]int{},
	}
	if n.key == nil {
		n.key = NewRandomKey() // for values that keep their format
	}
	n.meet(w.pieces)
	return n
}

// meet collects the values of a message, to match parts of names with whole names.
func (n *naming) meet(pieces []piece) {
	parts := map[string][]string{}
	var visit func([]piece)
	visit = func(pieces []piece) {
		for _, p := range pieces {
			visit(p.inside)
			n.taken[p.value] = true
			if p.class != privacy.Person {
				continue
			}
			full := plain(p.class, p.value)
			if words := strings.Fields(full); len(words) > 1 {
				for _, word := range words {
					if !slices.Contains(parts[word], full) {
						parts[word] = append(parts[word], full)
					}
				}
			}
		}
	}
	visit(pieces)
	for word, full := range parts {
		if len(full) == 1 {
			n.people[word] = full[0]
		}
	}
}

// plain returns a value without spelling differences that do not change its meaning.
func plain(class privacy.Class, value string) string {
	if class == Hidden {
		return value
	}
	value = strings.ToLower(value)
	switch class {
	case privacy.Person, privacy.Address:
		return strings.Join(strings.FieldsFunc(value, func(r rune) bool { return strings.ContainsRune(" \t\n.,", r) }), " ")
	case privacy.Email, privacy.IP, privacy.BirthDate:
		return value
	}
	return strings.Map(func(r rune) rune {
		if strings.ContainsRune(" -.()/\u00a0\u2013", r) {
			return -1
		}
		return r
	}, value)
}

// replacement returns the replacement of a piece.
func (n *naming) replacement(p piece) string {
	id := identity{p.class, plain(p.class, p.value)}
	if p.name {
		id.value = p.value // distinct names of members must stay distinct
	}
	if full, ok := n.people[id.value]; ok && p.class == privacy.Person {
		id.value = full
	}
	keep := n.o.KeepFormat && p.class != Hidden
	if keep {
		// Another spelling of the same value gets another replacement in that spelling.
		id.value += "\x00" + p.value
	}
	if r, ok := n.byValue[id]; ok {
		if len(p.value) > len(n.spelling[r]) && !keep {
			n.spelling[r] = p.value // the whole name has precedence over a part
		}
		return r
	}
	var r string
	switch {
	case keep:
		r = n.alike(p, id)
	case n.o.Key != nil:
		r = "<" + label(p.class) + "_" + n.key.tag(id) + ">"
	default:
		n.numbers[p.class]++
		r = fmt.Sprintf("<%s_%d>", label(p.class), n.numbers[p.class])
	}
	n.byValue[id] = r
	n.spelling[r] = p.value
	return r
}

// label returns the prefix of replacements of a class.
func label(class privacy.Class) string {
	return strings.ToUpper(strings.ReplaceAll(string(class), "-", "_"))
}

// alike returns a replacement in the format of the value that occurs nowhere else in the message.
func (n *naming) alike(p piece, id identity) string {
	base, _, _ := strings.Cut(id.value, "\x00")
	for attempt := 0; ; attempt++ {
		r := imitate(p, n.key.stream(identity{id.class, fmt.Sprintf("%s\x00%d", base, attempt)}))
		if !n.taken[r] || attempt > 100 {
			n.taken[r] = true
			return r
		}
	}
}

// splice replaces the pieces of a text and returns the changes that undo it.
func (n *naming) splice(text []byte, pieces []piece) (redacted []byte, undo []Change) {
	redacted = make([]byte, 0, len(text)+len(text)/16)
	at := 0
	for _, p := range pieces {
		redacted = append(redacted, text[at:p.start]...)
		from := len(redacted)
		switch {
		case p.carried != nil:
			inner, _ := n.splice(p.carried, p.inside)
			quoted := history.EncodeBytes(p.at, inner)
			redacted = append(redacted, quoted[1:len(quoted)-1]...)
		case p.number && n.o.KeepFormat && p.class != Hidden:
			redacted = append(redacted, n.replacement(p)...)
		case p.number, p.entire:
			// In JSON within a string, a quotation mark is escaped once per enclosing string.
			quote := strings.Repeat(`\`, 1<<p.depth-1) + `"`
			redacted = append(append(append(redacted, quote...), n.replacement(p)...), quote...)
			n.typed = n.typed || p.number
		default:
			redacted = append(redacted, n.replacement(p)...)
		}
		if p.carried == nil {
			n.replaced[p.class]++
		}
		undo = append(undo, Change{from, len(redacted), bytes.Clone(text[p.start:p.end])})
		at = p.end
	}
	return append(redacted, text[at:]...), undo
}

// values returns the original value of each replacement.
func (n *naming) values() map[string]string { return maps.Clone(n.spelling) }
