package chat

import (
	"slices"
	"strconv"
	"strings"
	"unicode"

	"github.com/eaapl/handoff/pkg/internal/exchange"
	"github.com/eaapl/handoff/pkg/internal/tree"
	"github.com/eaapl/handoff/pkg/jsonstream"
)

// An Alternation describes turns in an API whose messages alternate between user and assistant,
// with tool results in user messages.
type Alternation struct {
	// Block returns the block for a part of a message, None if the API has none. Texts are not
	// empty.
	Block func(role string, p Part) tree.Node
	// Pair, if set, replaces blocks that the API does not accept without others.
	Pair func(messages []Message)
	// Blank is set if a text may be white space when there are other blocks.
	Blank bool
	// IDs and Names are the maximum lengths of ids and names, which consist of letters, digits, _
	// and -.
	IDs, Names int
}

// A Message is a message of an [Alternation].
type Message struct {
	Role   string // user or assistant
	Blocks []Block
	// Plain is the message as a turn with a role and a text outside a list; None if it is not a
	// single such turn. It may then have no blocks: see [Alternation.Of].
	Plain tree.Node

	first int // the index of the first turn
}

// A Block is a block of a message.
type Block struct {
	Kind  Kind
	Value tree.Node
	Turn  int // the index of its turn
}

// Messages returns the messages for canonical turns. Consecutive turns of one side form one
// message, with results first for the user and calls last for the assistant. Instructions become
// user messages. Empty turns and the white space at the end of a final assistant turn are dropped.
// Call ids are made unique, and results get the ids of their calls.
func (a *Alternation) Messages(turns []tree.Node) []Message {
	ids := callIDs{most: a.IDs, next: map[string]int{}, open: map[string][]tree.Node{}, done: map[string]bool{}}
	messages := make([]Message, 0, len(turns))
	for i, turn := range turns {
		m := Message{first: i}
		last := i == len(turns)-1
		if role := plainRole(turn); role != "" && !(last && role == "assistant") {
			m.Role, m.Plain = role, turn
		} else if m = a.message(turn, i, last, &ids); len(m.Blocks) == 0 {
			continue
		}
		if n := len(messages); n > 0 && messages[n-1].Role == m.Role {
			before := &messages[n-1]
			before.Blocks, before.Plain = append(a.Of(*before), a.Of(m)...), tree.None
			continue
		}
		messages = append(messages, m)
	}
	for i := range messages {
		messages[i].order()
	}
	if a.Pair != nil {
		a.Pair(messages)
	}
	return messages
}

// plainRole returns the role of a turn that is only a text, "" for others. Most turns are, and need
// no parsing.
func plainRole(turn tree.Node) string {
	content := turn.Get("content")
	if !tree.IsString(content) || content.IsBlank() || turn.Length() != 2 {
		return ""
	}
	if role := turn.Get("role").Text(); role == "user" || role == "assistant" {
		return role
	}
	return ""
}

// Of returns the blocks of a message, including a plain one.
func (a *Alternation) Of(m Message) []Block {
	if len(m.Blocks) == 0 {
		return []Block{{Text, a.Block(m.Role, Part{Kind: Text, Text: m.Plain.Get("content")}), m.first}}
	}
	return m.Blocks
}

// message returns the message for the turn with an index, without blocks if the turn is empty.
func (a *Alternation) message(turn tree.Node, index int, last bool, ids *callIDs) Message {
	t := Of(turn)
	m := Message{Role: "user", first: index}
	plain := t.Plain && len(t.Parts) == 1 && t.Parts[0].Kind == Text
	switch {
	case t.Role == "assistant":
		m.Role = t.Role
		if last {
			t.trimEnd()
		}
	case isInstruction(turn):
		if said := Say(t.Parts); strings.TrimSpace(said) != "" {
			t.Parts, plain = []Part{{Kind: Text, Text: tree.String("[" + t.Role + "] " + said)}}, false
		}
	}
	spoken := false
	for _, p := range t.Parts {
		switch p.Kind {
		case Text:
			blank := p.Text.IsBlank()
			if blank && (!a.Blank || p.Text.Empty()) {
				continue
			}
			spoken = spoken || !blank
		case Call:
			p.ID, p.Name = ids.call(p.ID), fitName(p.Name, a.Names)
		case Result:
			p.ID, p.JSON = ids.result(p.ID), t.IsJSON()
		}
		if block := a.Block(m.Role, p); block != tree.None {
			spoken = spoken || p.Kind != Text
			m.Blocks = append(m.Blocks, Block{p.Kind, block, index})
		}
	}
	switch {
	case !spoken:
		m.Blocks = nil
	case plain:
		m.Plain = Object("role", tree.String(m.Role), "content", t.Parts[0].Text)
	}
	return m
}

