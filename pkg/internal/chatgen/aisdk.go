package chatgen

func modelMessages(g *gen, s scene) string { return array(g.modelMessages(s)) }

func modelObject(g *gen, s scene) string {
	return g.object("system", when(s.system != "", quote(s.system)), "messages", array(g.modelMessages(s)))
}

func uiMessages(g *gen, s scene) string { return array(g.uiMessages(s)) }

func uiObject(g *gen, s scene) string {
	return g.object("id", when(g.one(2), quote(g.id("chat-"))), "messages", array(g.uiMessages(s)))
}

// modelMessages returns messages without the system's, which generateText refuses.
func (g *gen) modelMessages(s scene) (all []string) {
	for _, st := range s.steps {
		if st.user {
			content := quote(st.text)
			if st.image != "" || g.one(3) {
				parts := []string{g.object("type", quote("text"), "text", quote(st.text))}
				if st.image != "" {
					parts = append(parts, pick(g,
						g.object("type", quote("image"), "image", quote(st.image), "mediaType", when(g.one(2), quote("image/png"))),
						g.object("type", quote("file"), "data", quote(st.image), "mediaType", quote("image/png"))))
				}
				content = array(parts)
			}
			all = append(all, g.object("role", quote("user"), "content", content))
			continue
		}
		all = append(all, g.modelAssistant(st))
		if len(st.calls) == 0 {
			continue
		}
		var results []string
		for _, c := range st.calls {
			kind := "text"
			if c.failed {
				kind = "error-text"
			}
			results = append(results, g.object("type", quote("tool-result"), "toolCallId", quote(c.id), "toolName", quote(c.name),
				"output", g.object("type", quote(kind), "value", quote(c.result))))
		}
		if g.one(3) { // a separate message for each
			for _, r := range results {
				all = append(all, g.object("role", quote("tool"), "content", array([]string{r})))
			}
			continue
		}
		all = append(all, g.object("role", quote("tool"), "content", array(results)))
	}
	return all
}

func (g *gen) modelAssistant(st step) string {
	var parts []string
	if st.reasoning != "" {
		parts = append(parts, g.object("type", quote("reasoning"), "text", quote(st.reasoning),
			"providerOptions", g.object("anthropic", g.object("signature", quote("Eq"+g.id(""))))))
	}
	if st.text != "" {
		parts = append(parts, g.object("type", quote("text"), "text", quote(st.text)))
	}
	for _, c := range st.calls {
		parts = append(parts, g.object("type", quote("tool-call"), "toolCallId", quote(c.id), "toolName", quote(c.name), "input", c.args))
	}
	content := array(parts)
	if st.reasoning == "" && len(st.calls) == 0 && g.one(2) {
		content = quote(st.text)
	}
	return g.object("role", quote("assistant"), "content", content)
}

// uiMessages returns the assistant's steps between two user steps as one message.
func (g *gen) uiMessages(s scene) (all []string) {
	var parts []string
	flush := func(role string) {
		if len(parts) > 0 {
			all = append(all, g.object("id", quote(g.id("msg-")), "role", quote(role), "parts", array(parts), "metadata", when(g.one(4), `{"createdAt":1764000000}`)))
		}
		parts = nil
	}
	for _, st := range s.steps {
		if !st.user {
			parts = append(parts, g.uiStep(st)...)
			continue
		}
		flush("assistant")
		parts = append(parts, g.object("type", quote("text"), "text", quote(st.text)))
		if st.image != "" {
			parts = append(parts, g.object("type", quote("file"), "mediaType", quote("image/png"), "url", quote("data:image/png;base64,"+st.image)))
		}
		flush("user")
	}
	flush("assistant")
	return all
}

func (g *gen) uiStep(st step) []string {
	parts := []string{g.object("type", quote("step-start"))}
	if st.reasoning != "" {
		parts = append(parts, g.object("type", quote("reasoning"), "text", quote(st.reasoning), "state", quote("done")))
	}
	if st.text != "" {
		parts = append(parts, g.object("type", quote("text"), "text", quote(st.text), "state", quote("done")))
	}
	for _, c := range st.calls {
		kind, name := quote("tool-"+c.name), ""
		if g.one(3) {
			kind, name = quote("dynamic-tool"), quote(c.name)
		}
		state, output, problem := quote("output-available"), quote(c.result), ""
		if c.failed {
			state, output, problem = quote("output-error"), "", quote(c.result)
		}
		parts = append(parts, g.object("type", kind, "toolName", name, "toolCallId", quote(c.id), "state", state, "input", c.args, "output", output, "errorText", problem))
	}
	return parts
}
