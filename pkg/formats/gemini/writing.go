package gemini

import (
	"slices"
	"strings"

	"github.com/eaapl/handoff/pkg/internal/chat"
	"github.com/eaapl/handoff/pkg/internal/exchange"
	"github.com/eaapl/handoff/pkg/internal/tree"
	"github.com/eaapl/handoff/pkg/jsonstream"
)

// A writer writes the contents of one message. Adjacent turns of one role form one content, with
// the responses first. Events are merged only if they were read from the same event, or if they
// have only responses.
type writer struct {
	*chat.Writing
	events, snake, millis bool
	names                 map[string]tree.Node // function names by call id
	roles                 map[string]tree.Node

	out    []tree.Node
	before *content // a pending content of the model, which the current one may answer
	now    *content

	// Values of the previous event, reused for a new one.
	agent, invocation, sent tree.Node
}

// A content is a content under construction.
type content struct {
	role             string
	responses, parts []tree.Node
	asked, answered  []reference // ids in parts, and in responses
	turn             tree.Node   // the first turn
	sole             bool        // there are no parts
}

// A reference is the made-up id of a call or response, with its index in a content.
type reference struct {
	at       int
	id, name string
}

func write(turns []tree.Node, w *chat.Writing) []tree.Node {
	o := &writer{Writing: w, names: map[string]tree.Node{}, roles: map[string]tree.Node{"user": tree.String("user"), "model": tree.String("model")}, out: make([]tree.Node, 0, len(turns))}
	for is := range strings.SplitSeq(w.Style, " ") {
		switch is {
		case styleEvent:
			o.events = true
		case styleSnake:
			o.snake = true
		case styleMillis:
			o.millis = true
		}
	}
	for _, turn := range turns {
		o.turn(turn)
	}
	o.begin(nil)
	o.put(o.before)
	if w.Style == "" {
		o.signCalls()
	}
	return o.out
}

// turn adds a turn to the current content, or begins another one. It omits empty turns.
func (o *writer) turn(turn tree.Node) {
	if role, text, ok := plain(turn); ok && (o.now == nil || o.now.role != role) && !o.events {
		o.begin(&content{role: role, parts: []tree.Node{tree.Object(tree.Member{Name: "text", Value: text})}, turn: turn})
		return
	}
	c := o.content(chat.Of(turn))
	c.turn = turn
	c.sole = len(c.parts) == 0
	switch {
	case len(c.parts)+len(c.responses) == 0:
	case o.now == nil || !o.joins(o.now, c):
		o.begin(c)
	default:
		for _, r := range c.asked {
			o.now.asked = append(o.now.asked, reference{r.at + len(o.now.parts), r.id, r.name})
		}
		for _, r := range c.answered {
			o.now.answered = append(o.now.answered, reference{r.at + len(o.now.responses), r.id, r.name})
		}
		o.now.responses, o.now.parts = append(o.now.responses, c.responses...), append(o.now.parts, c.parts...)
		o.now.sole = o.now.sole && c.sole
	}
}

// plain returns the role and the text of a turn that has nothing else, the common case.
func plain(turn tree.Node) (role string, text tree.Node, ok bool) {
	text = turn.Get("content")
	if role = turn.Get("role").Text(); role == "assistant" {
		role = "model"
	} else if role != "user" {
		return "", tree.None, false
	}
	return role, text, text.Text() != "" && turn.Length() == 2
}

// joins reports whether two contents are merged.
func (o *writer) joins(a, b *content) bool {
	if !o.events || a.role != b.role {
		return a.role == b.role
	}
	one, other := a.turn.Get(eventMember), b.turn.Get(eventMember)
	if one == tree.None || other == tree.None {
		return one == other && a.sole && b.sole
	}
	return one.Get("id").Text() != "" && one.Get("id").Text() == other.Get("id").Text()
}

// snakeNames maps the names of parts to snake_case.
var snakeNames = map[string]string{
	"functionCall": "function_call", "functionResponse": "function_response", "inlineData": "inline_data", "fileData": "file_data",
	"thoughtSignature": "thought_signature", "mimeType": "mime_type", "fileUri": "file_uri", "displayName": "display_name",
	"invocationId": "invocation_id", "stateDelta": "state_delta", "artifactDelta": "artifact_delta",
	"requestedAuthConfigs": "requested_auth_configs", "requestedToolConfirmations": "requested_tool_confirmations",
}

// name returns a name in the document's spelling.
func (o *writer) name(name string) string {
	if o.snake {
		return snakeNames[name]
	}
	return name
}

// object returns an object with one member.
func (o *writer) object(name string, value tree.Node) tree.Node {
	return chat.Object(o.name(name), value)
}

// spelled returns an object with its names in the document's spelling.
func (o *writer) spelled(n tree.Node) tree.Node {
	if o.snake {
		return n.Respell(snakeNames)
	}
	return n
}

func (o *writer) signed(part, signature tree.Node) tree.Node {
	if signature == tree.None {
		return part
	}
	return part.With(o.name("thoughtSignature"), signature)
}

// begin writes the current content, or keeps it until its answer, and begins another one.
func (o *writer) begin(next *content) {
	if o.now != nil {
		o.leaveOutIDs()
		o.put(o.before)
		o.before = o.now
		if o.now.role != "model" {
			o.put(o.now)
			o.before = nil
		}
	}
	o.now = next
}

