package convert

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"encoding/base64"
	"slices"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/eaapl/handoff/pkg/jsonstream"
)

// append appends the value as compact JSON.
func (n *node) append(dst []byte) []byte {
	switch n.kind {
	case jsonstream.Object:
		dst = append(dst, '{')
		for i, m := range n.members {
			if i > 0 {
				dst = append(dst, ',')
			}
			if m.raw != nil {
				dst = append(dst, m.raw...)
			} else {
				dst, _ = jsontext.AppendQuote(dst, m.name)
			}
			dst = m.value.append(append(dst, ':'))
		}
		return append(dst, '}')
	case jsonstream.Array:
		dst = append(dst, '[')
		for i, e := range n.elements {
			if i > 0 {
				dst = append(dst, ',')
			}
			dst = e.append(dst)
		}
		return append(dst, ']')
	default:
		return append(dst, n.text...)
	}
}

// same reports whether two values are equal: strings by their characters, objects
// without regard to the order of their members, and numbers only if they are written
// alike.
func same(a, b *node) bool {
	if a == b {
		return true
	}
	if a == nil || b == nil || a.kind != b.kind || len(a.members) != len(b.members) || len(a.elements) != len(b.elements) {
		return false
	}
	switch a.kind {
	case jsonstream.Object:
		for i, m := range a.members {
			other := b.members[i].value
			if b.members[i].name != m.name {
				other = b.get(m.name)
			}
			if other == nil || !same(m.value, other) {
				return false
			}
		}
		return true
	case jsonstream.Array:
		for i, e := range a.elements {
			if !same(e, b.elements[i]) {
				return false
			}
		}
		return true
	case jsonstream.String:
		return bytes.Equal(a.text, b.text) || a.str() == b.str()
	default:
		return bytes.Equal(a.text, b.text)
	}
}

// appendPlain appends the value as a JSON text that is the same for all values that are
// the same: what encodes it does not depend on who wrote it, and in which order.
func (n *node) appendPlain(dst []byte) []byte {
	switch n.kind {
	case jsonstream.Object:
		order := slices.Clone(n.members)
		slices.SortFunc(order, func(a, b member) int {
			return cmp.Or(cmp.Compare(rankOf(a.name), rankOf(b.name)), cmp.Compare(a.name, b.name))
		})
		dst = append(dst, '{')
		for i, m := range order {
			if i > 0 {
				dst = append(dst, ',')
			}
			dst, _ = jsontext.AppendQuote(dst, m.name)
			dst = m.value.appendPlain(append(dst, ':'))
		}
		return append(dst, '}')
	case jsonstream.Array:
		dst = append(dst, '[')
		for i, e := range n.elements {
			if i > 0 {
				dst = append(dst, ',')
			}
			dst = e.appendPlain(dst)
		}
		return append(dst, ']')
	case jsonstream.String:
		dst, _ = jsontext.AppendQuote(dst, n.str())
		return dst
	default:
		return append(dst, n.text...)
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

// A digest stands for a value; equal ones have the same, whatever the order of their
// members and however their numbers are written.
type digest string

// digest returns the digest of a value: 128 bits in base64.
func (n *node) digest() digest {
	if n.sum == "" {
		sum := sha256.Sum256(n.appendDigested(nil))
		n.sum = digest(base64.RawURLEncoding.EncodeToString(sum[:16]))
	}
	return n.sum
}

func (n *node) appendDigested(dst []byte) []byte {
	switch n.kind {
	case jsonstream.Object:
		order := slices.Clone(n.members)
		slices.SortFunc(order, func(a, b member) int { return cmp.Compare(a.name, b.name) })
		dst = append(dst, '{')
		for _, m := range order {
			dst = strconv.AppendInt(dst, int64(len(m.name)), 10)
			dst = append(append(dst, ':'), m.name...)
			dst = append(dst, m.value.digest()...)
		}
	case jsonstream.Array:
		dst = append(dst, '[')
		for _, e := range n.elements {
			dst = append(dst, e.digest()...)
		}
	case jsonstream.String:
		dst = append(append(dst, '"'), n.str()...)
	case jsonstream.Number:
		dst = jsonstream.AppendNormal(append(dst, '0'), n.text)
	default:
		dst = append(dst, n.text...)
	}
	return dst
}

// decode returns the value whose JSON text a string holds in base64, and whether it
// holds one.
func (n *node) decode() (*node, bool) {
	if !n.is(jsonstream.String) {
		return nil, false
	}
	b, err := base64.StdEncoding.DecodeString(n.str())
	if err != nil {
		return nil, false
	}
	return parse(b)
}

// encode returns the string that holds a value's JSON text in base64.
func (n *node) encode() *node {
	return text(base64.StdEncoding.EncodeToString(n.appendPlain(nil)))
}

// flat returns the value as text: a string's characters, the texts of parts, one a
// line, the types in brackets of parts that have none, nothing for null, and anything else
// as JSON.
func (n *node) flat() string {
	switch {
	case n == nil || n.kind == jsonstream.Null:
		return ""
	case n.kind == jsonstream.String:
		return n.str()
	case n.kind != jsonstream.Array:
		return string(n.appendPlain(nil))
	}
	var lines []string
	for _, part := range n.elements {
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
