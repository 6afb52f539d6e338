package chatgen

func a2aTask(g *gen, s scene) string    { return g.task(s, current) }
func a2aOldTask(g *gen, s scene) string { return g.task(s, old) }

func a2aMessage(g *gen, s scene) string {
	return g.a2aMessages(s, current, g.id("ctx-"), g.id("task-"))[0]
}
func a2aOldMessage(g *gen, s scene) string {
	return g.a2aMessages(s, old, g.id("ctx-"), g.id("task-"))[0]
}

func a2aRequest(g *gen, s scene) string {
	return g.object("jsonrpc", quote("2.0"), "id", "1", "method", quote("SendMessage"),
		"params", g.object("message", a2aMessage(g, s), "configuration", when(g.one(2), `{"acceptedOutputModes":["text/plain"]}`)))
}

func a2aResponse(g *gen, s scene) string {
	return g.object("jsonrpc", quote("2.0"), "id", "1", "result", g.object("task", a2aTask(g, s)))
}

func a2aOldResponse(g *gen, s scene) string {
	return g.object("jsonrpc", quote("2.0"), "id", quote("r-1"), "result", a2aOldTask(g, s))
}

// A dialect is a version of A2A.
type dialect struct {
	user, agent, state string
	kinds              bool // tasks, messages and parts have a kind
}

var (
	current = dialect{user: "ROLE_USER", agent: "ROLE_AGENT", state: "TASK_STATE_INPUT_REQUIRED"}
	old     = dialect{user: "user", agent: "agent", state: "input-required", kinds: true}
)

// a2aMessages returns the texts as messages. Agents do not show each other their calls, but may
// send results as data.
func (g *gen) a2aMessages(s scene, d dialect, contextID, taskID string) (all []string) {
	kind := func(name string) string { return when(d.kinds, quote(name)) }
	for _, st := range s.steps {
		role := d.agent
		if st.user {
			role = d.user
		}
		var parts []string
		if st.text != "" {
			parts = append(parts, g.object("kind", kind("text"), "text", quote(st.text)))
		}
		for _, c := range st.calls {
			parts = append(parts, g.object("kind", kind("data"), "data", g.object("tool", quote(c.name), "result", quote(c.result))))
		}
		switch {
		case st.image != "" && d.kinds:
			parts = append(parts, g.object("kind", quote("file"), "file", g.object("name", quote("a.png"), "mimeType", quote("image/png"), "bytes", quote(st.image))))
		case st.image != "":
			parts = append(parts, g.object("raw", quote(st.image), "mediaType", quote("image/png"), "filename", quote("a.png")))
		}
		all = append(all, g.object("kind", kind("message"), "messageId", quote(g.id("m-")), "contextId", quote(contextID), "taskId", quote(taskID),
			"role", quote(role), "parts", array(parts)))
	}
	return all
}

func (g *gen) task(s scene, d dialect) string {
	contextID, taskID := g.id("ctx-"), g.id("task-")
	artifact := g.object("artifactId", quote(g.id("a-")), "name", quote("report"),
		"parts", array([]string{g.object("kind", when(d.kinds, quote("text")), "text", quote(g.text()))}))
	return g.object("kind", when(d.kinds, quote("task")), "id", quote(taskID), "contextId", quote(contextID),
		"status", g.object("state", quote(d.state), "timestamp", quote("2026-11-02T10:00:00Z")),
		"history", array(g.a2aMessages(s, d, contextID, taskID)),
		"artifacts", when(g.one(2), array([]string{artifact})))
}
