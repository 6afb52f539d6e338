package opencode

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"slices"
	"strings"

	"github.com/eaapl/handoff/pkg/internal/chat"
	"github.com/eaapl/handoff/pkg/internal/exchange"
	"github.com/eaapl/handoff/pkg/internal/tree"
	"github.com/eaapl/handoff/pkg/jsonstream"
)

// codec converts sessions.
var codec = (&chat.Form{
	At:     []string{"/messages"},
	Select: turnsAmong,
	Site:   site,
	Read:   read,
	Write:  write,
	Rest:   describe,
}).Codec()

// site returns the working folder of a session with a description, which has no branch.
func site(description tree.Node, _ []tree.Node) (folder, branch tree.Node) {
	return description.At("/info/directory"), tree.None
}

// turnsAmong returns the indices of the turns among the messages of a session with a description.
func turnsAmong(rest tree.Node, messages []tree.Node) (turns []int) {
	t := &trail{revert: rest.At("/info/revert/messageID").Text()}
	t.Add(t.Read(tree.Values(messages)))
	for _, spot := range t.Turns() {
		turns = append(turns, int(spot.Index))
	}
	return turns
}

// read appends the turns of a message, with its time. Each step of a response is a turn, followed by the results of
// its calls.
func read(dst []tree.Node, message tree.Node) []tree.Node {
	before := len(dst)
	t := chat.Turn{Role: message.At("/info/role").Text()}
	var results []chat.Turn
	flush := func() {
		if len(t.Parts) > 0 {
			t.Plain = t.Parts[0].Kind == chat.Text && (len(t.Parts) == 1 || t.Parts[1].Kind == chat.Call)
			dst = append(dst, t.Canonical()...)
		}
		for _, r := range results {
			dst = append(dst, r.Canonical()...)
		}
		t.Parts, results = nil, nil
	}
	for _, part := range tree.Elements(message.Get("parts")) {
		text := part.Get("text")
		switch part.Get("type").Text() {
		case "step-start":
			flush()
		case "text":
			if tree.IsString(text) && !text.Empty() && !part.Get("ignored").Is(jsonstream.True) {
				t.Parts = append(t.Parts, chat.Part{Kind: chat.Text, Text: text})
			}
		case "reasoning":
			if tree.IsString(text) && t.Role == "assistant" {
				t.Parts = append(t.Parts, chat.Part{Kind: chat.Reasoning, Text: text})
			}
		case "file":
			if m, ok := mediaOf(part); ok {
				t.Parts = append(t.Parts, chat.Part{Kind: chat.File, Media: m})
			}
		case "tool":
			call, result := readTool(part)
			t.Parts = append(t.Parts, call)
			results = append(results, result...)
		}
	}
	flush()
	if at, ok := exchange.UnixMillis(message.At("/info/time/created")); ok && !isZero(message.At("/info/time/created")) {
		for i, turn := range dst[before:] {
			dst[before+i] = turn.With("timestamp", at)
		}
	}
	return dst
}

func isZero(n tree.Node) bool {
	ms, ok := n.Integer()
	return ok && ms == 0
}

// mediaOf reads an attached file. The text of a file of text is a part of its own.
func mediaOf(part tree.Node) (chat.Media, bool) {
	kind := part.Get("mime").Text()
	if isQuoted(kind) || !tree.IsString(part.Get("url")) {
		return chat.Media{}, false
	}
	m := chat.Media{Type: "file", MediaType: part.Get("mime"), Name: part.Get("filename")}
	m.TakeType()
	m.Address(part.Get("url"))
	return m, true
}

// readTool returns the call of a tool part, and the turn of its result.
func readTool(part tree.Node) (call chat.Part, result []chat.Turn) {
	id, name, state := tree.String(part.Get("callID").Text()), tree.String(part.Get("tool").Text()), part.Get("state")
	call = chat.Part{Kind: chat.Call, ID: id, Name: name, Arguments: tree.String("{}")}
	if input := state.Get("input"); input != tree.None {
		call.Arguments = tree.String(string(input.AppendPlain(nil)))
	}
	text, failed := state.Get("output"), false
	switch state.Get("status").Text() {
	case "completed":
	case "error":
		text, failed = state.Get("error"), true
	default:
		return call, nil
	}
	output := []chat.Part{{Kind: chat.Text, Text: tree.String(text.Text())}}
	for _, attachment := range tree.Elements(state.Get("attachments")) {
		if m, ok := mediaOf(attachment); ok {
			output = append(output, chat.Part{Kind: chat.File, Media: m})
		}
	}
	return call, []chat.Turn{{Role: "tool", Parts: []chat.Part{{Kind: chat.Result, ID: id, Name: name, Output: output, Plain: len(output) == 1, Failed: failed}}}}
}

