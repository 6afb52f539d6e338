// Package chatgen generates histories for tests: conversations of users, assistants and tools in
// the chat formats, as APIs and libraries write them.
package chatgen

import (
	"fmt"
	"math/rand/v2"

	"github.com/eaapl/handoff/pkg/format"
)

// A writer writes a scene in one form of a format.
type writer func(g *gen, s scene) string

// forms are the forms of each format, by their names.
var forms = map[format.Format][]form{
	format.OpenAIChat: {
		{"array", chatArray}, {"object", chatObject}, {"body", chatBody},
	},
	format.OpenAIResponses: {
		{"array", responsesArray}, {"body", responsesBody},
	},
	format.OpenAIJS: {
		{"array", agentItems}, {"object", agentHistory}, {"handoff", agentHandoff},
	},
	format.Anthropic: {
		{"array", anthropicArray}, {"object", anthropicObject}, {"body", anthropicBody},
	},
	format.LangChain: {
		{"constructor", constructors}, {"stored", storedDicts}, {"flat", flatMessages}, {"state", graphState}, {"command", graphCommand},
	},
	format.AISDK: {
		{"model", modelMessages}, {"model object", modelObject}, {"ui", uiMessages}, {"ui object", uiObject},
	},
	format.Gemini: {
		{"contents", geminiArray}, {"python", geminiPython}, {"body", geminiBody}, {"events", adkEvents}, {"session", adkSession},
	},
	format.BedrockConverse: {
		{"array", converseArray}, {"body", converseBody},
	},
	format.PydanticAI:     {{"array", pydanticMessages}},
	format.AgentFramework: {{"array", agentMessages}},
	format.OpenCode:       {{"export", opencodeSession}},
	format.A2A: {
		{"task", a2aTask}, {"message", a2aMessage}, {"request", a2aRequest}, {"response", a2aResponse},
		{"task 0.3", a2aOldTask}, {"message 0.3", a2aOldMessage}, {"response 0.3", a2aOldResponse},
	},
}

type form struct {
	name  string
	write writer
}

// Forms returns the names of the forms in which histories of a format are generated, the bare list
// of turns first if there is one. It panics if there are none.
func Forms(f format.Format) []string {
	if len(forms[f]) == 0 {
		panic(fmt.Sprintf("chatgen: no histories of %q", f))
	}
	var names []string
	for _, form := range forms[f] {
		names = append(names, form.name)
	}
	return names
}

// History returns a random history of a format in one of its [Forms], as JSON. It begins with a
// system or user turn and ends with a user turn or results. Every call has one result, directly
// after it, and the provider would accept the whole history. Except for openai-chat, a history has
// a turn that identifies its format.
func History(r *rand.Rand, f format.Format) []byte {
	names := Forms(f)
	return HistoryIn(r, f, names[r.IntN(len(names))])
}

// HistoryIn returns a history in one of the [Forms] of its format. It panics if there is no such
// form.
func HistoryIn(r *rand.Rand, f format.Format, name string) []byte {
	return historyIn(r, f, name, false)
}

// OrdinaryIn is HistoryIn for histories with only texts, images, reasoning, calls and results, which other
// formats have too.
func OrdinaryIn(r *rand.Rand, f format.Format, name string) []byte {
	return historyIn(r, f, name, true)
}

func historyIn(r *rand.Rand, f format.Format, name string, ordinary bool) []byte {
	for _, form := range forms[f] {
		if form.name == name {
			g := &gen{Rand: r, shuffled: r.IntN(4) == 0, ordinary: ordinary}
			return []byte(form.write(g, g.scene(f != format.OpenAIChat)))
		}
	}
	panic(fmt.Sprintf("chatgen: %q has no form %q", f, name))
}
