package codex

import (
	"slices"
	"strings"
	"time"

	"github.com/eaapl/handoff/pkg/conversation"
	"github.com/eaapl/handoff/pkg/format"
	"github.com/eaapl/handoff/pkg/internal/chat"
	"github.com/eaapl/handoff/pkg/internal/exchange"
	"github.com/eaapl/handoff/pkg/internal/tree"
	"github.com/eaapl/handoff/pkg/jsonstream"
)

// codec converts rollouts. Carried data is in a line of a type unknown to Codex, which ignores
// such lines when it resumes a session. The line has no time because none is known.
var codec = (&chat.Form{
	At:     []string{""},
	Lines:  true,
	Known:  &format.Elements{Trail: newTrail},
	Within: nodesWithin,
	Style:  style,
	Site:   site,
	Read:   read,
	Write:  write,
	Holder: exchange.Holder{
		HolderAt: func(tree.Node) string { return "" },
		Pack: func(carried tree.Node) tree.Node {
			return chat.Object("type", tree.String(chat.CarriedType), "payload", chat.Object("carried", carried))
		},
		Unpack: func(line tree.Node) (tree.Node, bool) {
			carried := line.At("/payload/carried")
			return carried, carried != tree.None && line.Get("type").Text() == chat.CarriedType
		},
		Last: true,
	},
}).Codec()

// nodesWithin is [Within] for nodes.
func nodesWithin(line tree.Node) (turns []tree.Node) {
	payload := line.Get("payload")
	history := payload.Get("replacement_history")
	if !history.Is(jsonstream.Array) {
		return []tree.Node{payload.Get("message")}
	}
	for _, item := range tree.Elements(history) {
		if item.Is(jsonstream.Object) {
			turns = append(turns, item)
		}
	}
	return turns
}

// site returns the folder and the branch of a session.
func site(_ tree.Node, lines []tree.Node) (folder, branch tree.Node) {
	for _, line := range lines {
		payload := line.Get("payload")
		switch line.Get("type").Text() {
		case "session_meta", "":
			if payload == tree.None { // the first versions
				payload = line
			}
			if branch == tree.None {
				branch = payload.At("/git/branch")
			}
		case "turn_context":
		default:
			continue
		}
		if at := payload.Get("cwd"); at.Text() != "" && at.Text() != "." { // "." is from begin
			folder = at
		}
	}
	return folder, branch
}

// bare is the style of the first versions, whose lines are bare items.
const bare = "items"

func style(line tree.Node) string {
	if line.Get("payload") == tree.None {
		return bare
	}
	return ""
}

// read appends the turn of a line, with the time of the line, or a turn of a compaction.
func read(dst []tree.Node, line tree.Node) []tree.Node {
	if tree.IsString(line) { // a summary
		return append(dst, exchange.UserMessage(line))
	}
	item := line
	if payload := line.Get("payload"); payload.Is(jsonstream.Object) {
		item = payload
	}
	if line.Get("type").Text() == conversation.AgentCommunication {
		item = agentMessage(item)
	}
	first := len(dst)
	if item.Get("type").Text() == "message" {
		dst = append(dst, messageTurn(item))
	} else {
		dst = chat.AppendItemTurn(dst, item)
	}
	if at := chat.OwnTime(line); at != tree.None && len(dst) > first {
		dst[first] = dst[first].With("timestamp", at)
	}
	return dst
}

// agentMessage returns the item that Codex makes of the payload of a line with a message from another agent. The
// message may be encrypted.
func agentMessage(payload tree.Node) tree.Node {
	content := chat.Object("type", tree.String("input_text"), "text", payload.Get("content"))
	if sealed := payload.Get("encrypted_content"); tree.IsString(sealed) {
		content = chat.Object("type", tree.String("encrypted_content"), "encrypted_content", sealed)
	}
	return chat.Object("type", tree.String(conversation.AgentMessage), "author", payload.Get("author"), "recipient", payload.Get("recipient"),
		"content", tree.Array(content))
}

// messageTurn returns the turn of a message. Codex writes messages with a type and parts; content
// with a single text becomes a string.
func messageTurn(item tree.Node) tree.Node {
	members := item.Without("type")
	for i, m := range members {
		if text := m.Value.Element("0"); m.Name == "content" && m.Value.Length() == 1 && text.Length() == 2 &&
			text.Get("type").Text() == textPart(item.Get("role").Text()) && tree.IsString(text.Get("text")) {
			members[i].Value = text.Get("text")
		}
	}
	return tree.Object(members...)
}

