package chatgen

func anthropicArray(g *gen, s scene) string { return array(g.anthropicMessages(s)) }

func anthropicObject(g *gen, s scene) string {
	return g.object("system", when(s.system != "", quote(s.system)), "messages", anthropicArray(g, s))
}

func anthropicBody(g *gen, s scene) string {
	system := quote(s.system)
	if g.one(3) {
		system = array([]string{g.object("type", quote("text"), "text", system, "cache_control", g.cached())})
	}
	return g.object("model", quote("claude-sonnet-4-5"), "max_tokens", "1024", "system", when(s.system != "", system),
		"messages", anthropicArray(g, s),
		"tools", when(g.one(2), array([]string{g.object("name", quote("search"), "description", quote(g.text()), "input_schema", `{"type":"object","properties":{}}`)})))
}

func (g *gen) anthropicMessages(s scene) (all []string) {
	results := []string(nil)
	flush := func(more ...string) {
		if blocks := append(results, more...); len(blocks) > 0 {
			all = append(all, g.object("role", quote("user"), "content", array(blocks)))
		}
		results = nil
	}
	for _, st := range s.steps {
		if st.user {
			if st.image == "" && !g.one(3) {
				all = append(all, g.object("role", quote("user"), "content", quote(st.text)))
				continue
			}
			flush(g.userBlocks(st)...)
			continue
		}
		flush()
		all = append(all, g.assistantMessage(st))
		for _, c := range st.calls {
			content := quote(c.result)
			switch {
			case c.result == "" && g.one(2):
				content = ""
			case c.result != "" && g.one(3):
				content = array([]string{g.object("type", quote("text"), "text", quote(c.result))})
			}
			results = append(results, g.object("type", quote("tool_result"), "tool_use_id", quote(c.id), "content", content,
				"is_error", when(c.failed, "true")))
		}
	}
	flush()
	return all
}

func (g *gen) userBlocks(st step) []string {
	blocks := []string{g.object("type", quote("text"), "text", quote(st.text), "cache_control", when(g.one(4), g.cached()))}
	if st.image != "" {
		blocks = append(blocks, g.object("type", quote("image"),
			"source", g.object("type", quote("base64"), "media_type", quote("image/png"), "data", quote(st.image))))
	}
	return blocks
}

func (g *gen) assistantMessage(st step) string {
	var blocks []string
	if st.reasoning != "" {
		blocks = append(blocks, g.object("type", quote("thinking"), "thinking", quote(st.reasoning), "signature", quote("Eq"+g.id(""))))
	}
	if st.text != "" {
		blocks = append(blocks, g.object("type", quote("text"), "text", quote(st.text)))
	}
	for _, c := range st.calls {
		blocks = append(blocks, g.object("type", quote("tool_use"), "id", quote(c.id), "name", quote(c.name), "input", c.args))
	}
	content := array(blocks)
	if st.reasoning == "" && len(st.calls) == 0 && g.one(2) {
		content = quote(st.text)
	}
	return g.object("role", quote("assistant"), "content", content)
}

func (g *gen) cached() string { return g.object("type", quote("ephemeral")) }
