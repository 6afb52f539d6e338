package tree

import (
	"bytes"
	"cmp"
	"io"
	"slices"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/eaapl/handoff/pkg/jsonstream"
)

// Compact returns the value as compact JSON.
func (n Node) Compact() []byte { return n.Append(make([]byte, 0, n.size())) }

// Append appends the value as compact JSON.
func (n Node) Append(dst []byte) []byte {
	switch {
	case n.v().IsLines(): // its text is not an array
		return Array(Elements(n)...).Append(dst)
	case n.isRead():
		return jsonstream.AppendCompact(dst, n.v().Raw())
	case n.body.kind == jsonstream.Object:
		dst = append(dst, '{')
		for c := n.Children(); c.Next(); {
			dst = jsonstream.AppendComma(dst)
			if c.raw != nil {
				dst = append(dst, c.raw...)
			} else {
				dst, _ = jsontext.AppendQuote(dst, c.Name)
			}
			dst = c.Value.Append(append(dst, ':'))
		}
		return append(dst, '}')
	case n.body.kind == jsonstream.Array:
		dst = append(dst, '[')
		for _, e := range n.body.elements {
			dst = e.Append(jsonstream.AppendComma(dst))
		}
		return append(dst, ']')
	case n.body.holds == nil && IsString(n):
		return appendQuoted(dst, n.body.text)
	case n.body.holds == nil:
		return append(dst, n.body.text...)
	default:
		w := appender(dst)
		n.writePlain(&w)
		return w
	}
}

// appendQuoted appends the text that writeQuoted writes.
func appendQuoted(dst []byte, s string) []byte {
	if quotedSize(s) == len(s) {
		return append(append(append(dst, '"'), s...), '"')
	}
	dst, _ = jsontext.AppendQuote(dst, s)
	return dst
}

// size returns the maximum length of the value as compact or plain JSON.
func (n Node) size() int {
	size := len("{}")
	switch {
	case n.isRead():
		return len(n.v().Raw())
	case n.body.holds != nil:
		return size + n.body.holds.size()
	case IsString(n):
		return size + quotedSize(n.body.text)
	case n.body.text != "":
		return len(n.body.text)
	}
	for c := n.Children(); c.Next(); {
		if n.body.kind == jsonstream.Object {
			size += max(quotedSize(c.Name), len(c.raw)) + len(`"":`)
		}
		size += c.Value.size() + len(",")
	}
	return size
}

// quotedSize returns the maximum length of a text encoded between quotes.
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

// Same reports whether two values are equal: strings by their characters, objects regardless of
// member order, and numbers by their spelling.
func Same(a, b Node) bool {
	if a == b {
		return true
	}
	if a.Kind() != b.Kind() {
		return false
	}
	switch a.Kind() {
	case jsonstream.Object:
		return sameMembers(a, b)
	case jsonstream.Array:
		x, y := a.Children(), b.Children()
		for x.Next() {
			if !y.Next() || !Same(x.Value, y.Value) {
				return false
			}
		}
		return !y.Next()
	case jsonstream.String:
		return sameText(a, b)
	case jsonstream.Number:
		return bytes.Equal(a.NumberText(), b.NumberText())
	default:
		return true
	}
}

// sameMembers compares objects. While the members are in the same order, it needs no lookups.
func sameMembers(a, b Node) bool {
	x, y := a.Children(), b.Children()
	for {
		more := x.Next()
		if more != y.Next() {
			return false
		}
		if !more {
			return true
		}
		if x.Name != y.Name {
			break
		}
		if !Same(x.Value, y.Value) {
			return false
		}
	}
	if a.Length() != b.Length() {
		return false
	}
	for ok := true; ok; ok = x.Next() {
		if other := b.Get(x.Name); other == None || !Same(x.Value, other) {
			return false
		}
	}
	return true
}