// kinds are the item types that Codex knows, with their members.
var kinds = chat.ItemKinds{
	conversation.AgentMessage: "author:s recipient:s content:a id:sn-",
	"function_call":           "call_id:s name:s arguments:s id:sn- status:sn- namespace:sn-",
	"function_call_output":    "call_id:s output:sa id:sn-",
	"custom_tool_call":        "call_id:s name:s input:s id:sn- status:sn-",
	"custom_tool_call_output": "call_id:s output:sa id:sn- name:sn-",
	"reasoning":               "summary:a id:sn- content:an- encrypted_content:s",
	"local_shell_call":        "call_id:sn- action:o id:sn- status:s",
	"web_search_call":         "id:sn- status:sn- action:on-",
	"image_generation_call":   "id:sn- status:s result:s revised_prompt:sn-",
	"tool_search_call":        "call_id:sn- execution:s id:sn- status:sn-",
	"tool_search_output":      "call_id:sn- execution:s status:s tools:a id:sn-",
	"compaction":              "encrypted_content:s id:sn-",
	"ghost_snapshot":          "ghost_commit:o",
}

// write returns the lines of turns: the items and, after each message, the event that shows it,
// since Codex shows only events of a resumed session. A line whose turn has no time gets the time of
// the message. When lines are restored, it is always [chat.Epoch], by which they are recognised.
func write(turns []tree.Node, w *chat.Writing) []tree.Node {
	if w.Style == bare {
		return items(turns, w)
	}
	began, first := begin(w)
	lines := append(make([]tree.Node, 0, 2*len(turns)+1), first)
	fresh := w.Maker.IsFresh()
	var all, one []tree.Node
	var times []tree.Node
	at, none := began, tree.String(chat.Epoch)
	if fresh {
		none = inOtherZone(began)
	}
	for _, turn := range turns {
		said := turn.Get("timestamp")
		switch {
		case exchange.IsTime(said):
			at = said
			if fresh {
				none = inOtherZone(said)
			}
		default:
			at = none
		}
		one = w.Items(one[:0], turn, kinds)
		for _, item := range one {
			if item, ok := known(item); ok {
				all, times = append(all, item), append(times, at)
			}
		}
	}
	lost := chat.Lost(all)
	asked := slices.ContainsFunc(all, func(item tree.Node) bool { return eventOf(item) == userMessage })
	for i, item := range all {
		if lost[i] {
			continue
		}
		lines = append(lines, line(times[i], responseItem, item))
		kind := eventOf(item)
		if !asked && isBrief(item) { // Codex does not list a session without one
			kind = userMessage
		}
		if kind != "" {
			lines = append(lines, line(times[i], eventMessage, message(item, kind)))
		}
	}
	return lines
}

// inOtherZone converts a time to the form for a line whose turn has none.
func inOtherZone(at tree.Node) tree.Node {
	t, err := time.Parse(time.RFC3339Nano, at.Text())
	if err != nil { // a leap second
		return tree.String(chat.Epoch)
	}
	return tree.String(t.UTC().Format("2006-01-02T15:04:05.000") + chat.OtherZone)
}

// items returns the bare items of the first versions.
func items(turns []tree.Node, w *chat.Writing) []tree.Node {
	var lines []tree.Node
	for _, turn := range turns {
		for _, item := range w.Items(nil, turn, kinds) {
			if item, ok := known(item); ok {
				lines = append(lines, item)
			}
		}
	}
	return lines
}

// begin returns the start time of the session and its first line, without which Codex does not read
// the rollout.
func begin(w *chat.Writing) (at, first tree.Node) {
	at, folder, git := tree.String(chat.Epoch), tree.String("."), tree.None
	if w.Maker.IsFresh() {
		at = w.Maker.TimeOf(w.Meaning, "/turns/0/0/timestamp")
		known, branch := w.Site()
		if known.Text() != "" {
			folder = known
		}
		if branch.Text() != "" {
			git = chat.Object("branch", branch)
		}
	}
	id := w.SessionID("/turns/0/0/payload/id")
	return at, line(at, sessionMeta, chat.Object("id", id, "session_id", id, "timestamp", at, "cwd", folder,
		"originator", tree.String("handoff"), "cli_version", tree.String("0.0.0"), "source", tree.String("cli"), "model_provider", tree.String("openai"), "git", git))
}

// Members shared by lines and items.
var (
	sessionMeta  = tree.String("session_meta")
	responseItem = tree.String("response_item")
	eventMessage = tree.String("event_msg")
	messageType  = tree.Member{Name: "type", Value: tree.String("message")}
)

func line(at, kind, payload tree.Node) tree.Node {
	return tree.Object(tree.Member{Name: "timestamp", Value: at}, tree.Member{Name: "type", Value: kind}, tree.Member{Name: "payload", Value: payload})
}

