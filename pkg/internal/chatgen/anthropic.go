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
	results, late := []string(nil), ""
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
		var message string
		message, late = g.assistantMessage(st, late)
		all = append(all, message)
		for _, c := range st.calls {
			content := quote(c.result)
			switch {
			case c.result == "" && c.failed: // the API rejects it
				content = quote("failed")
			case c.result == "" && g.one(2):
				content = ""
			case c.result != "" && g.one(3) && (g.ordinary || c.failed):
				content = array([]string{g.object("type", quote("text"), "text", quote(c.result))})
			case c.result != "" && !c.failed && g.rare(3):
				content = array([]string{g.object("type", quote("text"), "text", quote(c.result)), pick(g, g.image("url"), g.searchResult(), g.document())}[:1+g.IntN(2)])
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
	if g.rare(4) {
		blocks = append(blocks, pick(g, g.image("url"), g.searchResult(), g.document(), g.object("type", quote("container_upload"), "file_id", quote(g.id("file_")))))
	}
	return blocks
}

func (g *gen) image(kind string) string {
	return g.object("type", quote("image"), "source", g.object("type", quote(kind), "url", quote("https://example.test/"+g.id("")+".png")))
}

func (g *gen) searchResult() string {
	return g.object("type", quote("search_result"), "source", quote("https://example.test/"+g.id("")), "title", quote(g.text()),
		"content", array([]string{g.object("type", quote("text"), "text", quote(g.text()))}))
}

func (g *gen) document() string {
	source := pick(g, g.object("type", quote("text"), "media_type", quote("text/plain"), "data", quote(g.text())),
		g.object("type", quote("base64"), "media_type", quote("application/pdf"), "data", quote("JVBERi0xLjQK")))
	return g.object("type", quote("document"), "source", source, "title", when(g.one(2), quote(g.text())))
}

// assistantMessage returns a message that begins with the late result of a call of an earlier message, and
// the late result that it leaves: of code that the provider runs, and that calls tools of the client.
func (g *gen) assistantMessage(st step, late string) (message, next string) {
	var blocks []string
	if late != "" {
		blocks = append(blocks, late)
	}
	switch signature := "Eq" + g.id(""); {
	case st.reasoning != "" && late != "": // thinking stands first
	case st.reasoning != "" && g.rare(6):
		blocks = append(blocks, g.object("type", quote("redacted_thinking"), "data", quote(signature+"AA"))) // base64, as in the API
	case st.reasoning != "":
		blocks = append(blocks, g.object("type", quote("thinking"), "thinking", quote(st.reasoning), "signature", quote(signature)))
	}
	for range st.hosted {
		blocks = append(blocks, g.serverTool()...)
	}
	if st.text != "" {
		blocks = append(blocks, g.object("type", quote("text"), "text", quote(st.text), "citations", when(st.hosted > 0 && g.one(2), g.citations())))
	}
	caller := ""
	if len(st.calls) > 0 && g.rare(6) {
		use, result := g.serverCode()
		blocks, next = append(blocks, use), result
		caller = g.object("type", quote("code_execution_20250825"), "tool_id", quote(parse([]byte(use)).Get("id").Text()))
	}
	for _, c := range st.calls {
		blocks = append(blocks, g.object("type", quote("tool_use"), "id", quote(c.id), "name", quote(c.name), "input", c.args, "caller", caller))
	}
	content := array(blocks)
	if st.text != "" && len(blocks) == 1 && g.one(2) {
		content = quote(st.text)
	}
	return g.object("role", quote("assistant"), "content", content), next
}

func (g *gen) serverUse(kind, id, name, input, server string) string {
	return g.object("type", quote(kind), "id", quote(id), "name", quote(name), "server_name", when(server != "", quote(server)), "input", input)
}

// serverCode returns a call of code execution, and its result.
func (g *gen) serverCode() (use, result string) {
	id := g.id("srvtoolu_")
	return g.serverUse("server_tool_use", id, "code_execution", g.object("code", quote(g.text())), ""),
		g.object("type", quote("code_execution_tool_result"), "tool_use_id", quote(id), "content", g.executed("code_execution_result"))
}

func (g *gen) executed(kind string) string {
	return g.object("type", quote(kind), "stdout", quote(g.text()), "stderr", quote(pick(g, "", g.text())), "return_code", pick(g, "0", "1"), "content", "[]")
}

// serverTool returns a call of a server tool, and its result.
func (g *gen) serverTool() []string {
	id, kind, name, server := g.id("srvtoolu_"), "server_tool_use", "", ""
	query := g.object("query", quote(g.text()))
	var input, content, result, failed string
	switch g.IntN(7) {
	case 0, 1:
		name, input, content = "web_search", query, g.webResults()
	case 2:
		url := quote("https://example.test/" + g.id(""))
		name, input = "web_fetch", g.object("url", url)
		content = g.object("type", quote("web_fetch_result"), "url", url, "content", g.document(), "retrieved_at", pick(g, "null", quote("2026-11-02T10:00:00Z")))
	case 3:
		use, result := g.serverCode()
		return []string{use, result}
	case 4:
		name, input, content = "bash_code_execution", g.object("command", quote(g.text())), g.executed("bash_code_execution_result")
	case 5:
		if g.one(2) {
			name, input = "text_editor_code_execution", g.object("command", quote("view"), "path", quote("a.txt"))
			content = g.object("type", quote("text_editor_code_execution_view_result"), "file_type", quote("text"), "content", quote(g.text()), "num_lines", "1", "start_line", "1", "total_lines", "1")
			break
		}
		name, input, result = "tool_search_tool_"+pick(g, "regex", "bm25"), query, "tool_search_tool_result"
		content = g.object("type", quote("tool_search_tool_search_result"), "tool_references", array([]string{g.object("type", quote("tool_reference"), "tool_name", quote("search"))}))
	case 6:
		id, kind, name, server, input, result = g.id("mcptoolu_"), "mcp_tool_use", "lookup", "tickets", query, "mcp_tool_result"
		content, failed = array([]string{g.object("type", quote("text"), "text", quote(g.text()))}), pick(g, "false", "true")
	}
	if result == "" {
		result = name + "_tool_result"
	}
	if server == "" && g.one(6) {
		content = g.object("type", quote(result+"_error"), "error_code", quote("unavailable"))
	}
	return []string{g.serverUse(kind, id, name, input, server), g.object("type", quote(result), "tool_use_id", quote(id), "is_error", failed, "content", content)}
}

func (g *gen) webResults() string {
	var results []string
	for range g.IntN(3) {
		results = append(results, g.object("type", quote("web_search_result"), "url", quote("https://example.test/"+g.id("")), "title", quote(g.text()),
			"encrypted_content", quote("Eq"+g.id("")), "page_age", pick(g, "null", quote("2 days ago"))))
	}
	return array(results)
}

func (g *gen) citations() string {
	return array([]string{g.object("type", quote("web_search_result_location"), "url", quote("https://example.test/"+g.id("")), "title", quote(g.text()),
		"encrypted_index", quote("Eo"+g.id("")), "cited_text", quote(g.text()))})
}

func (g *gen) cached() string { return g.object("type", quote("ephemeral")) }
