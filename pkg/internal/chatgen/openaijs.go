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
		for range st.hosted {
			all = append(all, g.hostedAgentItems()...)
		}
		if st.text != "" {
			part := g.object("type", quote("output_text"), "text", quote(st.text))
			if st.refused {
				part = g.object("type", quote("refusal"), "refusal", quote(st.text))
			}
			all = append(all, g.object("type", quote("message"), "id", when(st.reasoning != "" || g.one(2), quote(g.id("msg_"))), "role", quote("assistant"),
				"status", quote("completed"), "content", array([]string{part})))
		}
		var outputs []string
		for _, c := range st.calls {
			call, output := g.callAgentItem(c, when(st.reasoning != "", quote(g.id("fc_"))))
			all, outputs = append(all, call), append(outputs, output)
		}
		all = append(all, outputs...)
	}
	return all
}

// callAgentItem returns the item of a call by the client, and that of its result.
func (g *gen) callAgentItem(c call, id string) (call, result string) {
	completed := quote("completed")
	item := func(kind string, members ...string) string {
		return g.object(append([]string{"type", quote(kind), "callId", quote(c.id)}, members...)...)
	}
	switch g.IntN(10) {
	case 0:
		outcome := pick(g, g.object("type", quote("exit"), "exitCode", "1"), g.object("type", quote("timeout")))
		return item("shell_call", "action", g.object("commands", array([]string{quote("ls"), quote(c.name)})), "status", completed),
			item("shell_call_output", "output", array([]string{g.object("stdout", quote(c.result), "stderr", quote(""), "outcome", outcome)}))
	case 1:
		operation := pick(g, g.object("type", quote("delete_file"), "path", quote("a")), g.object("type", quote("update_file"), "path", quote("a"), "diff", quote("@@")))
		return item("apply_patch_call", "operation", operation, "status", completed), item("apply_patch_call_output", "status", completed, "output", quote(c.result))
	case 2:
		return item("computer_call", "action", g.object("type", quote("screenshot")), "status", completed),
			item("computer_call_result", "output", g.object("type", quote("computer_screenshot"), "data", quote("data:image/png;base64,iVBORw0KGgo=")))
	}
	output := g.object("type", quote("text"), "text", quote(c.result))
	if g.one(4) {
		output = pick(g, quote(c.result), array([]string{g.object("type", quote("input_text"), "text", quote(c.result))}))
	}
	return item("function_call", "id", id, "name", quote(c.name), "arguments", quote(c.args), "status", when(g.one(2), completed)),
		item("function_call_result", "name", quote(c.name), "status", completed, "output", output)
}

// hostedAgentItems returns the items of a tool that the API ran.
func (g *gen) hostedAgentItems() []string {
	completed := quote("completed")
	hosted := func(prefix, name string, members ...string) string {
		return g.object(append([]string{"type", quote("hosted_tool_call"), "id", quote(g.id(prefix)), "name", quote(name), "status", completed}, members...)...)
	}
	switch g.IntN(4) {
	case 0:
		action := g.object("type", quote("search"), "query", quote(g.text()))
		return []string{hosted("ws_", "web_search_call", "providerData", g.object("type", quote("web_search_call"), "action", action))}
	case 1:
		outputs := array([]string{g.object("type", quote("logs"), "logs", quote(g.text()))})
		return []string{hosted("ci_", "code_interpreter_call", "providerData", g.object("type", quote("code_interpreter_call"), "code", quote(g.text()), "container_id", quote("c"), "outputs", outputs))}
	case 2:
		data := g.object("type", quote("mcp_call"), "server_label", quote("tickets"), "name", quote("lookup"), "arguments", quote("{}"))
		return []string{hosted("mcp_", "lookup", "arguments", quote("{}"), "output", quote(g.text()), "providerData", data)}
	default:
		tools := array([]string{g.object("type", quote("function"), "name", quote("search"), "parameters", "{}", "strict", "false")})
		return []string{g.object("type", quote("tool_search_call"), "id", quote(g.id("tsc_")), "status", completed, "arguments", "{}", "execution", quote("server")),
			g.object("type", quote("tool_search_output"), "id", quote(g.id("tso_")), "status", completed, "tools", tools, "execution", quote("server"))}
	}
}
