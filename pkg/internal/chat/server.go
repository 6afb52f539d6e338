package chat

import (
	"slices"
	"strings"
	"unicode"

	"github.com/eaapl/handoff/pkg/conversation"
	"github.com/eaapl/handoff/pkg/internal/tree"
	"github.com/eaapl/handoff/pkg/jsonstream"
)

// ServerBlock returns the block of Anthropic for a hosted call or result of any format, None if there is none
// that its API accepts.
func ServerBlock(part tree.Node) tree.Node {
	if _, ok := HostedOf(part); ok && isOwn(part) {
		return part
	}
	return serverBlock(part)
}

// serverBlock returns the block of Anthropic for a hosted call or result of another format, None if it was
// not one of Anthropic: its API accepts only its own ids, and results with their encrypted content.
func serverBlock(part tree.Node) tree.Node {
	h, ok := HostedOf(part)
	if ok && part.At("/providerOptions/anthropic/type").Text() == "mcp-tool-use" { // the AI SDK
		if h.Result {
			failed := tree.Bool(part.At("/output/type").Text() == "error-json")
			return Object("type", tree.String("mcp_tool_result"), "tool_use_id", h.ID, "is_error", failed, "content", h.Value)
		}
		return Object("type", tree.String("mcp_tool_use"), "id", h.ID, "name", h.Name, "server_name", part.At("/providerOptions/anthropic/serverName"), "input", h.Value)
	}
	if !ok || !strings.HasPrefix(h.ID.Text(), "srvtoolu_") {
		return tree.None
	}
	if !h.Result {
		if kind := h.Value.Get("type"); h.Name.Text() == "code_execution" && tree.IsString(kind) { // the AI SDK has one tool for all
			h.Value = h.Value.With("type", tree.None)
			if kind.Text() != "programmatic-tool-call" {
				h.Name = kind
			}
		}
		if conversation.TypeNamed(conversation.ServerToolResult(h.Name.Text())) == nil || !isObject(h.Value) {
			return tree.None
		}
		return Object("type", tree.String("server_tool_use"), "id", h.ID, "name", h.Name, "input", h.Value)
	}
	content := snakeCase(h.Value)
	kind := content.Get("type").Text()
	if kind == "" {
		kind = content.At("/0/type").Text()
	}
	if kind == "tool_reference" { // the AI SDK has only the references
		content = Object("type", tree.String("tool_search_tool_search_result"), "tool_references", content)
		kind = content.Get("type").Text()
	}
	of := typeOfContent(kind)
	if content.Is(jsonstream.Array) && content.Empty() { // only a search has a list
		of = "web_search_tool_result"
	}
	if conversation.TypeNamed(of) == nil {
		return tree.None
	}
	return Object("type", tree.String(of), "tool_use_id", h.ID, "content", content)
}

// typeOfContent returns the type of the result of a server tool with a type of content.
func typeOfContent(kind string) string {
	switch {
	case kind == "tool_search_tool_search_result":
		return "tool_search_tool_result"
	case strings.HasPrefix(kind, "text_editor_code_execution_"):
		return "text_editor_code_execution_tool_result"
	case strings.HasSuffix(kind, "_error"):
		return strings.TrimSuffix(kind, "_error")
	default:
		return strings.TrimSuffix(kind, "_result") + "_tool_result"
	}
}

// snakeCase returns a value with names of members such as encryptedContent, which the AI SDK writes, in the
// form of the API.
func snakeCase(v tree.Node) tree.Node {
	switch {
	case v.Is(jsonstream.Array):
		var elements []tree.Node
		for c := v.Children(); c.Next(); {
			elements = append(elements, snakeCase(c.Value))
		}
		return tree.Array(elements...)
	case v.Is(jsonstream.Object):
		var members []tree.Member
		for c := v.Children(); c.Next(); {
			var name strings.Builder
			for _, r := range c.Name {
				if unicode.IsUpper(r) {
					name.WriteByte('_')
				}
				name.WriteRune(unicode.ToLower(r))
			}
			members = append(members, tree.Member{Name: name.String(), Value: snakeCase(c.Value)})
		}
		return tree.Object(members...)
	}
	return v
}

// pairServerTools replaces calls to server tools without a result after them, and results without a call
// before them, by texts: the API rejects them. If the message also calls tools of the client, such as from code
// that the server executes, the result is in a later message. The last message may wait for its results.
func pairServerTools(messages []Message) {
	executing := map[string]bool{}                 // by id, server tools that wait for results of the client
	lastResult, lastAnswer := map[string]int{}, -1 // the last message with the result of a server tool, and of the assistant
	for n, m := range messages {
		if m.Role == "assistant" {
			lastAnswer = n
		}
		for _, b := range m.Blocks {
			if h, ok := HostedOf(b.Value); ok && b.Kind == Other && h.Result {
				lastResult[h.ID.Text()] = n
			}
		}
	}
	for n := range len(messages) - 1 {
		blocks := messages[n].Blocks
		waits := slices.ContainsFunc(blocks, func(b Block) bool { return b.Kind == Call })
		open := map[string]int{}
		say := func(i int) {
			blocks[i] = Block{Text, textBlock(Part{Text: NoteOf(Part{Kind: Other, Value: blocks[i].Value})}), blocks[i].Turn}
		}
		for i, b := range blocks {
			if caller := b.Value.At("/caller/tool_id"); b.Kind == Call && caller != tree.None {
				if _, ok := open[caller.Text()]; ok {
					delete(open, caller.Text())
					executing[caller.Text()] = true
				} else if !executing[caller.Text()] {
					blocks[i].Value = b.Value.With("caller", tree.None)
				}
			}
			h, ok := HostedOf(b.Value)
			if b.Kind != Other || !ok {
				continue
			}
			id := h.ID.Text()
			if !h.Result {
				open[id] = i
				continue
			}
			_, ok = open[id]
			if !ok && !executing[id] {
				say(i)
			}
			delete(open, id)
			delete(executing, id)
		}
		for id, i := range open {
			if waits && (lastResult[id] > n || lastAnswer <= n) { // the result is there, or the assistant has not gone on yet
				executing[id] = true
			} else {
				say(i)
			}
		}
	}
}

// PairServerTools returns turns in which calls to server tools of Anthropic without a result, and results without
// a call, are texts: its API rejects such blocks. The last turn of the assistant may wait for its results.
func PairServerTools(turns []tree.Node) []tree.Node {
	called, answered, last := map[string]bool{}, map[string]bool{}, -1
	for i, t := range turns {
		if t.Get("role").Text() == "assistant" {
			last = i
		}
		for c := t.Get("content").Children(); c.Next(); {
			if h, ok := HostedOf(ServerBlock(c.Value)); ok && h.Result {
				answered[h.ID.Text()] = true
			} else if ok {
				called[h.ID.Text()] = true
			}
		}
	}
	var changed []tree.Node
	for i, t := range turns {
		waits := i == last && (i == len(turns)-1 || calls(t))
		for j, part := range tree.Elements(t.Get("content")) {
			h, ok := HostedOf(ServerBlock(part))
			if !ok || h.Result && called[h.ID.Text()] || !h.Result && (waits || answered[h.ID.Text()]) {
				continue
			}
			if changed == nil {
				changed = slices.Clone(turns)
			}
			parts := slices.Clone(tree.Elements(changed[i].Get("content")))
			parts[j] = Object("type", tree.String("text"), "text", tree.String(Say([]Part{{Kind: Other, Value: part}})))
			changed[i] = t.With("content", tree.Array(parts...))
		}
	}
	if changed == nil {
		return turns
	}
	return changed
}
