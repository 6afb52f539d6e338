package convert

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/eaapl/handoff/pkg/conversation"
	"github.com/eaapl/handoff/pkg/format"
	"github.com/eaapl/handoff/pkg/jsonstream"
)

// systemOf returns the name under which what a format needs is carried.
func systemOf(f format.Format) string {
	switch f {
	case format.SW4RMContext, format.SW4RMRequest:
		return "sw4rm"
	default:
		return string(f)
	}
}

// holderOf returns where a message holds residues.
func holderOf(f format.Format, doc node) string {
	switch f {
	case format.EAAPL:
		return "/extensions"
	case format.OpenAI:
		return "/pre_handoff_items"
	case format.MACP:
		if i := mappedMessages(doc.get("messages"))[0]; i >= 0 {
			return fmt.Sprintf("/messages/%d/payload/extensions", i)
		}
		return "/extensions"
	default:
		return "/metadata"
	}
}

// mostDepth is how deep a message may nest what is carried: beyond it, what is carried is
// a string that holds its JSON text, so that the message can be read with the default
// limits.
const mostDepth = jsonstream.DefaultMaxDepth - 8

// store returns a message of a format with a residue in its holder, and the pointer to
// it.
func store(f format.Format, doc node, r residue) (node, string) {
	place := holderOf(f, doc)
	holder := doc.at(place)
	kind := jsonstream.Object
	if f == format.OpenAI {
		kind = jsonstream.Array
	}
	if !holder.is(kind) {
		r.place = array()
		if holder != none {
			r.place = array(holder)
		}
		holder = object()
		if f == format.OpenAI {
			holder = array()
		}
	}
	packed := r.pack()
	if packed.deeperThan(mostDepth) && f != format.MACP {
		packed = text(string(packed.appendPlain(nil)))
	}
	last := "0"
	switch f {
	case format.OpenAI:
		item := object(
			member{name: "type", value: text(conversation.CarriedType)},
			member{name: "name", value: text(conversation.CarriedName)},
			member{name: "carried", value: packed},
		)
		holder = array(append([]node{item}, elementsOf(holder)...)...)
	case format.MACP:
		last = freeName(holder, systemOf(r.format))
		holder = holder.with(last, packed.encode())
	default:
		last = freeName(holder, systemOf(r.format))
		holder = holder.with(last, packed)
	}
	return doc.set(place, holder), jsonstream.AppendPointer(place, last)
}

// isCarried reports whether an item of OpenAI input data holds a residue.
func isCarried(item node) bool {
	return item.get("type").str() == conversation.CarriedType && item.get("name").str() == conversation.CarriedName
}

// strip takes the latest residue for a format out of a message.
func strip(f format.Format, doc node, wanted format.Format) (node, residue, bool) {
	place := holderOf(f, doc)
	holder := doc.at(place)
	var r residue
	found := false
	if f == format.OpenAI {
		for i, item := range elementsOf(holder) {
			if !isCarried(item) {
				continue
			}
			if r, found = unpackResidue(item.get("carried"), wanted); found {
				holder = array(slices.Delete(slices.Clone(elementsOf(holder)), i, i+1)...)
				break
			}
		}
	} else {
		var name string
		if name, r, found = latest(f, holder, wanted); found {
			holder = holder.with(name, none)
		}
	}
	if !found {
		return doc, residue{}, false
	}
	if r.place != none && holder.empty() {
		holder = none
		if !r.place.empty() {
			holder = r.place.element("0")
		}
	}
	return doc.set(place, holder), r, true
}

// latest returns the residue for a format under the highest numbered name.
func latest(f format.Format, holder node, wanted format.Format) (name string, r residue, found bool) {
	if !holder.is(jsonstream.Object) {
		return "", residue{}, false
	}
	highest := ""
	for m := holder.children(); m.next(); {
		digits, ok := numberIn(m.name, systemOf(wanted))
		if !ok || found && compareDigits(digits, highest) <= 0 {
			continue
		}
		value := m.value
		if f == format.MACP {
			value, _ = value.decode()
		}
		if candidate, ok := unpackResidue(value, wanted); ok {
			name, r, found, highest = m.name, candidate, true, digits
		}
	}
	return name, r, found
}

// numberIn returns the number in a name like sw4rm or sw4rm_1, "" for none, and whether
// the name is one of a system.
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

// compareDigits compares numbers of any length, without zeros before them.
func compareDigits(a, b string) int {
	return cmp.Or(cmp.Compare(len(a), len(b)), strings.Compare(a, b))
}

// freeName returns a name for what a system needs that is higher than all that are there.
func freeName(holder node, system string) string {
	highest, taken := "", false
	for m := holder.children(); m.next(); {
		if digits, ok := numberIn(m.name, system); ok {
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
