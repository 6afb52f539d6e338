package session

import (
	"slices"

	"github.com/eaapl/handoff/pkg/formats/codex"
	"github.com/eaapl/handoff/pkg/formats/copilotcli"
	"github.com/eaapl/handoff/pkg/jsonstream"
)

// A Cause is the reason why a turn in a file is not part of the conversation.
type Cause string

// The causes, in the order in which [Session].Omissions has them.
const (
	BeforeCompaction Cause = "before-compaction" // a compaction replaced it
	RolledBack       Cause = "rolled-back"       // the user took it back
	OtherBranch      Cause = "other-branch"      // the conversation went on beside it
	Unreachable      Cause = "unreachable"       // no link leads to it
	SubAgent         Cause = "sub-agent"         // it is of a sub-agent or a team mate
	Replaced         Cause = "replaced"          // a later line has its id
	ByProgram        Cause = "by-program"        // the agent's program wrote it in the user's name
	Unsent           Cause = "unsent"            // the user typed it, and no reply follows
	Failed           Cause = "failed"            // it is part of a response that an error ended
	OtherAgent       Cause = "other-agent"       // the line is of another agent's session
)

var causes = []Cause{BeforeCompaction, RolledBack, OtherBranch, Unreachable, SubAgent, Replaced, ByProgram, Unsent, Failed, OtherAgent}

// Describe returns the words that follow a number of turns with the cause.
func (c Cause) Describe() string {
	switch c {
	case BeforeCompaction:
		return "before a compaction"
	case RolledBack:
		return "taken back by the user"
	case OtherBranch:
		return "on other branches"
	case Unreachable:
		return "that cannot be reached"
	case SubAgent:
		return "of sub-agents"
	case Replaced:
		return "replaced by a later line"
	case ByProgram:
		return "written by the program in the user's name"
	case Unsent:
		return "not sent to the agent"
	case Failed:
		return "of responses that an error ended"
	default:
		return "of another agent"
	}
}

// An Omission counts turns in the file that are not part of the conversation. The turns of the conversation
// and of all omissions are all turns that can be read.
type Omission struct {
	Cause Cause
	Turns int
	Lines []int // of the first turns, 1-based, ascending; a line may have several turns
}

// isStrange reports whether a line is a turn in the session of another agent.
func isStrange(root jsonstream.Value, agent Agent) bool {
	switch of := agentOf(root); {
	case of == agent:
	case of == CopilotCLI:
		event, _ := copilotcli.NewLog(nil).EventOf(root)
		return event.Speaks
	case of == OpenCode:
		return root.Get("messages").Len() > 0
	case of == ClaudeCode:
		return root.Get("message").Exists() || root.At("/attachment/prompt").Exists()
	case of == Codex:
		_, payload := payloadOf(root)
		return codex.IsTurn(payload)
	case of == "":
		kind := root.Get("type").Text()
		return root.Get("id").Kind() == jsonstream.String && root.Get("content").Exists() && (kind == "user" || kind == "gemini")
	}
	return false
}

// maxOmitted is the maximum number of lines in an omission.
const maxOmitted = 1000

// omit counts a turn that is not part of the conversation.
func (s *Session) omit(cause Cause, line int) {
	i, known := slices.BinarySearchFunc(s.Omissions, cause, func(o Omission, c Cause) int {
		return slices.Index(causes, o.Cause) - slices.Index(causes, c)
	})
	if !known {
		s.Omissions = slices.Insert(s.Omissions, i, Omission{Cause: cause})
	}
	o := &s.Omissions[i]
	if o.Turns++; len(o.Lines) < maxOmitted {
		at, _ := slices.BinarySearch(o.Lines, line)
		o.Lines = slices.Insert(o.Lines, at, line)
	}
}

// include removes the count of omitted turns with a cause, because they are part of the conversation.
func (s *Session) include(cause Cause) {
	s.Omissions = slices.DeleteFunc(s.Omissions, func(o Omission) bool { return o.Cause == cause })
}
