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
		asks := len(st.calls) > 0 && g.rare(5)
		all = append(all, g.modelAssistant(st, asks))
		var results, answers []string
		for _, c := range st.calls {
			denied := asks && g.one(2)
			if asks {
				answers = append(answers, g.approvalResponse(c, denied))
			}
			results = append(results, g.object("type", quote("tool-result"), "toolCallId", quote(c.id), "toolName", quote(c.name), "output", g.output(c, denied)))
		}
		switch {
		case len(results) == 0:
		case g.one(3): // a separate message for each
			for _, r := range append(answers, results...) {
				all = append(all, g.object("role", quote("tool"), "content", array([]string{r})))
			}
		default:
			all = append(all, g.object("role", quote("tool"), "content", array(append(answers, results...))))
		}
	}
	return all
}

func (g *gen) approvalResponse(c call, denied bool) string {
	approved := "true"
	if denied {
		approved = "false"
	}
	return g.object("type", quote("tool-approval-response"), "approvalId", quote("ap-"+c.id), "approved", approved, "reason", when(g.one(2), quote(g.text())))
}

// output returns the output of a result.
func (g *gen) output(c call, denied bool) string {
	value, text := g.object("found", quote(c.result)), quote(c.result)
	switch {
	case denied:
		return g.object("type", quote("execution-denied"), "reason", when(g.one(2), quote(g.text())))
	case c.failed && g.rare(3):
		return g.object("type", quote("error-json"), "value", value)
	case c.failed:
		return g.object("type", quote("error-text"), "value", text)
	case g.rare(6):
		return g.object("type", quote("json"), "value", value)
	case g.rare(6):
		return g.object("type", quote("content"), "value", array([]string{g.object("type", quote("text"), "text", text)}))
	}
	return g.object("type", quote("text"), "value", text)
}

func (g *gen) modelAssistant(st step, asks bool) string {
	var parts []string
	if st.reasoning != "" {
		parts = append(parts, g.object("type", quote("reasoning"), "text", quote(st.reasoning),
			"providerOptions", g.object("anthropic", g.object("signature", quote("Eq"+g.id(""))))))
	}
	for range st.hosted {
		id, name, input, output, metadata := g.hostedTool()
		parts = append(parts,
			g.object("type", quote("tool-call"), "toolCallId", id, "toolName", name, "input", input, "providerExecuted", "true", "providerOptions", metadata),
			g.object("type", quote("tool-result"), "toolCallId", id, "toolName", name, "output", output, "providerOptions", metadata))
	}
	if st.text != "" {
		parts = append(parts, g.object("type", quote("text"), "text", quote(st.text)))
	}
	if st.hosted > 0 && g.one(4) {
		parts = append(parts, pick(g,
			g.object("type", quote("file"), "data", quote("iVBORw0KGgo="), "mediaType", quote("image/png")),
			g.object("type", quote("reasoning-file"), "data", quote("iVBORw0KGgo="), "mediaType", quote("image/png")),
			g.object("type", quote("custom"), "kind", quote("openai.compaction"), "providerOptions", g.object("openai", g.object("itemId", quote(g.id("cmp_")))))))
	}
	for _, c := range st.calls {
		parts = append(parts, g.object("type", quote("tool-call"), "toolCallId", quote(c.id), "toolName", quote(c.name), "input", c.args))
		if asks {
			parts = append(parts, g.object("type", quote("tool-approval-request"), "approvalId", quote("ap-"+c.id), "toolCallId", quote(c.id)))
		}
	}
	content := array(parts)
	if st.text != "" && len(parts) == 1 && g.one(2) {
		content = quote(st.text)
	}
	return g.object("role", quote("assistant"), "content", content)
}

