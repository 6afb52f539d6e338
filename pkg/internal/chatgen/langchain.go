package chatgen

import "slices"

func constructors(g *gen, s scene) string { return array(g.langChain(s, g.constructor)) }
func storedDicts(g *gen, s scene) string  { return array(g.langChain(s, g.storedDict)) }
func flatMessages(g *gen, s scene) string { return array(g.langChain(s, g.flat)) }

// graphState returns the state of a LangGraph graph.
func graphState(g *gen, s scene) string {
	return g.object("messages", array(g.langChain(s, pick(g, g.constructor, g.flat))),
		"active_agent", when(g.one(2), quote("billing")), "remaining_steps", when(g.one(2), "24"))
}

// graphCommand returns the command with which a LangGraph tool hands over.
func graphCommand(g *gen, s scene) string {
	return g.object("graph", when(g.one(2), quote("__parent__")),
		"update", g.object("messages", array(g.langChain(s, pick(g, g.constructor, g.flat))), "active_agent", quote("billing")),
		"goto", quote("billing"))
}

// A wrap encodes a message of LangChain, given its class, type and fields.
type wrap func(class, kind string, fields ...string) string

func (g *gen) constructor(class, kind string, fields ...string) string {
	path := []string{quote("langchain_core"), quote("messages"), quote(class)}
	if g.one(2) {
		path = []string{quote("langchain"), quote("schema"), quote("messages"), quote(class)}
	}
	return g.object("lc", "1", "type", quote("constructor"), "id", array(path), "kwargs", g.object(append(fields, "type", quote(kind))...))
}

func (g *gen) storedDict(_, kind string, fields ...string) string {
	return g.object("type", quote(kind), "data", g.flat("", kind, fields...))
}

func (g *gen) flat(_, kind string, fields ...string) string {
	if !slices.Contains(fields, "additional_kwargs") {
		fields = append(fields, "additional_kwargs", "{}")
	}
	return g.object(append(fields, "type", quote(kind), "response_metadata", "{}")...)
}

func (g *gen) langChain(s scene, w wrap) (all []string) {
	if s.system != "" {
		all = append(all, w("SystemMessage", "system", "content", quote(s.system)))
	}
	for _, st := range s.steps {
		if st.user {
			all = append(all, w("HumanMessage", "human", "content", g.chatContent(st.text, st.image), "id", when(g.one(2), quote(g.id("")))))
			continue
		}
		all = append(all, g.aiMessage(st, w))
		for _, c := range st.calls {
			content := quote(c.result)
			if c.result != "" && g.rare(5) {
				content = array([]string{g.object("type", quote("text"), "text", quote(c.result)), g.object("type", quote("image_url"), "image_url", g.object("url", quote("data:image/png;base64,iVBORw0KGgo=")))}[:1+g.IntN(2)])
			}
			all = append(all, w("ToolMessage", "tool", "content", content, "tool_call_id", quote(c.id), "name", when(g.one(2), quote(c.name)),
				"status", when(c.failed, quote("error")), "artifact", when(g.rare(6), g.args())))
		}
	}
	return all
}

// aiMessage returns an assistant message. With reasoning it has the blocks of the Messages API,
// which LangChain keeps beside its own tool_calls.
func (g *gen) aiMessage(st step, w wrap) string {
	var calls, invalid, blocks, listed []string
	for _, c := range st.calls {
		if st.reasoning == "" && g.rare(8) {
			invalid = append(invalid, g.object("name", quote(c.name), "args", quote(c.args+"}"), "id", quote(c.id), "error", quote("Malformed args."), "type", quote("invalid_tool_call")))
			continue
		}
		calls = append(calls, g.object("name", quote(c.name), "args", c.args, "id", quote(c.id), "type", quote("tool_call")))
		listed = append(listed, g.object("type", quote("tool_use"), "id", quote(c.id), "name", quote(c.name), "input", c.args))
	}
	kwargs := ""
	switch {
	case st.reasoning == "":
	case g.rare(4):
		kwargs = pick(g, g.object("reasoning_content", quote(st.reasoning)), g.object("reasoning", g.object("type", quote("reasoning"), "id", quote(g.id("rs_")),
			"summary", array([]string{g.object("type", quote("summary_text"), "text", quote(st.reasoning))}), "encrypted_content", quote("gAAAA"+g.id("")))))
	case st.hosted > 0 && g.one(3):
		blocks = append(blocks, g.object("type", quote("reasoning"), "reasoning", quote(st.reasoning)))
	default:
		blocks = append(blocks, g.object("type", quote("thinking"), "thinking", quote(st.reasoning), "signature", quote("Eq"+g.id(""))))
	}
	for range st.hosted {
		blocks = append(blocks, pick(g, g.serverTool, g.serverToolCall)()...)
	}
	content := quote(st.text)
	if len(blocks) > 0 {
		if st.text != "" {
			blocks = append(blocks, g.object("type", quote("text"), "text", quote(st.text), "citations", when(st.hosted > 0 && g.one(2), g.citations())))
		}
		content = array(append(blocks, listed...))
	}
	fields := []string{"content", content, "tool_calls", when(len(calls) > 0 || g.one(2), array(calls)),
		"invalid_tool_calls", when(len(invalid) > 0 || g.one(3), array(invalid)), "name", when(g.one(3), quote("billing")),
		"usage_metadata", when(g.one(4), `{"input_tokens":10,"output_tokens":5,"total_tokens":15}`)}
	if kwargs != "" {
		fields = append(fields, "additional_kwargs", kwargs)
	}
	return w("AIMessage", "ai", fields...)
}

// serverToolCall returns a call of a tool that the provider ran, and its result, as blocks of LangChain:
// of JavaScript or Python.
func (g *gen) serverToolCall() []string {
	id, status := quote(g.id("srvtoolu_")), quote(pick(g, "success", "error"))
	call := g.object("type", quote("server_tool_call"), "id", id, "name", quote("web_search"), "args", g.object("query", quote(g.text())))
	return []string{call, pick(g,
		g.object("type", quote("server_tool_call_result"), "toolCallId", id, "status", status, "output", g.webResults()),
		g.object("type", quote("server_tool_result"), "tool_call_id", id, "status", status, "output", g.webResults()))}
}
