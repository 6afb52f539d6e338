package convert

import (
	"bytes"
	"cmp"
	"io"
	"slices"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/eaapl/handoff/pkg/jsonstream"
)

// compact returns the value as compact JSON.
func (n node) compact() []byte { return n.append(make([]byte, 0, n.size())) }

// append appends the value as compact JSON.
func (n node) append(dst []byte) []byte {
	switch {
	case n.isRead():
		return jsonstream.AppendCompact(dst, n.v().Raw())
	case n.body.kind == jsonstream.Object:
		dst = append(dst, '{')
		for c, first := n.children(), true; c.next(); first = false {
			if !first {
				dst = append(dst, ',')
			}
			if c.raw != nil {
				dst = append(dst, c.raw...)
			} else {
				dst, _ = jsontext.AppendQuote(dst, c.name)
			}
			dst = c.value.append(append(dst, ':'))
		}
		return append(dst, '}')
	case n.body.kind == jsonstream.Array:
		dst = append(dst, '[')
		for i, e := range n.body.elements {
			if i > 0 {
				dst = append(dst, ',')
			}
			dst = e.append(dst)
		}
		return append(dst, ']')
	default:
		w := appender(dst)
		n.writePlain(&w)
		return w
	}
}

// size returns how many bytes the value takes at most as compact or plain JSON.
func (n node) size() int {
	size := len("{}")
	switch {
	case n.isRead():
		return len(n.v().Raw())
	case n.body.holds != nil:
		return size + n.body.holds.size()
	case isText(n):
		return size + quotedSize(n.body.text)
	case n.body.text != "":
		return len(n.body.text)
	}
	for c := n.children(); c.next(); {
		if n.body.kind == jsonstream.Object {
			size += max(quotedSize(c.name), len(c.raw)) + len(`"":`)
		}
		size += c.value.size() + len(",")
	}
	return size
}

// quotedSize returns how many bytes a text takes at most between quotes.
func quotedSize[T string | []byte](s T) int {
	size := len(s)
	for i := range len(s) {
		switch c := s[i]; {
		case c == '"' || c == '\\':
			size++
		case c < ' ':
			size += len(`\u0000`) - 1
		}
	}
	return size
}

// same reports whether two values are equal: strings by their characters, objects
// without regard to the order of their members, and numbers only if they are written
// alike.
func same(a, b node) bool {
	if a == b {
		return true
	}
	if a.kind() != b.kind() {
		return false
	}
	switch a.kind() {
	case jsonstream.Object:
		return sameMembers(a, b)
	case jsonstream.Array:
		x, y := a.children(), b.children()
		for x.next() {
			if !y.next() || !same(x.value, y.value) {
				return false
			}
		}
		return !y.next()
	case jsonstream.String:
		return sameText(a, b)
	case jsonstream.Number:
		return bytes.Equal(a.number(), b.number())
	default:
		return true
	}
}

// sameMembers compares objects: as long as they have the same order, without looking for
// names.
func sameMembers(a, b node) bool {
	x, y := a.children(), b.children()
	for {
		more := x.next()
		if more != y.next() {
			return false
		}
		if !more {
			return true
		}
		if x.name != y.name {
			break
		}
		if !same(x.value, y.value) {
			return false
		}
	}
	if a.length() != b.length() {
		return false
	}
	for ok := true; ok; ok = x.next() {
		if other := b.get(x.name); other == none || !same(x.value, other) {
			return false
		}
	}
	return true
}

func sameText(a, b node) bool {
	switch {
	case a.isMade() && a.body.holds != nil:
		return a.body.holds.is(b)
	case b.isMade() && b.body.holds != nil:
		return b.body.holds.is(a)
	case a.isRead() && b.isRead() && bytes.Equal(a.v().Raw(), b.v().Raw()):
		return true
	default:
		return a.str() == b.str()
	}
}

// appendPlain appends the value as a JSON text that is the same for all values that are
// the same: what encodes it does not depend on who wrote it, and in which order.
func (n node) appendPlain(dst []byte) []byte {
	w := appender(slices.Grow(dst, n.size()))
	n.writePlain(&w)
	return w
}

// An appender is a byte slice to write to.
type appender []byte

func (a *appender) Write(b []byte) (int, error) {
	*a = append(*a, b...)
	return len(b), nil
}