// hostedTool returns a call of a tool that a provider runs, with its output as the SDK has it, and the
// provider's data about both.
func (g *gen) hostedTool() (id, name, input, output, metadata string) {
	query := g.object("query", quote(g.text()))
	result := func(value string) string { return g.object("type", quote("json"), "value", value) }
	page := g.object("type", quote("web_search_result"), "url", quote("https://example.test/"+g.id("")), "title", quote(g.text()), "pageAge", "null", "encryptedContent", quote("Eq"+g.id("")))
	switch g.IntN(6) {
	case 0:
		return quote(g.id("srvtoolu_")), quote("web_search"), query, result(array([]string{page}[:g.IntN(2)])), ""
	case 1:
		failure := g.object("type", quote("web_search_tool_result_error"), "errorCode", quote("unavailable"))
		return quote(g.id("srvtoolu_")), quote("web_search"), query, g.object("type", quote("error-json"), "value", failure), ""
	case 2:
		return quote(g.id("srvtoolu_")), quote("code_execution"), g.object("type", quote("bash_code_execution"), "command", quote(g.text())), result(g.executed("bash_code_execution_result")), ""
	case 3:
		options := g.object("anthropic", g.object("type", quote("mcp-tool-use"), "serverName", quote("tickets")))
		return quote(g.id("mcptoolu_")), quote("lookup"), query, result(array([]string{g.object("type", quote("text"), "text", quote(g.text()))})), options
	case 4:
		options := g.object("openai", g.object("itemId", quote(g.id("ws_"))))
		return quote(g.id("ws_")), quote("web_search"), "{}", result(g.object("action", g.object("type", quote("search"), "query", quote(g.text())))), options
	default:
		return quote(g.id("")), quote("code_execution"), g.object("language", quote("PYTHON"), "code", quote(g.text())), result(g.object("outcome", quote("OUTCOME_OK"), "output", quote(g.text()))), ""
	}
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
	for range st.hosted {
		id, name, input, result, metadata := g.hostedTool()
		kind, value := parse([]byte(result)).Get("type").Text(), string(parse([]byte(result)).Get("value").Raw())
		state, output, problem := quote("output-available"), value, ""
		if kind == "error-json" {
			state, output, problem = quote("output-error"), "", quote(value)
		}
		parts = append(parts, g.object("type", quote("tool-"+parse([]byte(name)).Text()), "toolCallId", id, "state", state, "input", input, "output", output, "errorText", problem,
			"providerExecuted", "true", "callProviderMetadata", metadata, "resultProviderMetadata", when(g.one(2), metadata)))
		if g.one(2) {
			parts = append(parts, pick(g,
				g.object("type", quote("source-url"), "sourceId", quote(g.id("")), "url", quote("https://example.test/"), "title", quote(g.text())),
				g.object("type", quote("source-document"), "sourceId", quote(g.id("")), "mediaType", quote("application/pdf"), "title", quote(g.text())),
				g.object("type", quote("data-weather"), "id", quote(g.id("")), "data", g.args()),
				g.object("type", quote("file"), "mediaType", quote("image/png"), "url", quote("data:image/png;base64,iVBORw0KGgo=")),
				g.object("type", quote("reasoning-file"), "mediaType", quote("image/png"), "url", quote("data:image/png;base64,iVBORw0KGgo=")),
				g.object("type", quote("custom"), "kind", quote("openai.compaction"))))
		}
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
		approval := ""
		switch {
		case c.failed || !g.rare(5):
		case g.one(2):
			approval = g.object("id", quote("ap-"+c.id), "approved", "true", "reason", when(g.one(2), quote(g.text())))
		default:
			state, output = quote("output-denied"), ""
			approval = g.object("id", quote("ap-"+c.id), "approved", "false", "reason", when(g.one(2), quote(g.text())))
		}
		if state == quote("output-available") && g.one(4) {
			output = g.object("found", output)
		}
		parts = append(parts, g.object("type", kind, "toolName", name, "toolCallId", quote(c.id), "state", state, "input", c.args, "output", output, "errorText", problem, "approval", approval))
	}
	return parts
}
