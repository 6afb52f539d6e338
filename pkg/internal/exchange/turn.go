package exchange

import (
	"math/big"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/eaapl/handoff/internal/rfc3339"
	"github.com/eaapl/handoff/pkg/internal/tree"
	"github.com/eaapl/handoff/pkg/jsonstream"
)

// CanonicalTurn returns a turn as required by the canonical schema: with a role, and content that
// is text or parts.
func CanonicalTurn(t tree.Node) tree.Node {
	if !t.Is(jsonstream.Object) {
		return UserMessage(tree.String(t.Flat()))
	}
	if t.Get("role").Text() == "" {
		t = t.With("role", tree.String("user"))
	}
	if content := t.Get("content"); !content.Is(jsonstream.String) && !IsParts(content) {
		t = t.With("content", tree.String(content.Flat()))
	}
	return t
}

// IsParts reports whether content is an array of parts.
func IsParts(n tree.Node) bool {
	return n.Is(jsonstream.Array) && tree.All(n, func(e tree.Node) bool { return e.Is(jsonstream.Object) })
}

// A Call is a call of a tool in a turn.
type Call struct{ ID, Name, Arguments tree.Node }

// CallsOf returns the calls of an assistant turn; nil if it has none, or one that is not in the
// form of the Chat API.
func CallsOf(t tree.Node) []Call {
	list := t.Get("tool_calls")
	if !list.Is(jsonstream.Array) {
		return nil
	}
	var calls []Call
	for elements := list.Children(); elements.Next(); {
		e := elements.Value
		c := Call{e.Get("id"), e.At("/function/name"), e.At("/function/arguments")}
		if !c.ID.Is(jsonstream.String) || !c.Name.Is(jsonstream.String) || !c.Arguments.Is(jsonstream.String) {
			return nil
		}
		calls = append(calls, c)
	}
	return calls
}

// CallTurn returns the turn of a call, with further members.
func CallTurn(c Call, further []tree.Member) tree.Node {
	function := tree.Object(tree.Member{Name: "name", Value: c.Name}, tree.Member{Name: "arguments", Value: c.Arguments})
	one := tree.Object(tree.Member{Name: "id", Value: c.ID}, tree.Member{Name: "type", Value: tree.String("function")}, tree.Member{Name: "function", Value: function})
	return tree.Object(append([]tree.Member{
		{Name: "role", Value: tree.String("assistant")},
		{Name: "content", Value: tree.String("")},
		{Name: "tool_calls", Value: tree.Array(one)},
	}, further...)...)
}

// IsTime reports whether a string is a date-time of RFC 3339.
func IsTime(n tree.Node) bool { return tree.IsString(n) && rfc3339.IsDateTime(n.Text()) }

const lastSecond = 253402300799 // at the end of the year 9999

// UnixTime returns Unix seconds, with an optional fraction, as a date-time, and whether n is valid.
func UnixTime(n tree.Node) (tree.Node, bool) {
	r, ok := n.Rational()
	if !ok || r.Sign() < 0 || r.Cmp(big.NewRat(lastSecond+1, 1)) >= 0 {
		return tree.None, false
	}
	nanos := new(big.Int).Mul(r.Num(), big.NewInt(int64(time.Second)))
	seconds, rest := nanos.Quo(nanos, r.Denom()).QuoRem(nanos, big.NewInt(int64(time.Second)), new(big.Int))
	return tree.String(time.Unix(seconds.Int64(), rest.Int64()).UTC().Format(time.RFC3339Nano)), true
}

// UnixMillis returns Unix milliseconds as a date-time, and whether n is valid.
func UnixMillis(n tree.Node) (tree.Node, bool) {
	ms, ok := n.Integer()
	if !ok || ms < 0 || ms/1000 > lastSecond {
		return tree.None, false
	}
	layout := "2006-01-02T15:04:05Z"
	if ms%1000 != 0 {
		layout = "2006-01-02T15:04:05.000Z"
	}
	return tree.String(time.UnixMilli(ms).UTC().Format(layout)), true
}

// Seconds returns a date-time from 1970 on as Unix seconds, with its fraction if any.
func Seconds(n tree.Node) (tree.Node, bool) {
	t, ok := rfc3339.Parse(n.Text())
	if !ok || t.Unix() < 0 {
		return tree.None, false
	}
	text := strconv.FormatInt(t.Unix(), 10)
	if t.Nanosecond() > 0 {
		text += strings.TrimRight(t.UTC().Format(".000000000"), "0")
	}
	return tree.Number(text), true
}

// Millis returns a date-time as Unix milliseconds, if it is a whole number of them.
func Millis(n tree.Node) (tree.Node, bool) {
	t, ok := rfc3339.Parse(n.Text())
	if !ok || t.Nanosecond()%int(time.Millisecond) != 0 {
		return tree.None, false
	}
	return tree.Int(t.UnixMilli()), true
}

// Each applies f to all turns. It returns turns itself if none changes.
func Each(turns []tree.Node, f func(tree.Node) tree.Node) []tree.Node {
	out, shared := turns, true
	for i, t := range turns {
		other := f(t)
		if shared && other != t {
			out, shared = slices.Clone(turns), false
		}
		if !shared {
			out[i] = other
		}
	}
	return out
}
