// Package langchain supports the serialized messages of LangChain: as an array, in the state
// of a LangGraph graph, or in a Command that updates a state.
package langchain

import (
	"github.com/eaapl/handoff/pkg/conversation"
	"github.com/eaapl/handoff/pkg/finding"
	"github.com/eaapl/handoff/pkg/format"
	"github.com/eaapl/handoff/pkg/jsonstream"
	"github.com/eaapl/handoff/schemas"
)

// Format describes the messages of LangChain.
var Format = format.Descriptor{
	Name:   format.LangChain,
	System: "langchain",
	Title:  "LangChain",
	Kind:   "LangChain messages",

	Members: []string{"lg_name", "goto", "active_agent", "remaining_steps", "llm_input_messages"},
	Known:   &format.Elements{List: messagesIn, Fit: fit, Trail: newTrail, Undoes: undoes},
	Needs:   []string{"messages", "update", "values"},

	Schema:  schemas.LangChain,
	Rules:   rules.All,
	Reasons: []finding.Reason{InvalidChatHistory},
	Check:   rules.Check,

	Client: format.Client{KeepsOrder: true}, // @langchain/anthropic 1.5.11

	Carriers: carried,
	Carries:  format.LangChain,
	Turns:    []string{"messages"},
	Sections: true,
	Profile:  profile,

	Keys: []format.Key{
		{Arrays: [][]string{{}, {"messages"}, {"update", "messages"}}, Members: []string{"type", "id"}}, // of flat messages
		{Arrays: [][]string{{}, {"messages"}, {"update", "messages"}}, Members: []string{"tool_call_id"}},
	},

	Say: say,

	Exchange: codec,
}

// messagesIn returns the messages in a state, in the update of a Command, in a snapshot, or in
// an array.
func messagesIn(root jsonstream.Value) jsonstream.Value {
	if list := held(root).Get("messages"); list.Kind() == jsonstream.Array {
		return list
	}
	return format.ListIn("messages")(root)
}

// held returns the state in a Command's update or in a thread's snapshot; absent if root is
// itself a state.
func held(root jsonstream.Value) jsonstream.Value {
	if root.Get("messages").Exists() {
		return jsonstream.Value{}
	}
	for _, name := range []string{"values", "update"} {
		if state := root.Get(name); state.Kind() == jsonstream.Object {
			return state
		}
	}
	return jsonstream.Value{}
}

func carried(root jsonstream.Value) []format.Carrier {
	if state := held(root); state.Exists() {
		return []format.Carrier{{Value: state, JSON: true}}
	}
	return nil
}

// fit classifies a value as a message. LangChain reads messages with a role, but does not
// write them.
func fit(v jsonstream.Value) format.Fit {
	role := v.Get("role")
	switch {
	case role.Exists() && v.Get("content").Exists() && !v.Get("parts").Exists() && !v.Get("lc").Exists():
		return format.Possible
	case !role.Exists() && v.Get("type").Exists() && conversation.Role(v) != "" && (v.Get("content").Exists() || v.Get("content_blocks").Exists() || v.Get("data").Exists()),
		v.Get("lc").Exists() && v.Get("kwargs").Exists():
		return format.Typical
	default:
		return format.Foreign
	}
}
