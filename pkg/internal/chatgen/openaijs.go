package chatgen

func agentItems(g *gen, s scene) string { return array(g.agentItems(s)) }

func agentHistory(g *gen, s scene) string { return g.object("history", array(g.agentItems(s))) }

// agentHandoff returns a HandoffInputData, whose last turns are of the run.
func agentHandoff(g *gen, s scene) string {
	items := g.agentItems(s)
	before := g.IntN(len(items))
	return g.object("inputHistory", array(items[:before]), "preHandoffItems", "[]", "newItems", array(items[before:]))
}

// agentItems returns items of the Agents SDK for JavaScript.
func (g *gen) agentItems(s scene) (all []string) {
	message := func(role, content string) string {
		return g.object("type", when(g.one(2), quote("message")), "role", quote(role), "content", content)
	}
	if s.system != "" {
		all = append(all, message("system", quote(s.system)))
	}
	for _, st := range s.steps {
		if st.user {
			content := quote(st.text)
			if st.image != "" || g.one(3) {
				parts := []string{g.object("type", quote("input_text"), "text", quote(st.text))}
				if st.image != "" {
					parts = append(parts, g.object("type", quote("input_image"), "image", quote("data:image/png;base64,"+st.image)))
				}
				content = array(parts)
			}
			all = append(all, message("user", content))
			continue
		}
		if st.reasoning != "" {
			all = append(all, g.object("type", quote("reasoning"), "id", quote(g.id("rs_")),
				"content", array([]string{g.object("type", quote("input_text"), "text", quote(st.reasoning))}),
				"providerData", when(g.one(2), g.object("encryptedContent", quote("gAAAA"+g.id(""))))))
		}
		if st.text != "" {
			all = append(all, g.object("type", quote("message"), "id", when(st.reasoning != "" || g.one(2), quote(g.id("msg_"))), "role", quote("assistant"),
				"status", quote("completed"), "content", array([]string{g.object("type", quote("output_text"), "text", quote(st.text))})))
		}
		for _, c := range st.calls {
			all = append(all, g.object("type", quote("function_call"), "id", when(st.reasoning != "", quote(g.id("fc_"))), "callId", quote(c.id), "name", quote(c.name),
				"arguments", quote(c.args), "status", when(g.one(2), quote("completed"))))
		}
		for _, c := range st.calls {
			output := g.object("type", quote("text"), "text", quote(c.result))
			if g.one(4) {
				output = quote(c.result)
			}
			all = append(all, g.object("type", quote("function_call_result"), "callId", quote(c.id), "name", quote(c.name), "status", quote("completed"), "output", output))
		}
	}
	return all
}
