package chatgen

func chatArray(g *gen, s scene) string { return array(g.chatMessages(s)) }

func chatObject(g *gen, s scene) string {
	return g.object("messages", chatArray(g, s))
}

func chatBody(g *gen, s scene) string {
	return g.object("model", quote("gpt-5.1"), "messages", chatArray(g, s),
		"temperature", when(g.one(2), "0.2"),
		"max_completion_tokens", when(g.one(2), "1024"),
		"stream", when(g.one(2), "true"),
		"tools", when(g.one(2), array([]string{g.object("type", quote("function"), "function",
			g.object("name", quote("search"), "description", quote(g.text()), "parameters", `{"type":"object","properties":{}}`))})))
}

func (g *gen) chatMessages(s scene) (all []string) {
	if s.system != "" {
		all = append(all, g.object("role", quote(pick(g, "system", "developer")), "content", g.chatContent(s.system, "")))
	}
	for _, st := range s.steps {
		if st.user {
			all = append(all, g.object("role", quote("user"), "content", g.chatContent(st.text, st.image), "name", when(g.one(8), quote("ada"))))
			continue
		}
		content := when(g.one(2), "null")
		if st.text != "" {
			content = g.chatContent(st.text, "")
		}
		var calls []string
		for _, c := range st.calls {
			calls = append(calls, g.object("id", quote(c.id), "type", quote("function"),
				"function", g.object("name", quote(c.name), "arguments", quote(c.args))))
		}
		all = append(all, g.object("role", quote("assistant"), "content", content,
			"tool_calls", when(len(calls) > 0, array(calls)),
			"refusal", when(g.one(4), "null")))
		for _, c := range st.calls {
			all = append(all, g.object("role", quote("tool"), "tool_call_id", quote(c.id), "content", g.chatContent(c.result, "")))
		}
	}
	return all
}

// chatContent returns content as a string or as parts.
func (g *gen) chatContent(text, image string) string {
	if image == "" && (text == "" || !g.one(4)) {
		return quote(text)
	}
	parts := []string{g.object("type", quote("text"), "text", quote(text))}
	if image != "" {
		parts = append(parts, g.object("type", quote("image_url"),
			"image_url", g.object("url", quote("data:image/png;base64,"+image), "detail", when(g.one(2), quote("low")))))
	}
	return array(parts)
}

func responsesArray(g *gen, s scene) string { return array(g.responsesItems(s)) }

func responsesBody(g *gen, s scene) string {
	system := s.system
	if g.one(2) {
		s.system = ""
	} else {
		system = ""
	}
	return g.object("model", quote("gpt-5.1"), "instructions", when(system != "", quote(system)), "input", array(g.responsesItems(s)),
		"store", when(g.one(2), "false"),
		"include", when(g.one(2), `["reasoning.encrypted_content"]`),
		"tools", when(g.one(2), array([]string{g.object("type", quote("function"), "name", quote("search"), "parameters", `{"type":"object","properties":{}}`, "strict", "false")})))
}

func (g *gen) responsesItems(s scene) (all []string) {
	if s.system != "" {
		all = append(all, g.object("role", quote(pick(g, "system", "developer")), "content", g.inputContent(s.system, "")))
	}
	for _, st := range s.steps {
		if st.user {
			all = append(all, g.object("type", when(g.one(3), quote("message")), "role", quote("user"), "content", g.inputContent(st.text, st.image)))
			continue
		}
		id := func(prefix string) string { return when(st.reasoning != "", quote(g.id(prefix))) }
		if st.reasoning != "" {
			all = append(all, g.object("type", quote("reasoning"), "id", id("rs_"),
				"summary", array([]string{g.object("type", quote("summary_text"), "text", quote(st.reasoning))}),
				"encrypted_content", quote("gAAAA"+g.id(""))))
		}
		if st.text != "" {
			all = append(all, g.outputMessage(st, id("msg_")))
		}
		for _, c := range st.calls {
			all = append(all, g.object("type", quote("function_call"), "id", id("fc_"), "call_id", quote(c.id), "name", quote(c.name),
				"arguments", quote(c.args), "status", when(g.one(2), quote("completed"))))
		}
		for _, c := range st.calls {
			output := quote(c.result)
			if c.result != "" && g.one(4) {
				output = array([]string{g.object("type", quote("input_text"), "text", quote(c.result))})
			}
			all = append(all, g.object("type", quote("function_call_output"), "call_id", quote(c.id), "output", output))
		}
	}
	return all
}

// outputMessage returns an assistant message: as output by a model or, without an id, in the short
// form that the API accepts.
func (g *gen) outputMessage(st step, id string) string {
	if id == "" && g.one(2) {
		return g.object("role", quote("assistant"), "content", quote(st.text))
	}
	if id == "" {
		id = quote(g.id("msg_"))
	}
	return g.object("type", quote("message"), "id", id, "role", quote("assistant"), "status", quote("completed"),
		"content", array([]string{g.object("type", quote("output_text"), "text", quote(st.text), "annotations", "[]")}))
}

func (g *gen) inputContent(text, image string) string {
	if image == "" && !g.one(3) {
		return quote(text)
	}
	parts := []string{g.object("type", quote("input_text"), "text", quote(text))}
	if image != "" {
		parts = append(parts, g.object("type", quote("input_image"), "detail", quote("auto"), "image_url", quote("data:image/png;base64,"+image)))
	}
	return array(parts)
}
