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
	t = spelled(t)
	if content := t.Get("content"); !content.Is(jsonstream.String) && !IsParts(content) {
		t = t.With("content", tree.String(content.Flat()))
	}
	return t
}

// spelled returns a turn of the Chat API in its usual form: a refusal and the transcript of audio as parts,
// a function_call and custom calls as tool_calls, the result of a function as that of a tool.
func spelled(t tree.Node) tree.Node {
	switch t.Get("role").Text() {
	case "assistant":
	case "function":
		if name := t.Get("name"); t.Get("tool_call_id") == tree.None && tree.IsString(name) {
			return t.With("role", tree.String("tool")).With("tool_call_id", FunctionID(name))
		}
		return t
	default:
		return t
	}
	var said []tree.Node
	if refusal := t.Get("refusal"); tree.IsString(refusal) && !refusal.Empty() {
		said = append(said, tree.Object(tree.Member{Name: "type", Value: tree.String("refusal")}, tree.Member{Name: "refusal", Value: refusal}))
	}
	switch transcript := t.At("/audio/transcript"); {
	case tree.IsString(transcript) && !transcript.Empty():
		said = append(said, textPart(transcript))
	case tree.IsString(t.At("/audio/id")) && t.Get("content").Empty(): // as a request names an earlier answer
		said = append(said, textPart(tree.String("[audio]")))
	}
	if len(said) > 0 {
		switch content := t.Get("content"); {
		case content.Is(jsonstream.Array):
			said = append(slices.Clone(tree.Elements(content)), said...)
		case tree.IsString(content) && !content.Empty():
			said = append([]tree.Node{textPart(content)}, said...)
		}
		t = t.With("content", tree.Array(said...)).With("refusal", tree.None).With("audio", tree.None)
	}
	if f := t.Get("function_call"); f.Is(jsonstream.Object) && t.Get("tool_calls") == tree.None && tree.IsString(f.Get("name")) && tree.IsString(f.Get("arguments")) {
		t = t.With("function_call", tree.None).With("tool_calls", tree.Array(callNode(Call{FunctionID(f.Get("name")), f.Get("name"), f.Get("arguments")})))
	}
	calls := slices.Clone(tree.Elements(t.Get("tool_calls")))
	custom := false
	for i, e := range calls {
		if c := e.Get("custom"); c.Is(jsonstream.Object) && tree.IsString(e.Get("id")) && tree.IsString(c.Get("name")) && tree.IsString(c.Get("input")) {
			input := tree.Object(tree.Member{Name: "input", Value: c.Get("input")})
			calls[i], custom = callNode(Call{e.Get("id"), c.Get("name"), tree.String(string(input.AppendPlain(nil)))}), true
		}
	}
	if custom {
		t = t.With("tool_calls", tree.Array(calls...))
	}
	return t
}

// Spelled returns turns in the usual form of the Chat API, as [CanonicalTurn] does. Each call in the original
// form gets an id of its own, because results in that form name only their function.
func Spelled(turns []tree.Node) []tree.Node {
	made := map[string]int{}            // the number of calls of a function
	waiting := map[string][]tree.Node{} // their ids, by function
	return Each(turns, func(t tree.Node) tree.Node {
		if !t.Is(jsonstream.Object) {
			return t
		}
		call, role := t.Get("function_call"), t.Get("role").Text()
		name := call.Get("name").Text()
		if role == "function" {
			name = t.Get("name").Text()
		} else if call == tree.None || role != "assistant" {
			return spelled(t)
		}
		t = spelled(t)
		switch {
		case role == "function":
			if ids := waiting[name]; len(ids) > 0 {
				t, waiting[name] = t.With("tool_call_id", ids[0]), ids[1:]
			}
		case call.Is(jsonstream.Object) && t.Get("tool_calls").Length() == 1:
			id := t.At("/tool_calls/0/id")
			if made[name]++; made[name] > 1 {
				id = tree.String(id.Text() + "_" + strconv.Itoa(made[name]))
				t = t.With("tool_calls", tree.Array(t.At("/tool_calls/0").With("id", id)))
			}
			waiting[name] = append(waiting[name], id)
		}
		return t
	})
}

// FunctionID returns the id of a call in the original form of the Chat API, which names only the function.
func FunctionID(name tree.Node) tree.Node { return tree.String("call_" + name.Text()) }

func textPart(text tree.Node) tree.Node {
	return tree.Object(tree.Member{Name: "type", Value: tree.String("text")}, tree.Member{Name: "text", Value: text})
}

// callNode returns a call as an element of tool_calls.
func callNode(c Call) tree.Node {
	function := tree.Object(tree.Member{Name: "name", Value: c.Name}, tree.Member{Name: "arguments", Value: c.Arguments})
	return tree.Object(tree.Member{Name: "id", Value: c.ID}, tree.Member{Name: "type", Value: tree.String("function")}, tree.Member{Name: "function", Value: function})
}

// IsParts reports whether content is an array of parts.
func IsParts(n tree.Node) bool {
	return n.Is(jsonstream.Array) && tree.All(n, func(e tree.Node) bool { return e.Is(jsonstream.Object) })
}

// A Call is a call to a tool in a turn.
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
	return tree.Object(append([]tree.Member{
		{Name: "role", Value: tree.String("assistant")},
		{Name: "content", Value: tree.String("")},
		{Name: "tool_calls", Value: tree.Array(callNode(c))},
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
