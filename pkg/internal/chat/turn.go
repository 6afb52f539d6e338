package chat

import (
	"slices"
	"strings"

	"github.com/eaapl/handoff/pkg/internal/exchange"
	"github.com/eaapl/handoff/pkg/internal/tree"
	"github.com/eaapl/handoff/pkg/jsonstream"
)

// A Kind is the kind of a part.
type Kind int

// The kinds of parts.
const (
	Other     Kind = iota // a kind that only some formats have
	Text                  // spoken text
	Reasoning             // a model's reasoning
	File                  // an image, audio, video or a document
	Call                  // a call to a tool
	Result                // the result of a call
)

// A Turn is a turn of a conversation, in the form common to all formats.
type Turn struct {
	Role  string // user, assistant, system, developer, tool, or another role unchanged
	Parts []Part
	// Plain reports that the only part is a text, without a list.
	Plain bool
	// Further are the other members of the canonical turn, such as its name and timestamp.
	Further []tree.Member
}

// A Part is a part of a turn.
type Part struct {
	Kind Kind
	// Text is a string: the text or the reasoning.
	Text tree.Node
	// Value is the part of the canonical turn if it has more than the text: any object for Other,
	// an object with further members for Text and Reasoning.
	Value tree.Node

	ID        tree.Node // of a Call or Result: a string
	Name      tree.Node // of the tool: a string, None if a result has no name
	Arguments tree.Node // of a Call: a string, which should be the JSON text of an object
	Output    []Part    // of a Result: Text, File, Other
	Plain     bool      // the output of a Result is a text without a list
	Failed    bool      // of a Result: the tool failed
	JSON      bool      // of a Result of an [Alternation]: see [Turn.IsJSON]

	// For Reasoning: the provider's proof of origin, and the provider's name. Redacted is set if
	// only the provider can read the reasoning. A Text or Call may have a signature too, by Gemini.
	Signature, Provider tree.Node
	Redacted            bool
	// Caller is the code that made a Call of Claude, an object as in Anthropic's API. Its API rejects
	// the result of such a call without it.
	Caller tree.Node

	Media Media // of a File
}

// Of reads a canonical turn. Content that is neither text nor parts is converted to text.
func Of(turn tree.Node) Turn {
	turn = exchange.CanonicalTurn(turn)
	t := Turn{Role: turn.Get("role").Text(), Further: turn.Without("role", "content", "tool_calls", "tool_call_id")}
	if kind := turn.Get("type").Text(); kind != "" && kind != "message" { // an item, whose name is that of a tool
		t.Further = turn.Without("role", "content", "tool_calls", "tool_call_id", "name")
	}
	content := turn.Get("content")
	parts, plain := partsIn(content)
	if id := turn.Get("tool_call_id"); t.Role == "tool" && tree.IsString(id) {
		failed := turn.Get("is_error")
		t.Further = turn.Without("role", "content", "tool_calls", "tool_call_id", "name", "is_error")
		t.Parts = []Part{{Kind: Result, ID: id, Name: stringOr(turn.Get("name")), Output: parts, Plain: plain, Failed: failed.Is(jsonstream.True)}}
		return t
	}
	if plain && turn.Get("annotations").Is(jsonstream.Array) { // of the Chat API
		parts[0].Text = sourcesOf(parts[0].Text, turn)
	}
	t.Parts, t.Plain = parts, plain
	if kind := turn.Get("type").Text(); kind == "reasoning" && t.Role == "assistant" { // an item of the Responses API
		t.Parts = []Part{{
			Kind: Reasoning, Text: tree.String(reasoningText(turn)), Value: turn, ID: stringOr(turn.Get("id")),
			Signature: stringOr(turn.Get("encrypted_content")), Provider: tree.String("openai"),
		}}
		t.Plain = false
		return t
	}
	calls := exchange.CallsOf(turn)
	if len(calls) > 0 && t.Role == "assistant" {
		if plain && content.Empty() {
			t.Parts, t.Plain = nil, false
		}
		list := tree.Elements(turn.Get("tool_calls"))
		for i, c := range calls {
			t.Parts = append(t.Parts, Part{Kind: Call, ID: c.ID, Name: c.Name, Arguments: c.Arguments, Signature: signatureOf(list[i]), Caller: callerOf(list[i])})
		}
	}
	return t
}

