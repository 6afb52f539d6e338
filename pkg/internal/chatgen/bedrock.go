package chatgen

import "fmt"

func converseArray(g *gen, s scene) string { return array(g.converseMessages(s)) }

func converseBody(g *gen, s scene) string {
	return g.object("modelId", quote("anthropic.claude-sonnet-4-5"),
		"system", when(s.system != "", array([]string{g.object("text", quote(s.system))})),
		"messages", converseArray(g, s),
		"inferenceConfig", when(g.one(2), `{"maxTokens":1024}`))
}

func (g *gen) converseMessages(s scene) (all []string) {
	var results []string
	documents, points := 0, 0
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
			if documents < 3 && g.rare(6) {
				documents++
				blocks = append(blocks, g.object("document", g.object("name", quote(fmt.Sprintf("Document %d", documents)), "format", quote("txt"), "source", g.object("text", quote(g.text())))))
			}
			if points < 3 && g.rare(6) {
				points++
				blocks = append(blocks, g.object("cachePoint", g.object("type", quote("default"))))
			}
			flush(blocks...)
			continue
		}
		flush()
		var blocks []string
		switch {
		case st.reasoning == "":
		case g.rare(6):
			blocks = append(blocks, g.object("reasoningContent", g.object("redactedContent", quote("RXE="))))
		default:
			blocks = append(blocks, g.object("reasoningContent", g.object("reasoningText", g.object("text", quote(st.reasoning), "signature", quote("Eq"+g.id(""))))))
		}
		for range st.hosted {
			id := quote(g.id("tooluse_"))
			blocks = append(blocks,
				g.object("toolUse", g.object("toolUseId", id, "name", quote("nova_grounding"), "input", "{}", "type", quote("server_tool_use"))),
				g.object("toolResult", g.object("toolUseId", id, "content", array([]string{g.object("text", quote(g.text()))}), "status", quote("success"), "type", quote("nova_grounding_result"))))
		}
		switch {
		case st.text == "":
		case st.hosted > 0 && g.one(2):
			citation := g.object("title", quote(g.text()), "sourceContent", array([]string{g.object("text", quote(g.text()))}), "location", g.object("web", g.object("url", quote("https://example.test/"))))
			blocks = append(blocks, g.object("citationsContent", g.object("content", array([]string{g.object("text", quote(st.text))}), "citations", array([]string{citation}))))
		default:
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
			status := when(g.rare(3), quote("success"))
			if c.failed {
				status = quote("error")
			}
			results = append(results, g.object("toolResult", g.object("toolUseId", quote(c.id), "content", array(content), "status", status)))
		}
		all = append(all, g.object("role", quote("assistant"), "content", array(blocks)))
	}
	flush()
	return all
}
