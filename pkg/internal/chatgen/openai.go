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
		all = append(all, g.chatAnswer(st)...)
	}
	return all
}

// chatAnswer returns a message of the assistant, and the results of its calls.
func (g *gen) chatAnswer(st step) []string {
	content, refusal, audio := when(g.one(2), "null"), when(g.one(4), "null"), ""
	switch {
	case st.text == "":
	case st.refused && g.one(2):
		content = array([]string{g.object("type", quote("refusal"), "refusal", quote(st.text))})
	case st.refused:
		refusal = quote(st.text)
	case g.rare(12):
		audio = g.object("id", quote(g.id("audio_")))
	default:
		content = g.chatContent(st.text, "")
	}
	if len(st.calls) == 1 && g.rare(6) { // the original version of the API
		c := st.calls[0]
		call := g.object("name", quote(c.name), "arguments", quote(c.args))
		return []string{
			g.object("role", quote("assistant"), "content", content, "function_call", call, "refusal", refusal, "audio", audio),
			g.object("role", quote("function"), "name", quote(c.name), "content", quote(c.result)),
		}
	}
	var calls, all []string
	for _, c := range st.calls {
		call := g.object("id", quote(c.id), "type", quote("function"), "function", g.object("name", quote(c.name), "arguments", quote(c.args)))
		if g.rare(6) {
			call = g.object("id", quote(c.id), "type", quote("custom"), "custom", g.object("name", quote(c.name), "input", quote(c.args+"\n*** End")))
		}
		calls = append(calls, call)
	}
	all = append(all, g.object("role", quote("assistant"), "content", content, "tool_calls", when(len(calls) > 0, array(calls)), "refusal", refusal, "audio", audio))
	for _, c := range st.calls {
		all = append(all, g.object("role", quote("tool"), "tool_call_id", quote(c.id), "content", g.chatContent(c.result, "")))
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
		if g.rare(4) {
			parts = append(parts, pick(g,
				g.object("type", quote("input_audio"), "input_audio", g.object("data", quote("UklGRg=="), "format", quote("wav"))),
				g.object("type", quote("file"), "file", g.object("filename", quote("a.pdf"), "file_data", quote("data:application/pdf;base64,JVBERi0=")))))
		}
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
			if g.rare(12) {
				all = append(all, pick(g, g.object("type", quote("compaction"), "id", quote(g.id("cmp_")), "encrypted_content", quote("gAAAA"+g.id(""))),
					g.object("type", quote("item_reference"), "id", quote(g.id("msg_")))))
			}
			continue
		}
		id := func(prefix string) string { return when(st.reasoning != "", quote(g.id(prefix))) }
		if st.reasoning != "" {
			all = append(all, g.object("type", quote("reasoning"), "id", id("rs_"),
				"summary", array([]string{g.object("type", quote("summary_text"), "text", quote(st.reasoning))}),
				"encrypted_content", quote("gAAAA"+g.id(""))))
		}
		for range st.hosted {
			all = append(all, g.hostedItems()...)
		}
		if st.text != "" {
			all = append(all, g.outputMessage(st, id("msg_")))
		}
		var outputs []string
		for _, c := range st.calls {
			call, output := g.callItem(c, id)
			all, outputs = append(all, call), append(outputs, output)
		}
		all = append(all, outputs...)
	}
	return all
}

// outputMessage returns an assistant message: as output by a model or, without an id, in the short
// form that the API accepts.
func (g *gen) outputMessage(st step, id string) string {
	if id == "" && !st.refused && g.one(2) {
		return g.object("role", quote("assistant"), "content", quote(st.text))
	}
	if id == "" {
		id = quote(g.id("msg_"))
	}
	part := g.object("type", quote("refusal"), "refusal", quote(st.text))
	if !st.refused {
		citation := g.object("type", quote("url_citation"), "start_index", "0", "end_index", "1", "title", quote(g.text()), "url", quote("https://example.test/"+g.id("")))
		part = g.object("type", quote("output_text"), "text", quote(st.text), "annotations", array([]string{citation}[:min(st.hosted, g.IntN(2))]))
	}
	return g.object("type", quote("message"), "id", id, "role", quote("assistant"), "status", quote("completed"), "content", array([]string{part}))
}