func stringOr(n tree.Node) tree.Node {
	if tree.IsString(n) {
		return n
	}
	return tree.None
}

// partsIn returns the parts of canonical content; plain reports that it is a text.
func partsIn(content tree.Node) (parts []Part, plain bool) {
	if tree.IsString(content) {
		return []Part{{Kind: Text, Text: content}}, true
	}
	for c := content.Children(); c.Next(); {
		parts = append(parts, partOf(c.Value))
	}
	return parts, false
}

// partOf reads a part of canonical content.
func partOf(n tree.Node) Part {
	switch n.Get("type").Text() {
	case "text", "input_text", "output_text":
		if text := n.Get("text"); tree.IsString(text) {
			return Part{Kind: Text, Text: sourcesOf(text, n), Value: n, Signature: signatureOf(n)}
		}
	case "refusal":
		if text := n.Get("refusal"); tree.IsString(text) {
			return Part{Kind: Text, Text: text, Value: n}
		}
	case "reasoning":
		return Part{
			Kind: Reasoning, Text: stringOr(n.Get("text")), Value: n, ID: stringOr(n.Get("id")),
			Signature: stringOr(n.Get("signature")), Provider: stringOr(n.Get("provider")), Redacted: n.Get("redacted").Is(jsonstream.True),
		}
	}
	if m, ok := mediaIn(n); ok {
		return Part{Kind: File, Media: m, Value: n}
	}
	return Part{Kind: Other, Value: n}
}

// FunctionCall reads the function_call of a message, the original form of a call in the Chat API.
func FunctionCall(f tree.Node) (call Part, ok bool) {
	call = Part{Kind: Call, ID: exchange.FunctionID(f.Get("name")), Name: f.Get("name"), Arguments: f.Get("arguments")}
	return call, tree.IsString(call.Name) && tree.IsString(call.Arguments)
}

// reasoningText returns the readable text of a reasoning item: its summary or, of an open model, its own text.
func reasoningText(item tree.Node) string {
	if text := item.Get("summary").Flat(); text != "" {
		return text
	}
	var texts []string
	for c := item.Get("content").Children(); c.Next(); {
		if text := c.Value.Get("text"); c.Value.Get("type").Text() == "reasoning_text" && tree.IsString(text) {
			texts = append(texts, text.Text())
		}
	}
	return strings.Join(texts, "\n")
}

// Canonical returns the canonical turns of a turn: one for each result, and one for the parts
// before, between and after the results.
func (t Turn) Canonical() []tree.Node {
	var turns []tree.Node
	rest := t.Parts
	for len(rest) > 0 {
		n := slices.IndexFunc(rest, func(p Part) bool { return p.Kind == Result })
		switch {
		case n < 0:
			n = len(rest)
		case n == 0:
			turns = append(turns, t.result(rest[0]))
			rest = rest[1:]
			continue
		}
		turns = append(turns, t.said(rest[:n]))
		rest = rest[n:]
	}
	if len(t.Parts) == 0 {
		return []tree.Node{t.said(nil)}
	}
	return turns
}