func (a *appender) WriteString(s string) (int, error) {
	*a = append(*a, s...)
	return len(s), nil
}

// A textWriter is what texts are written to. It does not fail.
type textWriter interface {
	io.Writer
	io.StringWriter
}

// writePlain writes what appendPlain appends.
func (n node) writePlain(w textWriter) {
	switch n.kind() {
	case jsonstream.Object:
		w.WriteString("{")
		first := true
		n.inOrder(func(a, b string) int { return cmp.Or(cmp.Compare(rankOf(a), rankOf(b)), cmp.Compare(a, b)) }, func(m member) {
			if !first {
				w.WriteString(",")
			}
			first = false
			writeQuoted(w, m.name)
			w.WriteString(":")
			m.value.writePlain(w)
		})
		w.WriteString("}")
	case jsonstream.Array:
		w.WriteString("[")
		for c, first := n.children(), true; c.next(); first = false {
			if !first {
				w.WriteString(",")
			}
			c.value.writePlain(w)
		}
		w.WriteString("]")
	case jsonstream.String:
		switch {
		case n.isMade() && n.body.holds != nil:
			w.WriteString(`"`)
			n.body.holds.writeQuoted(w)
			w.WriteString(`"`)
		case n.isRead() && bytes.IndexByte(n.v().Raw(), '\\') < 0:
			w.Write(n.v().Raw())
		default:
			writeQuoted(w, n.str())
		}
	default:
		if n.isRead() {
			w.Write(n.v().Raw())
		} else {
			w.WriteString(n.body.text)
		}
	}
}

func writeQuoted(w textWriter, s string) {
	w.WriteString(`"`)
	quoting{w}.WriteString(s)
	w.WriteString(`"`)
}

// inOrder does something with the members of an object in an order of their names.
func (n node) inOrder(compare func(a, b string) int, do func(member)) {
	ordered, last := true, ""
	for c, first := n.children(), true; c.next() && ordered; first = false {
		ordered = first || compare(last, c.name) < 0
		last = c.name
	}
	if ordered {
		for c := n.children(); c.next(); {
			do(c.member)
		}
		return
	}
	if n.isMade() {
		members := n.without()
		slices.SortFunc(members, func(a, b member) int { return compare(a.name, b.name) })
		for _, m := range members {
			do(m)
		}
		return
	}
	members := make([]jsonstream.Value, 0, n.v().Len())
	for v := n.v().First(); v.Exists(); v = v.Next() {
		members = append(members, v)
	}
	slices.SortFunc(members, func(a, b jsonstream.Value) int { return compare(a.Name(), b.Name()) })
	for _, v := range members {
		do(member{v.Name(), v.RawName(), n.sibling(v)})
	}
}

// ranks are the names that come first, as the specifications list them.
var ranks = []string{
	"conversation_history", "tool_state", "metadata", "role", "name", "tool_call_id", "content",
	"handoffId", "taskId", "fromAgent", "toAgent", "timestamp", "taskDescription", "completedSubtasks", "remainingSubtasks",
	"currentState", "relevantContext", "constraints", "costTracking", "conversationHistorySummary", "conversationHistoryVerbatim", "toolCallHistory",
	"subtaskId", "description", "source", "excerpt", "tool", "costSpentSoFarUSD", "costBudgetRemainingUSD", "tokenSpent", "prompt",
}

func rankOf(name string) int {
	if i := slices.Index(ranks, name); i >= 0 {
		return i
	}
	return len(ranks)
}

// flat returns the value as text: a string's characters, the texts of parts, one a
// line, the types in brackets of parts that have none, nothing for null, and anything else
// as JSON.
func (n node) flat() string {
	switch {
	case n == none || n.is(jsonstream.Null):
		return ""
	case isText(n):
		return n.str()
	case !n.is(jsonstream.Array):
		return string(n.appendPlain(nil))
	}
	var lines []string
	for parts := n.children(); parts.next(); {
		part := parts.value
		switch t, kind := part.get("text"), part.get("type"); {
		case isText(t):
			lines = append(lines, t.str())
		case isText(kind):
			lines = append(lines, "["+kind.str()+"]") // it may hold a whole file
		default:
			lines = append(lines, part.flat())
		}
	}
	return strings.Join(lines, "\n")
}