// trimEnd removes the white space at the end of a turn that ends with a text.
func (t *Turn) trimEnd() {
	n := len(t.Parts) - 1
	if n < 0 || t.Parts[n].Kind != Text {
		return
	}
	p := t.Parts[n]
	text := p.Text.Text()
	trimmed := strings.TrimRightFunc(text, unicode.IsSpace)
	if trimmed == text {
		return
	}
	p.Text = tree.String(trimmed)
	if p.Value != tree.None {
		p.Value = p.Value.With("text", p.Text)
	}
	t.Parts[n] = p
}

// order moves results to the beginning of a user message, and calls to the end of an assistant
// message.
func (m *Message) order() {
	rank := func(k Kind) int {
		switch {
		case m.Role == "user" && k == Result:
			return 0
		case m.Role == "assistant" && k == Call:
			return 2
		default:
			return 1
		}
	}
	slices.SortStableFunc(m.Blocks, func(a, b Block) int { return rank(a.Kind) - rank(b.Kind) })
}

// Input returns the arguments of a call as an object, as [Part.ArgumentsObject] does. Arguments
// that nest too deep to be read in their place stay a text, in the member arguments of an object.
func (p Part) Input() tree.Node {
	const above = 16 // more than the levels around it
	if n := p.ArgumentsObject(); !n.DeeperThan(exchange.MaxDepth - above) {
		return n
	}
	return Object("arguments", p.Arguments)
}

// callIDs are the ids of calls written so far.
type callIDs struct {
	most int
	next map[string]int         // next suffix for a duplicate id
	open map[string][]tree.Node // by original id: the ids of calls without a result, or else the one of the last call
	done map[string]bool        // by original id: all calls so far have a result
}

// call returns the id to write for a call.
func (c *callIDs) call(id tree.Node) tree.Node {
	text := id.Text()
	fit := fitted(text, c.most)
	if fit == "" {
		fit = "call"
	}
	base := fit
	for n := c.next[base]; n > 0 && c.next[fit] > 0; n = c.next[base] {
		suffix := "_" + strconv.Itoa(n+1)
		fit = base[:min(len(base), c.most-len(suffix))] + suffix
		c.next[base]++
	}
	c.next[fit]++
	if fit != text {
		id = tree.String(fit)
	}
	if c.done[text] {
		c.open[text], c.done[text] = nil, false
	}
	c.open[text] = append(c.open[text], id)
	return id
}

// result returns the id to write for the result of a call.
func (c *callIDs) result(id tree.Node) tree.Node {
	open := c.open[id.Text()]
	switch len(open) {
	case 0:
		if fit := fitted(id.Text(), c.most); fit != id.Text() {
			return tree.String(fit)
		}
		return id
	case 1:
		c.done[id.Text()] = true
	default:
		c.open[id.Text()] = open[1:]
	}
	return open[0]
}

// fitted returns text with all characters except letters, digits, _ and - replaced by _, cut to a
// maximum length.
func fitted(text string, most int) string {
	fit := strings.Map(func(r rune) rune {
		if r == '_' || r == '-' || '0' <= r && r <= '9' || 'a' <= r|0x20 && r|0x20 <= 'z' {
			return r
		}
		return '_'
	}, text)
	return fit[:min(len(fit), most)]
}

// fitName returns the name of a tool, or a valid one derived from it.
func fitName(name tree.Node, most int) tree.Node {
	if text := name.Text(); text != "" && fitted(text, most) == text {
		return name
	}
	return FitToolName(name)
}

// note returns the text that replaces a file where files are not allowed: its name and its address, or else its id or type.
func note(m Media) tree.Node {
	text := m.Type
	for _, n := range []tree.Node{m.Name, m.URL, m.FileID, m.MediaType} {
		switch said := n.Text(); {
		case said == "" || strings.HasPrefix(said, "data:"):
		case n == m.Name || n == m.URL || text == m.Type:
			text += " " + said
		}
	}
	return tree.String("[" + text + "]")
}

// NoteOf returns the text that replaces a part where it is not allowed.
func NoteOf(p Part) tree.Node {
	if p.Kind == File {
		return note(p.Media)
	}
	return tree.String(Say([]Part{p}))
}

// isObject reports whether n is an object.
func isObject(n tree.Node) bool { return n.Is(jsonstream.Object) }