// leaveOutIDs removes the ids made for calls without one from the previous and the current content,
// unless that would change which calls the responses answer.
func (o *writer) leaveOutIDs() {
	if o.now.role == "model" || o.before == nil {
		return
	}
	waiting := map[string][]string{}
	for _, r := range o.before.asked {
		waiting[r.name] = append(waiting[r.name], r.id)
	}
	for _, r := range o.now.answered {
		if ids := waiting[r.name]; len(ids) == 0 || ids[0] != r.id {
			return
		}
		waiting[r.name] = waiting[r.name][1:]
	}
	without := func(parts []tree.Node, list []reference, name string) {
		for _, r := range list {
			parts[r.at] = parts[r.at].Set("/"+o.name(name)+"/id", tree.None)
		}
	}
	without(o.before.parts, o.before.asked, "functionCall")
	without(o.now.responses, o.now.answered, "functionResponse")
}

// put writes a content or event.
func (o *writer) put(c *content) {
	if c == nil {
		return
	}
	parts := c.parts
	if len(c.responses) > 0 {
		parts = slices.Concat(c.responses, parts)
	}
	n := tree.Object(tree.Member{Name: "role", Value: o.roles[c.role]}, tree.Member{Name: "parts", Value: tree.Array(parts...)})
	if o.events {
		n = o.event(c, n)
	}
	o.out = append(o.out, n)
}

// event returns the event of a content. Members that ADK requires come from the turn or from the
// previous event, or are made up.
func (o *writer) event(c *content, said tree.Node) tree.Node {
	index, about := len(o.out), c.turn.Get(eventMember)
	event := withSaid(about, said)
	author := event.Get("author")
	if author == tree.None {
		switch name := stringOf(c.turn.Get("name")); {
		case c.role == "model" && name.Text() != "":
			author = name
		case c.role == "user" && !c.sole:
			author = tree.String("user")
		case o.agent != tree.None:
			author = o.agent
		default:
			author = o.Up(index, "author", tree.String("model"), "the agent is not known")
		}
		event = event.With("author", author)
	}
	if author.Text() != "user" {
		o.agent = author
	}
	if event.Get("timestamp") == tree.None {
		at := unix(c.turn.Get("timestamp"), o.millis)
		switch {
		case at != tree.None:
		case o.sent != tree.None:
			at = o.Up(index, "timestamp", o.sent, "the time of the previous event")
		default:
			at = o.Up(index, "timestamp", tree.Int(0), "no time is known: the Unix epoch")
		}
		event = event.With("timestamp", at)
	}
	o.sent = event.Get("timestamp")
	invocation := o.name("invocationId")
	if about == tree.None {
		event = event.With("id", o.ID(c.turn, index, "id"))
		if o.invocation == tree.None {
			o.invocation = o.ID(c.turn, index, invocation)
		}
		event = event.With(invocation, o.invocation)
		actions := chat.Object("stateDelta", tree.Object(), "artifactDelta", tree.Object(), "requestedAuthConfigs", tree.Object(), "requestedToolConfirmations", tree.Object())
		event = event.With("actions", o.spelled(actions))
	}
	if is := stringOf(event.Get(invocation)); is != tree.None {
		o.invocation = is
	}
	return event
}

// withSaid returns an event that has a content, or the summary of earlier events in its place.
func withSaid(event, content tree.Node) tree.Node {
	if event.Get("isCompacted").Is(jsonstream.True) {
		return event.With("compactedContent", tree.String(strings.TrimPrefix(content.Get("parts").Flat(), summaryPrefix)))
	}
	for _, name := range []string{"compactedContent", "compacted_content"} {
		at := "/actions/compaction/" + name
		if summary := event.At(at); summary.Is(jsonstream.Object) {
			return event.Set(at, summary.With("parts", content.Get("parts")))
		}
	}
	return event.With("content", content)
}

// unix returns a date-time in seconds or milliseconds since 1970, or nothing if it is not
// one.
func unix(sent tree.Node, millis bool) tree.Node {
	if millis {
		at, _ := exchange.Millis(sent)
		return at
	}
	at, _ := exchange.Seconds(sent)
	return at
}

// signCalls adds skipSignature to calls without a signature after the last text of the user, because
// the model requires signatures there.
func (o *writer) signCalls() {
	for i, c := range slices.Backward(o.out) {
		if c.Get("role").Text() == "user" {
			if !tree.All(c.Get("parts"), func(p tree.Node) bool { return p.Get("functionResponse") != tree.None }) {
				return
			}
			continue
		}
		parts := tree.Elements(c.Get("parts"))
		n := slices.IndexFunc(parts, func(p tree.Node) bool { return p.Get("functionCall") != tree.None })
		if n < 0 || parts[n].Get("thoughtSignature") != tree.None {
			continue
		}
		at := slices.Clone(parts)
		at[n] = parts[n].With("thoughtSignature", tree.String(skipSignature))
		o.out[i] = c.With("parts", tree.Array(at...))
		o.Up(i, "parts", tree.String(skipSignature), "Google's value for a call of another model")
	}
}
