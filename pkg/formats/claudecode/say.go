package claudecode

import (
	"slices"

	"github.com/eaapl/handoff/pkg/format"
	"github.com/eaapl/handoff/pkg/jsonstream"
)

// neighbourly are the members that a new line takes from its neighbour to belong to the same
// chain.
var neighbourly = []string{"isSidechain", "agentId", "teamName", "userType", "entrypoint", "cwd", "sessionId", "session_id", "version", "gitBranch", "slug", "timestamp"}

// say returns a line of the user or the assistant. It has no parent until it is linked (see
// relink), and no uuid if like has none.
func say(like jsonstream.Value, role, text string) []byte {
	message := format.Fill(`{"role":"user","content":%}`, text)
	if role == "assistant" {
		message = format.Fill(`{"role":"assistant","content":[{"type":"text","text":%}]}`, text)
	} else {
		role = "user"
	}
	line := []byte{'{'}
	linked := !like.Exists() || like.Get("uuid").Exists()
	if linked {
		line = append(line, `"parentUuid":null`...)
	}
	for name, v := range like.Members() {
		if slices.Contains(neighbourly, name) {
			line = append(append(jsonstream.AppendComma(line), format.Fill("%:", name)...), v.Raw()...)
		}
	}
	line = append(append(jsonstream.AppendComma(line), format.Fill(`"type":%,"message":`, role)...), message...)
	if linked {
		line = append(line, format.Fill(`,"uuid":%`, format.MadeID(text))...)
	}
	return append(line, '}')
}
