// Package sessiontest makes up sessions of coding agents for tests.
package sessiontest

import (
	"fmt"
	"math/rand/v2"
	"strings"

	"github.com/go-json-experiment/json"

	"github.com/eaapl/handoff/pkg/session"
)

// Make returns a session of an agent. Its text depends only on the agent and the seed. It panics if the agent is
// unknown.
func Make(agent session.Agent, seed int) string {
	s := &story{Rand: rand.New(rand.NewPCG(uint64(seed), 7))}
	switch agent {
	case session.ClaudeCode:
		return claudeSession(s)
	case session.Codex:
		return codexSession(s)
	case session.GeminiCLI:
		return geminiSession(s)
	case session.OpenCode:
		return opencodeSession(s)
	case session.CopilotCLI:
		return copilotSession(s)
	}
	panic(fmt.Sprintf("the sessions of the agent %q are unknown", agent))
}

// A story makes up a session of an agent. Each text in it has a number of its own. It draws every type of record that
// the store of the agent has, in orders that the agent writes.
type story struct {
	*rand.Rand
	last  int // the last number
	lines []string
}

type object = map[string]any

// text returns a new text that begins with a word.
func (s *story) text(word string) string {
	s.last++
	return fmt.Sprintf("%s %d.", word, s.last)
}

// one reports true in one of n cases.
func (s *story) one(n int) bool { return s.IntN(n) == 0 }

// id returns a new id.
func (s *story) id(prefix string) string {
	s.last++
	return fmt.Sprintf("%s%d", prefix, s.last)
}

// add adds a line.
func (s *story) add(line any) { s.lines = append(s.lines, encode(line)) }

func encode(v any) string {
	text, err := json.Marshal(v, json.Deterministic(true))
	if err != nil {
		panic(err) // impossible: it was made here
	}
	return string(text)
}

// damage cuts off a line that is no turn, or adds one that is no JSON.
func (s *story) damage() {
	s.lines = append(s.lines, []string{`{"type":"prog`, "\x00\x00\x00", "", "not JSON", "[1]", "null"}[s.IntN(6)])
}

func (s *story) file() string { return strings.Join(s.lines, "\n") + "\n" }

// pick returns one of the arguments.
func pick[T any](s *story, of ...T) T { return of[s.IntN(len(of))] }

const image = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="
