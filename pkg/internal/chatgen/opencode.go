package chatgen

import "fmt"

// opencodeSession returns an exported session of OpenCode, sometimes with a compaction, or with messages that
// were taken back.
func opencodeSession(g *gen, s scene) string {
	var all, ids []string
	asked := ""
	message := func(role, id string, about string, parts ...string) {
		ids = append(ids, id)
		info := g.object("id", quote(id), "sessionID", quote("ses_1"), "role", quote(role), "time", fmt.Sprintf(`{"created":%d}`, 1781254800000+1000*int64(len(all))),
			"parentID", when(role == "assistant", quote(asked)), "summary", when(about == "summary", "true"), "finish", when(about != "", quote("stop")))
		if role == "user" {
			asked = id
		}
		all = append(all, g.object("info", info, "parts", array(parts)))
	}
	part := func(kind string, pairs ...string) string {
		return g.object(append([]string{"id", quote(g.id("prt_")), "type", quote(kind)}, pairs...)...)
	}
	compacted := g.IntN(3 * len(s.steps))
	for i, st := range s.steps {
		if i == compacted {
			message("user", g.id("msg_"), "", part("compaction", "auto", "true"))
			message("assistant", g.id("msg_"), "summary", part("text", "text", quote(g.text())))
		}
		if st.user {
			parts := []string{part("text", "text", quote(st.text))}
			if st.image != "" {
				parts = append(parts, part("file", "mime", quote("image/png"), "url", quote("data:image/png;base64,"+st.image)))
			}
			message("user", g.id("msg_"), "", parts...)
			continue
		}
		parts := []string{part("step-start")}
		if st.reasoning != "" {
			parts = append(parts, part("reasoning", "text", quote(st.reasoning), "time", `{"start":0}`))
		}
		if st.text != "" {
			parts = append(parts, part("text", "text", quote(st.text)))
		}
		for _, c := range st.calls {
			state := g.object("status", quote("completed"), "input", c.args, "output", quote(c.result), "title", quote(""), "metadata", "{}", "time", `{"start":1,"end":2}`)
			if c.failed {
				state = g.object("status", quote("error"), "input", c.args, "error", quote(c.result), "time", `{"start":1,"end":2}`)
			}
			parts = append(parts, part("tool", "callID", quote(c.id), "tool", quote(c.name), "state", state))
		}
		message("assistant", g.id("msg_"), "stop", append(parts, part("step-finish", "reason", quote("stop"), "cost", "0.01"))...)
	}
	revert := when(g.one(4) && len(ids) > 3, g.object("messageID", quote(ids[len(ids)-1])))
	info := g.object("id", quote("ses_1"), "directory", quote("/work"), "title", quote("t"), "version", quote("1.18.34"), "revert", revert)
	return g.object("info", info, "messages", array(all))
}
