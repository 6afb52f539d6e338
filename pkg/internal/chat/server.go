package chat

import (
	"strings"
	"unicode"

	"github.com/eaapl/handoff/pkg/conversation"
	"github.com/eaapl/handoff/pkg/internal/tree"
	"github.com/eaapl/handoff/pkg/jsonstream"
)

// serverBlock returns the block of Anthropic for a hosted call or result of another format, None if it was
// not one of Anthropic: its API accepts only its own ids, and results with their encrypted content.
func serverBlock(part tree.Node) tree.Node {
	h, ok := HostedOf(part)
	if !ok || !strings.HasPrefix(h.ID.Text(), "srvtoolu_") {
		return tree.None
	}
	if !h.Result {
		if conversation.TypeNamed(resultType(h.Name.Text())) == nil || !isObject(h.Value) {
			return tree.None
		}
		return Object("type", tree.String("server_tool_use"), "id", h.ID, "name", h.Name, "input", h.Value)
	}
	content := snakeCase(h.Value)
	kind := content.Get("type").Text()
	if kind == "" {
		kind = content.At("/0/type").Text()
	}
	name, ok := strings.CutSuffix(strings.TrimSuffix(kind, "_error"), "_result")
	if !ok || conversation.TypeNamed(name+"_tool_result") == nil {
		return tree.None
	}
	return Object("type", tree.String(name+"_tool_result"), "tool_use_id", h.ID, "content", content)
}

// resultType returns the type of the results of a server tool.
func resultType(tool string) string {
	if strings.HasPrefix(tool, "tool_search_tool_") {
		return "tool_search_tool_result"
	}
	return tool + "_tool_result"
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

// pairServerTools replaces calls of server tools without a result after them, and results without a call
// before them, by texts: the API refuses them. A call that the client's calls are made by has its result in
// a later message.
func pairServerTools(blocks []Block) {
	open, clients := map[string]int{}, false
	say := func(i int) {
		blocks[i] = Block{Text, textBlock(Part{Text: NoteOf(Part{Kind: Other, Value: blocks[i].Value})}), blocks[i].Turn}
	}
	for i, b := range blocks {
		clients = clients || b.Kind == Call
		h, ok := HostedOf(b.Value)
		switch {
		case b.Kind != Other || !ok:
		case !h.Result:
			open[h.ID.Text()] = i
		default:
			if _, ok := open[h.ID.Text()]; ok {
				delete(open, h.ID.Text())
			} else {
				say(i)
			}
		}
	}
	for _, i := range open {
		if !clients {
			say(i)
		}
	}
}