// describe returns the description of a new session.
func describe(m exchange.Meaning, k *exchange.Maker) tree.Node {
	id, at, folder, title := sessionOf(m, k), tree.Int(0), tree.String("/"), tree.String("handoff")
	if k.IsFresh() {
		if m.Values[exchange.RowHandoff] == tree.None {
			k.Up("/rest/info/id", id, "SHA-256 of the turns")
		}
		if ms, ok := exchange.Millis(k.TimeOf(m, "/rest/info/time/created")); ok {
			at = ms
		}
		folder = folderOf(m, k)
		if task := strings.Join(strings.Fields(m.Values[exchange.RowDescription].Text()), " "); task != "" {
			title = tree.String(task)
		}
	}
	return chat.Object("info", chat.Object("id", id, "slug", tree.String("handoff"), "projectID", tree.String("global"), "directory", folder,
		"title", title, "version", tree.String("0.0.0"), "time", chat.Object("created", at, "updated", at)))
}

// sessionOf returns the id of a new session: of the message or, if it has none, of its turns.
func sessionOf(m exchange.Meaning, k *exchange.Maker) tree.Node {
	if !k.IsFresh() {
		return tree.String("ses_00000000000000000000000000")
	}
	if id := m.Values[exchange.RowHandoff].Text(); id != "" {
		return tree.String("ses_" + strings.ReplaceAll(id, "-", ""))
	}
	sum := sha256.Sum256([]byte(tree.Array(m.Turns...).Digest().String()))
	return tree.String("ses_" + hex.EncodeToString(sum[:13]))
}

// folderOf returns the working folder of a new session.
func folderOf(m exchange.Meaning, k *exchange.Maker) tree.Node {
	switch folder := m.Values[exchange.RowState].Get("folder"); {
	case !k.IsFresh():
	case folder.Text() != "":
		return folder
	case m.Folder.Text() != "":
		return m.Folder
	}
	return tree.String("/")
}

// A writer writes the messages of one session.
type writer struct {
	*chat.Writing
	session  tree.Node
	messages []tree.Node
	asked    tree.Node        // the id of the last message of the user
	open     map[string]place // calls without a result, by id
	last     int64            // the time of the last message

	request, response []tree.Member // the members of info that are the same in all messages of a role
}

// noRequest is the parent of responses before the first message of the user. OpenCode imports only ids.
const noRequest = "msg_00000000000000000000000000"

// A place is the place of a part: the index of its message, and its own in the message.
type place struct{ message, part int }

// write returns a message for each turn. A result is in the part of its call.
func write(turns []tree.Node, w *chat.Writing) []tree.Node {
	o := &writer{Writing: w, open: map[string]place{}, asked: tree.String(noRequest)}
	o.session = sessionOf(w.Meaning, w.Maker)
	agent, provider, model, zero := tree.String("build"), tree.String("handoff"), tree.String("unknown"), tree.Int(0)
	folder := folderOf(w.Meaning, w.Maker)
	o.request = []tree.Member{member("agent", agent), member("model", chat.Object("providerID", provider, "modelID", model))}
	o.response = []tree.Member{
		member("modelID", model), member("providerID", provider), member("mode", agent), member("agent", agent),
		member("path", chat.Object("cwd", folder, "root", folder)), member("cost", zero),
		member("tokens", chat.Object("input", zero, "output", zero, "reasoning", zero, "cache", chat.Object("read", zero, "write", zero))),
		member("finish", tree.String("stop")),
	}
	for turn, joined := range chat.Joined(turns) {
		t := chat.Of(turn)
		if joined != nil {
			t = *joined
		}
		o.turn(turn, t)
	}
	return o.messages
}

// turn adds the message of a turn, and puts its results into the parts of their calls.
func (o *writer) turn(turn tree.Node, t chat.Turn) {
	role := "user"
	if t.Role == "assistant" {
		role = "assistant"
	}
	var parts []tree.Node
	index := len(o.messages)
	prefix := ""
	if t.Role == "system" || t.Role == "developer" {
		prefix = "[" + t.Role + "] "
	}
	for _, p := range callsLast(t.Parts) {
		switch p.Kind {
		case chat.Result:
			if part, ok := o.answer(p); !ok {
				parts, role = append(parts, part), "assistant"
			}
		case chat.Call:
			o.open[p.ID.Text()] = place{index, len(parts)}
			parts = append(parts, chat.Object("type", tree.String("tool"), "callID", p.ID, "tool", p.Name, "state",
				chat.Object("status", tree.String("pending"), "input", p.Input(), "raw", tree.String(""))))
		case chat.Reasoning: // OpenCode would send it to another model as what the assistant said
		case chat.File:
			if file := filePart(p.Media); file != tree.None {
				parts = append(parts, file)
				continue
			}
			fallthrough
		default:
			if text := prefix + chat.Say([]chat.Part{p}); text != "" {
				parts, prefix = append(parts, chat.Object("type", tree.String("text"), "text", tree.String(text))), ""
			}
		}
	}
	if len(parts) > 0 {
		o.message(turn, role, parts)
	}
}

