package chatgen

import (
	"encoding/base64"
	"fmt"
	"math/rand/v2"
	"strings"
)

// A scene is a conversation independent of any format.
type scene struct {
	system string // "" for none
	steps  []step
}

// A step is a user turn, or an assistant turn with the results of its calls.
type step struct {
	user      bool
	text      string // "" for an assistant turn with only calls
	image     string // the user's PNG in base64, "" for none
	reasoning string
	hosted    int  // the number of calls that the provider ran before the text
	refused   bool // the text is a refusal
	calls     []call
}

// A call is a call to a tool with its result.
type call struct {
	id, name string
	args     string // a JSON object
	result   string
	failed   bool
}

// A gen generates scenes and histories.
type gen struct {
	*rand.Rand
	shuffled bool // members of objects are shuffled
	ordinary bool // only of texts, images, reasoning, calls and results
	ids      int
}

// scene generates a conversation with alternating roles. If telling, it contains a call.
func (g *gen) scene(telling bool) scene {
	s := scene{}
	if g.one(3) {
		s.system = g.text()
	}
	thinks := g.one(3)
	exchanges := 1 + g.IntN(4)
	for i := range exchanges {
		s.steps = append(s.steps, g.user())
		for n := g.IntN(3); n > 0 || telling && i == 0; n-- {
			telling = false
			s.steps = append(s.steps, g.calling(thinks))
		}
		if i == exchanges-1 && len(s.steps[len(s.steps)-1].calls) > 0 && g.one(3) {
			return s
		}
		s.steps = append(s.steps, g.assistant(thinks))
	}
	s.steps = append(s.steps, g.user())
	return s
}

func (g *gen) user() step {
	s := step{user: true, text: g.text()}
	if g.one(5) {
		s.image = base64.StdEncoding.EncodeToString([]byte("\x89PNG\r\n\x1a\n" + g.text()))
	}
	return s
}

func (g *gen) assistant(thinks bool) step {
	s := step{text: g.text(), refused: g.rare(12)}
	if g.rare(4) {
		s.hosted = 1 + g.IntN(2)
	}
	if thinks {
		s.reasoning = g.text()
	}
	return s
}

func (g *gen) calling(thinks bool) step {
	s := g.assistant(thinks)
	if g.one(2) {
		s.text, s.refused = "", false
	}
	for range 1 + g.IntN(3) {
		s.calls = append(s.calls, call{
			id:     g.id("call_"),
			name:   pick(g, "search", "get_weather", "transfer_to_refunds", "read-file", "f"),
			args:   g.args(),
			result: pick(g, "", "ok", g.text(), `{"found": true}`, `["Bonn", 18]`),
			failed: g.one(6),
		})
	}
	return s
}

func (g *gen) args() string {
	return pick(g, `{}`, g.object("city", quote(g.text())), `{"n": 9007199254740993, "deep": {"list": [1, null, true]}}`)
}

// one returns true with probability 1/n.
func (g *gen) one(n int) bool { return g.IntN(n) == 0 }

// rare is one, but false in ordinary histories.
func (g *gen) rare(n int) bool { return g.one(n) && !g.ordinary }

// id returns a new id.
func (g *gen) id(prefix string) string {
	g.ids++
	return fmt.Sprintf("%s%08x%04d", prefix, g.Uint32(), g.ids)
}

var words = []string{"order", "17", "refund", "the", "customer", "Köln", "naïve", "東京", "🙂", "\"quoted\"", "C:\\x", "a\nb", "{}", "user:", "<b>", "tool_use", "0.10", "?"}

// text returns random words.
func (g *gen) text() string {
	var all []string
	for range 1 + g.IntN(8) {
		all = append(all, words[g.IntN(len(words))])
	}
	return strings.Join(all, " ")
}

func pick[T any](g *gen, from ...T) T { return from[g.IntN(len(from))] }