// callItem returns the item of a call by the client, and that of its output.
func (g *gen) callItem(c call, id func(prefix string) string) (call, output string) {
	item := func(kind, prefix string, members ...string) string {
		return g.object(append([]string{"type", quote(kind), "id", when(prefix != "", id(prefix)), "call_id", quote(c.id)}, members...)...)
	}
	result := quote(c.result)
	if c.result != "" && g.one(4) {
		result = array([]string{g.object("type", quote("input_text"), "text", quote(c.result))})
	}
	command := array([]string{quote("ls"), quote(c.name)})
	switch kind := g.IntN(12); {
	case g.ordinary:
	case kind == 0:
		return item("custom_tool_call", "ctc_", "name", quote(c.name), "input", quote(c.args+"\n*** End")), item("custom_tool_call_output", "", "output", result)
	case kind == 1:
		return g.object("type", quote("local_shell_call"), "id", quote(g.id("lsh_")), "call_id", quote(c.id), "status", quote("completed"),
				"action", g.object("type", quote("exec"), "command", command, "env", "{}")),
			g.object("type", quote("local_shell_call_output"), "id", quote(c.id), "output", quote(c.result))
	case kind == 2:
		outcome := pick(g, g.object("type", quote("exit"), "exit_code", "1"), g.object("type", quote("timeout")))
		return item("shell_call", "sh_", "action", g.object("commands", command), "status", quote("completed")),
			item("shell_call_output", "", "output", array([]string{g.object("stdout", quote(c.result), "stderr", quote(""), "outcome", outcome)}))
	case kind == 3:
		operation := pick(g, g.object("type", quote("delete_file"), "path", quote("a")), g.object("type", quote("update_file"), "path", quote("a"), "diff", quote("@@")))
		return item("apply_patch_call", "apc_", "operation", operation, "status", quote("completed")),
			item("apply_patch_call_output", "", "status", quote(pick(g, "completed", "failed")), "output", quote(c.result))
	case kind == 4:
		return g.object("type", quote("computer_call"), "id", quote(g.id("cu_")), "call_id", quote(c.id), "action", g.object("type", quote("screenshot")), "pending_safety_checks", "[]", "status", quote("completed")),
			item("computer_call_output", "", "output", g.object("type", quote("computer_screenshot"), "image_url", quote("data:image/png;base64,iVBORw0KGgo=")))
	}
	return item("function_call", "fc_", "name", quote(c.name), "arguments", quote(c.args), "status", when(g.one(2), quote("completed"))),
		item("function_call_output", "", "output", result)
}

// hostedItems returns the items of a tool that the API ran.
func (g *gen) hostedItems() []string {
	completed, name, args, label := quote("completed"), quote("lookup"), quote(g.args()), quote("tickets")
	item := func(kind, prefix string, members ...string) string {
		return g.object(append([]string{"type", quote(kind), "id", quote(g.id(prefix))}, members...)...)
	}
	switch g.IntN(9) {
	case 0, 1:
		action := pick(g,
			g.object("type", quote("search"), "query", quote(g.text()), "queries", when(g.one(2), array([]string{quote(g.text())}))),
			g.object("type", quote("open_page"), "url", quote("https://example.test/")),
			g.object("type", quote("find_in_page"), "url", quote("https://example.test/"), "pattern", quote(g.text())))
		return []string{item("web_search_call", "ws_", "status", completed, "action", action)}
	case 2:
		results := array([]string{g.object("file_id", quote("file-1"), "filename", quote("a.txt"), "score", "0.5", "text", quote(g.text()))})
		return []string{item("file_search_call", "fs_", "status", completed, "queries", array([]string{quote(g.text())}), "results", pick(g, "null", results))}
	case 3:
		outputs := array([]string{g.object("type", quote("logs"), "logs", quote(g.text()))})
		return []string{item("code_interpreter_call", "ci_", "status", completed, "code", quote(g.text()), "container_id", quote(g.id("cntr_")), "outputs", pick(g, "null", outputs))}
	case 4:
		return []string{item("image_generation_call", "ig_", "status", completed, "result", pick(g, "null", quote("iVBORw0KGgo=")))}
	case 5:
		tools := array([]string{g.object("name", name, "input_schema", `{"type":"object"}`)})
		return []string{item("mcp_list_tools", "mcpl_", "server_label", label, "tools", tools),
			item("mcp_call", "mcp_", "name", name, "arguments", args, "server_label", label, "output", quote(g.text()))}
	case 6:
		return []string{item("mcp_call", "mcp_", "name", name, "arguments", args, "server_label", label, "output", "null", "error", g.object("type", quote("mcp_tool_execution_error"), "content", array([]string{g.object("type", quote("text"), "text", quote(g.text()))})))}
	case 7:
		asked := item("mcp_approval_request", "mcpr_", "name", name, "arguments", args, "server_label", label)
		id := quote(parse([]byte(asked)).Get("id").Text())
		answer := func(approve, reason string) string {
			return g.object("type", quote("mcp_approval_response"), "approval_request_id", id, "approve", approve, "reason", reason)
		}
		if g.one(2) {
			return []string{asked, answer("false", when(g.one(2), quote(g.text())))}
		}
		return []string{asked, answer("true", ""), item("mcp_call", "mcp_", "name", name, "arguments", args, "server_label", label, "output", quote(g.text()), "approval_request_id", id)}
	default:
		tools := array([]string{g.object("type", quote("function"), "name", quote("search"), "parameters", "{}", "strict", "false")})
		return []string{item("tool_search_call", "tsc_", "call_id", "null", "execution", quote("server"), "status", completed, "arguments", "{}"),
			item("tool_search_output", "tso_", "call_id", "null", "execution", quote("server"), "status", completed, "tools", tools)}
	}
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
