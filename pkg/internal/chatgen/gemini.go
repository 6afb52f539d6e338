package chatgen

import "strings"

func geminiArray(g *gen, s scene) string { return array(g.contents(s)) }

func geminiBody(g *gen, s scene) string {
	name := pick(g, "systemInstruction", "system_instruction")
	return g.object(name, when(s.system != "", g.object("parts", array([]string{g.object("text", quote(s.system))}))),
		"contents", array(g.contents(s)),
		"generationConfig", when(g.one(2), `{"temperature":0.2,"maxOutputTokens":1024}`),
		"tools", when(g.one(2), array([]string{g.object("functionDeclarations", array([]string{g.object("name", quote("search"), "description", quote(g.text()))}))})))
}

// geminiPython returns contents with names as Python writes them.
func geminiPython(g *gen, s scene) string {
	return strings.NewReplacer(`"functionCall":`, `"function_call":`, `"functionResponse":`, `"function_response":`, `"inlineData":`, `"inline_data":`, `"fileData":`, `"file_data":`,
		`"mimeType":`, `"mime_type":`, `"fileUri":`, `"file_uri":`, `"thoughtSignature":`, `"thought_signature":`, `"executableCode":`, `"executable_code":`,
		`"codeExecutionResult":`, `"code_execution_result":`, `"toolCall":`, `"tool_call":`, `"toolResponse":`, `"tool_response":`, `"toolType":`, `"tool_type":`).Replace(geminiArray(g, s))
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
			if g.rare(8) {
				parts = append(parts, g.object("fileData", g.object("mimeType", quote("image/png"), "fileUri", quote("https://example.test/a.png"))))
			}
			all = append(all, turn{"user", array(parts)})
			continue
		}
		var parts, results []string
		if st.reasoning != "" {
			parts = append(parts, g.object("text", quote(st.reasoning), "thought", "true"))
		}
		for range st.hosted {
			parts = append(parts, g.hostedParts()...)
		}
		if st.text != "" {
			parts = append(parts, g.object("text", quote(st.text), "thoughtSignature", when(g.rare(3), quote("CiQC"))))
		}
		for i, c := range st.calls {
			id := when(withIDs, quote(c.id))
			parts = append(parts, g.object("functionCall", g.object("id", id, "name", quote(c.name), "args", c.args),
				"thoughtSignature", when(i == 0, quote("CiQB"))))
			member := "output"
			if c.failed {
				member = "error"
			}
			if !c.failed && g.rare(4) {
				member = "result"
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

// hostedParts returns the parts of a tool that the API ran, or of an image that the model made.
func (g *gen) hostedParts() []string {
	switch id := when(g.one(2), quote(g.id(""))); g.IntN(3) {
	case 0:
		return []string{g.object("inlineData", g.object("mimeType", quote("image/png"), "data", quote("iVBORw0KGgo=")))}
	case 1:
		id = quote(g.id(""))
		return []string{
			g.object("toolCall", g.object("id", id, "toolType", quote("GOOGLE_SEARCH_WEB"), "args", g.object("queries", array([]string{quote(g.text())}))), "thoughtSignature", quote("CiQD")),
			g.object("toolResponse", g.object("id", id, "toolType", quote("GOOGLE_SEARCH_WEB"), "response", g.object("found", quote(g.text()))))}
	default:
		result := g.object("codeExecutionResult", g.object("id", id, "outcome", quote(pick(g, "OUTCOME_OK", "OUTCOME_FAILED")), "output", quote(g.text())))
		return []string{g.object("executableCode", g.object("id", id, "language", quote("PYTHON"), "code", quote(g.text()))), result, result}[:2+g.IntN(2)] // of one code, several
	}
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