// known returns an item in the form that Codex reads, or false if it has none. Codex omits
// messages of the system, and accepts no strings as content. The item of a hosted tool becomes a message with its text.
func known(item tree.Node) (tree.Node, bool) {
	switch kind := item.Get("type").Text(); kind {
	case "", "message":
		return knownMessage(item), true
	case "function_call_output":
		if output := item.Get("output"); output.Is(jsonstream.Array) {
			item = item.With("output", described(output, "input_text"))
		}
		return item, true
	case "reasoning":
		return item, tree.IsString(item.Get("encrypted_content"))
	default:
		if kinds[kind] != "" || !isForeign(kind) {
			return item, true
		}
		said := chat.DescribedItem(item)
		return knownMessage(said), said != tree.None
	}
}

// knownMessage returns a message in the form of Codex: with its type and in parts.
func knownMessage(item tree.Node) tree.Node {
	role, part := item.Get("role"), textPart(item.Get("role").Text())
	members := append(make([]tree.Member, 0, item.Length()+1), messageType)
	for _, m := range item.Without("type") {
		switch {
		case m.Name == "role" && role.Text() == "system":
			m.Value = tree.String("developer")
		case m.Name == "content" && tree.IsString(m.Value):
			m.Value = tree.Array(chat.Object("type", tree.String(part), "text", m.Value))
		case m.Name == "content":
			m.Value = described(m.Value, part)
		}
		members = append(members, m)
	}
	return tree.Object(members...)
}

// textPart returns the type of text parts for a role.
func textPart(role string) string {
	if role == "assistant" {
		return "output_text"
	}
	return "input_text"
}

// described returns content with a text in place of each part unknown to Codex, because Codex does
// not read a line with such a part.
func described(content tree.Node, part string) tree.Node {
	parts := slices.Clone(tree.Elements(content))
	for i, p := range parts {
		switch kind := p.Get("type").Text(); {
		case kind == "input_text", kind == "output_text", kind == "encrypted_content", kind == "input_image" && tree.IsString(p.Get("image_url")):
		default:
			text := p.Get("refusal").Text()
			if file, ok := chat.FileText(p); ok {
				text = file
			}
			if text == "" {
				text = tree.Array(p).Flat()
			}
			parts[i] = chat.Object("type", tree.String(part), "text", tree.String(text))
		}
	}
	if slices.Equal(parts, tree.Elements(content)) {
		return content
	}
	return tree.Array(parts...)
}

// isForeign reports whether kind is an item type for tools that the API has and Codex does not.
func isForeign(kind string) bool {
	return kind == "item_reference" || strings.HasPrefix(kind, "mcp_") || strings.HasPrefix(kind, "shell_call") || strings.HasPrefix(kind, "apply_patch_call") ||
		strings.HasPrefix(kind, "computer_call") || strings.HasPrefix(kind, "program") || strings.HasPrefix(kind, "multi_agent_call") || kind == "file_search_call" || kind == "code_interpreter_call" || kind == "local_shell_call_output"
}

// The types of events that show messages.
const (
	userMessage      = "user_message"
	assistantMessage = "agent_message"
)

// eventOf returns the type of the event that shows a message of the user or the assistant. It is
// "" for other items, for texts that Codex itself adds as the user, and for the brief.
func eventOf(item tree.Node) string {
	if item.Get("type").Text() != "message" {
		return ""
	}
	switch item.Get("role").Text() {
	case "user":
		if isBrief(item) || IsOfProgram(textOf(item)) {
			return ""
		}
		return userMessage
	case "assistant":
		return assistantMessage
	}
	return ""
}

// textOf returns the first text of a message.
func textOf(item tree.Node) string { return item.At("/content/0/text").Text() }

// isBrief reports whether a message is the brief, which is for the model.
func isBrief(item tree.Node) bool {
	return item.Get("role").Text() == "user" && strings.HasPrefix(textOf(item), conversation.ContextLabel)
}

// message returns the event of a type that shows a message.
func message(item tree.Node, kind string) tree.Node {
	var said []string
	var images []tree.Node
	for c := item.Get("content").Children(); c.Next(); {
		if text := c.Value.Get("text"); tree.IsString(text) {
			said = append(said, text.Text())
		} else if image := c.Value.Get("image_url"); tree.IsString(image) {
			images = append(images, image)
		}
	}
	shown := chat.Object("type", tree.String(kind), "message", tree.String(strings.Join(said, "\n")))
	if len(images) > 0 && kind == userMessage {
		shown = shown.With("images", tree.Array(images...))
	}
	return shown
}

// IsOfProgram reports whether Codex wrote a text in the user's name.
func IsOfProgram(text string) bool {
	return slices.ContainsFunc(ofProgram, func(mark string) bool { return strings.HasPrefix(text, mark) })
}

// ofProgram are the prefixes of texts that Codex adds as the user.
var ofProgram = []string{"<environment_context>", "<user_instructions>", "<turn_aborted>", "<user_shell_command>", "<skill>", "<subagent_notification>", "<hook_prompt", "# AGENTS.md instructions"}