func sameText(a, b Node) bool {
	switch {
	case a.isMade() && a.body.holds != nil:
		return a.body.holds.is(b)
	case b.isMade() && b.body.holds != nil:
		return b.body.holds.is(a)
	case a.isRead() && b.isRead() && bytes.Equal(a.v().Raw(), b.v().Raw()):
		return true
	default:
		return a.Text() == b.Text()
	}
}

// AppendPlain appends the value as JSON text that is the same for all equal values, regardless of
// member order and spelling, so that encoding it is deterministic.
func (n Node) AppendPlain(dst []byte) []byte {
	w := appender(slices.Grow(dst, n.size()))
	n.writePlain(&w)
	return w
}

// An appender is a textWriter to a byte slice.
type appender []byte

func (a *appender) Write(b []byte) (int, error) {
	*a = append(*a, b...)
	return len(b), nil
}

func (a *appender) WriteString(s string) (int, error) {
	*a = append(*a, s...)
	return len(s), nil
}

// A textWriter receives text. It cannot fail.
type textWriter interface {
	io.Writer
	io.StringWriter
}

// writePlain writes the text of [Node.AppendPlain].
func (n Node) writePlain(w textWriter) {
	switch n.Kind() {
	case jsonstream.Object:
		w.WriteString("{")
		first := true
		n.inOrder(func(a, b string) int { return cmp.Or(cmp.Compare(rankOf(a), rankOf(b)), cmp.Compare(a, b)) }, func(m Member) {
			if !first {
				w.WriteString(",")
			}
			first = false
			writeQuoted(w, m.Name)
			w.WriteString(":")
			m.Value.writePlain(w)
		})
		w.WriteString("}")
	case jsonstream.Array:
		w.WriteString("[")
		for c, first := n.Children(), true; c.Next(); first = false {
			if !first {
				w.WriteString(",")
			}
			c.Value.writePlain(w)
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
			writeQuoted(w, n.Text())
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
	quotedWriter{w}.WriteString(s)
	w.WriteString(`"`)
}

// inOrder calls do with the members of an object, sorted by name.
func (n Node) inOrder(compare func(a, b string) int, do func(Member)) {
	ordered, last := true, ""
	for c, first := n.Children(), true; c.Next() && ordered; first = false {
		ordered = first || compare(last, c.Name) < 0
		last = c.Name
	}
	if ordered {
		for c := n.Children(); c.Next(); {
			do(c.Member)
		}
		return
	}
	if n.isMade() {
		var few [manyMembers]Member // most objects need no more, and no allocation
		members := few[:0]
		for c := n.Children(); c.Next(); {
			members = append(members, c.Member)
		}
		slices.SortFunc(members, func(a, b Member) int { return compare(a.Name, b.Name) })
		for _, m := range members {
			do(m)
		}
		return
	}
	var few [manyMembers]jsonstream.Value
	members := few[:0]
	if length := n.v().Len(); length > len(few) {
		members = make([]jsonstream.Value, 0, length)
	}
	for v := n.v().First(); v.Exists(); v = v.Next() {
		members = append(members, v)
	}
	slices.SortFunc(members, func(a, b jsonstream.Value) int { return compare(a.Name(), b.Name()) })
	for _, v := range members {
		do(Member{v.Name(), n.sibling(v), v.RawName()})
	}
}

// ranks are the names that come first, in the order of the specifications.
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

// Flat returns the value as text: the characters of a string; the texts of parts, one per line,
// with the type in brackets for parts without text; nothing for null; and JSON for any other value.
func (n Node) Flat() string {
	switch {
	case n == None || n.Is(jsonstream.Null):
		return ""
	case IsString(n):
		return n.Text()
	case !n.Is(jsonstream.Array):
		return string(n.AppendPlain(nil))
	}
	var lines []string
	for parts := n.Children(); parts.Next(); {
		part := parts.Value
		switch t, kind := part.Get("text"), part.Get("type"); {
		case IsString(t):
			lines = append(lines, t.Text())
		case IsString(kind):
			lines = append(lines, "["+kind.Text()+"]") // the part may contain a whole file
		default:
			lines = append(lines, part.Flat())
		}
	}
	return strings.Join(lines, "\n")
}
