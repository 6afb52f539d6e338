package chatgen

func geminiArray(g *gen, s scene) string { return array(g.contents(s)) }

func geminiBody(g *gen, s scene) string {
	name := pick(g, "systemInstruction", "system_instruction")
	return g.object(name, when(s.system != "", g.object("parts", array([]string{g.object("text", quote(s.system))}))),
		"contents", array(g.contents(s)),
		"generationConfig", when(g.one(2), `{"temperature":0.2,"maxOutputTokens":1024}`),
		"tools", when(g.one(2), array([]string{g.object("functionDeclarations", array([]string{g.object("name", quote("search"), "description", quote(g.text()))}))})))
}

func adkEvents(g *gen, s scene) string { return array(g.events(s)) }

func adkSession(g *gen, s scene) string {
	return g.object("id", quote(g.id("")), "appName", quote("shop"), "userId", quote("u1"), "state", "{}", "events", array(g.events(s)), "lastUpdateTime", "1764000000.5")
}

// A turn is a content with its role.
type turn struct{ role, parts string }

func (g *gen) turns(s scene) (all []turn) {
	withIDs := g.one(2)
	for _, st := range s.steps {
		if st.user {
			parts := []string{g.object("text", quote(st.text))}
			if st.image != "" {
				parts = append(parts, g.object("inlineData", g.object("mimeType", quote("image/png"), "data", quote(st.image))))
			}
			all = append(all, turn{"user", array(parts)})
			continue
		}
		var parts, results []string
		if st.reasoning != "" {
			parts = append(parts, g.object("text", quote(st.reasoning), "thought", "true"))
		}
		if st.text != "" {
			parts = append(parts, g.object("text", quote(st.text)))
		}
		for i, c := range st.calls {
			id := when(withIDs, quote(c.id))
			parts = append(parts, g.object("functionCall", g.object("id", id, "name", quote(c.name), "args", c.args),
				"thoughtSignature", when(i == 0, quote("CiQB"))))
			member := "output"
			if c.failed {
				member = "error"
			}
			results = append(results, g.object("functionResponse", g.object("id", id, "name", quote(c.name), "response", g.object(member, quote(c.result)))))
		}
		all = append(all, turn{"model", array(parts)})
		if len(results) > 0 {
			all = append(all, turn{"user", array(results)})
		}
	}
	return all
}

func (g *gen) contents(s scene) (all []string) {
	for _, t := range g.turns(s) {
		all = append(all, g.object("role", quote(t.role), "parts", t.parts))
	}
	return all
}

// events returns each content as an event of Google's ADK, with events without content between
// them.
func (g *gen) events(s scene) (all []string) {
	invocation := quote(g.id("e-"))
	for i, t := range g.turns(s) {
		author := "shop_agent"
		if t.role == "user" && i == 0 {
			author = "user"
		}
		event := func(content string) string {
			return g.object("id", quote(g.id("")), "invocationId", invocation, "author", quote(author), "content", content,
				"timestamp", "1764000000.25", "actions", `{"stateDelta":{},"artifactDelta":{}}`, "partial", when(g.one(3), "false"))
		}
		all = append(all, event(g.object("role", quote(t.role), "parts", t.parts)))
		if g.one(6) {
			all = append(all, event(""))
		}
	}
	return all
}