// callsLast returns the parts of a turn in the order in which OpenCode sends them: calls after all others.
func callsLast(parts []chat.Part) []chat.Part {
	if i := slices.IndexFunc(parts, func(p chat.Part) bool { return p.Kind == chat.Call }); i < 0 ||
		!slices.ContainsFunc(parts[i:], func(p chat.Part) bool { return p.Kind != chat.Call }) {
		return parts
	}
	var calls, others []chat.Part
	for _, p := range parts {
		if p.Kind == chat.Call {
			calls = append(calls, p)
		} else {
			others = append(others, p)
		}
	}
	return append(others, calls...)
}

// filePart returns the part of a file, None if it has no address.
func filePart(m chat.Media) tree.Node {
	url := m.URL
	if m.Data != tree.None {
		url = m.DataURL()
	}
	if url == tree.None {
		return tree.None
	}
	kind := m.MediaType
	if kind.Text() == "" || isQuoted(kind.Text()) {
		kind = tree.String("application/octet-stream")
	}
	return chat.Object("type", tree.String("file"), "mime", kind, "filename", m.Name, "url", url)
}

// answer puts a result into the part of its call. If there is none, it returns a part for the result.
func (o *writer) answer(p chat.Part) (part tree.Node, ok bool) {
	at, ok := o.open[p.ID.Text()]
	said, attachments := p.Output, []tree.Node(nil)
	if ok && !p.Failed {
		said, attachments = o.attach(p.Output, o.messages[at.message].At("/info/id"))
	}
	text := tree.String(chat.Say(said))
	answered := func(input tree.Node) tree.Node {
		times := chat.Object("start", tree.Int(o.last), "end", tree.Int(o.last))
		if p.Failed {
			return chat.Object("status", tree.String("error"), "input", input, "error", text, "time", times)
		}
		state := chat.Object("status", tree.String("completed"), "input", input, "output", text, "title", tree.String(""), "metadata", tree.Object(), "time", times)
		if len(attachments) > 0 {
			state = state.With("attachments", tree.Array(attachments...))
		}
		return state
	}
	if !ok {
		name := p.Name
		if name.Text() == "" {
			name = tree.String("unknown")
		}
		return chat.Object("type", tree.String("tool"), "callID", p.ID, "tool", name, "state", answered(tree.Object())), false
	}
	delete(o.open, p.ID.Text())
	parts := slices.Clone(tree.Elements(o.messages[at.message].Get("parts")))
	parts[at.part] = parts[at.part].With("state", answered(parts[at.part].At("/state/input")))
	o.messages[at.message] = o.messages[at.message].With("parts", tree.Array(parts...))
	return tree.None, true
}

// attach returns the parts of a result without files, and the files as parts of a message with an id.
func (o *writer) attach(output []chat.Part, message tree.Node) (said []chat.Part, files []tree.Node) {
	for i, p := range output {
		file := tree.None
		if p.Kind == chat.File {
			file = filePart(p.Media)
		}
		if file == tree.None {
			said = append(said, p)
			continue
		}
		files = append(files, o.owned(file, o.id("prt", file, len(o.messages), i, "parts/state/attachments/id"), message))
	}
	return said, files
}

// owned returns a part with an id, as a part of the message with an id.
func (o *writer) owned(part, id, message tree.Node) tree.Node {
	members := append(make([]tree.Member, 0, 3+part.Length()), member("id", id), member("sessionID", o.session), member("messageID", message))
	for m := part.Children(); m.Next(); {
		members = append(members, m.Member)
	}
	return tree.Object(members...)
}

func member(name string, value tree.Node) tree.Member { return tree.Member{Name: name, Value: value} }

// id returns the id of an element: ids are in the order of time.
func (o *writer) id(prefix string, turn tree.Node, index, part int, member string) tree.Node {
	digest := strings.ReplaceAll(o.ID(turn, index, member).Text(), "-", "")
	return tree.String(fmt.Sprintf("%s_%012x%04x%.10s", prefix, uint64(o.last*0x1000+int64(index&0xfff))&0xffffffffffff, part, digest))
}

// message adds a message.
func (o *writer) message(turn tree.Node, role string, parts []tree.Node) {
	at, ok := exchange.Millis(turn.Get("timestamp"))
	ms, isWhole := at.Integer()
	if !ok || !isWhole {
		at, ms = tree.Int(0), o.last
	}
	o.last = max(o.last, ms)
	index := len(o.messages)
	id := o.id("msg", turn, index, 0, "info/id")
	for i, part := range parts {
		parts[i] = o.owned(part, o.id("prt", turn, index, i, "parts/id"), id)
	}
	same, times := o.request, chat.Object("created", at)
	if role == "assistant" {
		same, times = o.response, chat.Object("created", at, "completed", at)
	}
	info := make([]tree.Member, 0, 5+len(same))
	info = append(info, member("id", id), member("sessionID", o.session), member("role", tree.String(role)), member("time", times))
	if role == "assistant" {
		info = append(info, member("parentID", o.asked))
	} else {
		o.asked = id
	}
	info = append(info, same...)
	o.messages = append(o.messages, chat.Object("info", tree.Object(info...), "parts", tree.Array(parts...)))
}
