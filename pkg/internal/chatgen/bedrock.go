package chatgen

func converseArray(g *gen, s scene) string { return array(g.converseMessages(s)) }

func converseBody(g *gen, s scene) string {
	return g.object("modelId", quote("anthropic.claude-sonnet-4-5"),
		"system", when(s.system != "", array([]string{g.object("text", quote(s.system))})),
		"messages", converseArray(g, s),
		"inferenceConfig", when(g.one(2), `{"maxTokens":1024}`))
}

func (g *gen) converseMessages(s scene) (all []string) {
	var results []string
	flush := func(more ...string) {
		if blocks := append(results, more...); len(blocks) > 0 {
			all = append(all, g.object("role", quote("user"), "content", array(blocks)))
		}
		results = nil
	}
	for _, st := range s.steps {
		if st.user {
			blocks := []string{g.object("text", quote(st.text))}
			if st.image != "" {
				blocks = append(blocks, g.object("image", g.object("format", quote("png"), "source", g.object("bytes", quote(st.image)))))
			}
			flush(blocks...)
			continue
		}
		flush()
		var blocks []string
		if st.reasoning != "" {
			blocks = append(blocks, g.object("reasoningContent", g.object("reasoningText", g.object("text", quote(st.reasoning), "signature", quote("Eq"+g.id(""))))))
		}
		if st.text != "" {
			blocks = append(blocks, g.object("text", quote(st.text)))
		}
		for _, c := range st.calls {
			blocks = append(blocks, g.object("toolUse", g.object("toolUseId", quote(c.id), "name", quote(c.name), "input", c.args)))
			var content []string
			switch {
			case c.result != "" && g.one(4):
				content = []string{g.object("json", g.object("found", quote(c.result)))}
			case c.result != "":
				content = []string{g.object("text", quote(c.result))}
			}
			results = append(results, g.object("toolResult", g.object("toolUseId", quote(c.id), "content", array(content), "status", when(c.failed, quote("error")))))
		}
		all = append(all, g.object("role", quote("assistant"), "content", array(blocks)))
	}
	flush()
	return all
}