// said returns the turn of parts that are not results.
func (t Turn) said(parts []Part) tree.Node {
	plain := t.Plain && len(parts) > 0 && parts[0].Kind == Text && parts[0].Signature == tree.None &&
		!slices.ContainsFunc(parts[1:], func(p Part) bool { return p.Kind != Call })
	var content, calls []tree.Node
	for i, p := range parts {
		if plain && i == 0 {
			continue // it is the content, rather than a part of it
		}
		if p.Kind == Call {
			call := signed(tree.Object(
				tree.Member{Name: "id", Value: p.ID}, tree.Member{Name: "type", Value: tree.String("function")},
				tree.Member{Name: "function", Value: tree.Object(tree.Member{Name: "name", Value: p.Name}, tree.Member{Name: "arguments", Value: p.Arguments})},
			), p.Signature)
			if p.Caller != tree.None {
				call = call.Set(callerAt, p.Caller)
			}
			calls = append(calls, call)
		} else {
			content = append(content, p.canonical())
		}
	}
	members := make([]tree.Member, 2, 3+len(t.Further))
	members[0], members[1].Name = tree.Member{Name: "role", Value: tree.String(t.Role)}, "content"
	switch {
	case plain:
		members[1].Value = parts[0].Text
	case len(content) == 0:
		members[1].Value = tree.String("")
	default:
		members[1].Value = tree.Array(content...)
	}
	if len(calls) > 0 {
		members = append(members, tree.Member{Name: "tool_calls", Value: tree.Array(calls...)})
	}
	return tree.Object(append(members, t.Further...)...)
}

// result returns the turn of a result.
func (t Turn) result(p Part) tree.Node {
	output := make([]tree.Node, len(p.Output))
	for i, o := range p.Output {
		output[i] = o.canonical()
	}
	content := tree.Array(output...)
	if p.Plain && len(p.Output) == 1 {
		content = p.Output[0].Text
	}
	members := []tree.Member{
		{Name: "role", Value: tree.String("tool")}, {Name: "tool_call_id", Value: p.ID}, {Name: "content", Value: content},
	}
	if p.Name != tree.None {
		members = append(members, tree.Member{Name: "name", Value: p.Name})
	}
	if p.Failed {
		members = append(members, tree.Member{Name: "is_error", Value: tree.Bool(true)})
	}
	return tree.Object(append(members, t.Further...)...)
}

// canonical returns the part as canonical content.
func (p Part) canonical() tree.Node {
	switch {
	case p.Value != tree.None:
		return p.Value
	case p.Kind == Text:
		return signed(Object("type", tree.String("text"), "text", p.Text), p.Signature)
	case p.Kind == Reasoning:
		n := Object("type", tree.String("reasoning"), "text", p.Text, "id", p.ID, "signature", p.Signature, "provider", p.Provider)
		if p.Redacted {
			n = n.With("redacted", tree.Bool(true))
		}
		return n
	default:
		return p.Media.canonical()
	}
}

// Object returns an object of alternating names and values, without members that are None.
func Object(pairs ...any) tree.Node {
	members := make([]tree.Member, 0, len(pairs)/2)
	for i := 0; i < len(pairs); i += 2 {
		if v := pairs[i+1].(tree.Node); v != tree.None {
			members = append(members, tree.Member{Name: pairs[i].(string), Value: v})
		}
	}
	return tree.Object(members...)
}

// ArgumentsObject returns the arguments of a call as an object. Other arguments become the member
// arguments of an object.
func (p Part) ArgumentsObject() tree.Node {
	if n, ok := tree.Parse([]byte(p.Arguments.Text())); ok && n.Is(jsonstream.Object) {
		return n
	}
	if p.Arguments.Text() == "" {
		return tree.Object()
	}
	return tree.Object(tree.Member{Name: "arguments", Value: p.Arguments})
}

// Say returns the texts of parts, one per line, with other parts in brackets.
func Say(parts []Part) string {
	var content []tree.Node
	for _, p := range parts {
		n := p.canonical()
		if text, ok := p.Media.PlainText(); ok && p.Kind == File {
			n = tree.String(text)
		} else if p.Kind == File {
			n = note(p.Media)
		} else if text := describedText(n); text != "" {
			n = tree.String(text)
		} else if p.Kind == Text && p.Text != tree.None {
			n = p.Text
		}
		content = append(content, n)
	}
	return tree.Array(content...).Flat()
}
