package chatgen

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
	return g.object("type", quote(kind), "data", g.object(append(fields, "type", quote(kind), "additional_kwargs", "{}", "response_metadata", "{}")...))
}

func (g *gen) flat(_, kind string, fields ...string) string {
	return g.object(append(fields, "type", quote(kind), "additional_kwargs", "{}", "response_metadata", "{}")...)
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
			all = append(all, w("ToolMessage", "tool", "content", quote(c.result), "tool_call_id", quote(c.id), "name", when(g.one(2), quote(c.name)),
				"status", when(c.failed, quote("error"))))
		}
	}
	return all
}

// aiMessage returns an assistant message. With reasoning it has the blocks of the Messages API,
// which LangChain keeps beside its own tool_calls.
func (g *gen) aiMessage(st step, w wrap) string {
	var calls, blocks []string
	for _, c := range st.calls {
		calls = append(calls, g.object("name", quote(c.name), "args", c.args, "id", quote(c.id), "type", quote("tool_call")))
	}
	content := quote(st.text)
	if st.reasoning != "" {
		blocks = append(blocks, g.object("type", quote("thinking"), "thinking", quote(st.reasoning), "signature", quote("Eq"+g.id(""))))
		if st.text != "" {
			blocks = append(blocks, g.object("type", quote("text"), "text", quote(st.text)))
		}
		for _, c := range st.calls {
			blocks = append(blocks, g.object("type", quote("tool_use"), "id", quote(c.id), "name", quote(c.name), "input", c.args))
		}
		content = array(blocks)
	}
	return w("AIMessage", "ai", "content", content, "tool_calls", when(len(calls) > 0 || g.one(2), array(calls)),
		"invalid_tool_calls", when(g.one(3), "[]"), "name", when(g.one(3), quote("billing")),
		"usage_metadata", when(g.one(4), `{"input_tokens":10,"output_tokens":5,"total_tokens":15}`))
}
