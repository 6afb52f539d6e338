package vectors

import (
	"fmt"
	"slices"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/eaapl/handoff/internal/equal"
	"github.com/eaapl/handoff/pkg/conversation"
	"github.com/eaapl/handoff/pkg/history"
	"github.com/eaapl/handoff/pkg/jsonstream"
	"github.com/eaapl/handoff/pkg/session"
	suite "github.com/eaapl/handoff/vectors"
)

// turnsOf returns the texts of the user and the assistant in a history, and the calls with their results, without
// instructions, reasoning and media.
func turnsOf(h *history.History) (turns []suite.Turn) {
	byID := map[string]int{}      // calls without a result
	unnamed := map[string][]int{} // calls without an id and a result, by tool
	add := func(t suite.Turn) int { turns = append(turns, t); return len(turns) - 1 }
	for _, t := range h.Turns {
		if t.IsContext() || t.IsInstruction() {
			continue
		}
		for p := range conversation.Parts(t.Value) {
			id, tool := p.ID.Text(), p.Tool()
			switch p.Kind {
			case conversation.Said:
				if p.Value.Get("part_kind").Text() != "system-prompt" { // of Pydantic AI
					add(suite.Turn{Role: t.Role, Text: conversation.NewTurn(p.Value, 0).Text()})
				}
			case conversation.Call:
				n := add(suite.Turn{Role: "assistant", Tool: tool, Input: inputOf(p.Value)})
				if id == "" {
					unnamed[tool] = append(unnamed[tool], n)
				} else {
					byID[id] = n
				}
			case conversation.Result:
				n, known := byID[id]
				if waiting := unnamed[tool]; !known && len(waiting) > 0 {
					n, known, unnamed[tool] = waiting[0], true, waiting[1:]
				}
				if !known {
					n = add(suite.Turn{Role: "tool"})
				}
				delete(byID, id)
				text := allText(p.Value)
				turns[n].Result = &text
			}
		}
	}
	return turns
}

// allText returns the text of a result, the strings in it, and its JSON: each format has another place for the text.
func allText(v jsonstream.Value) string {
	texts := []string{conversation.NewTurn(v, 0).Text()}
	for one := range v.All() {
		if one.Kind() == jsonstream.String {
			texts = append(texts, one.Text())
		}
	}
	return strings.Join(append(texts, string(v.Raw())), "\n")
}

// inputOf returns the arguments of a call: JSON, or a JSON string.
func inputOf(call jsonstream.Value) jsontext.Value {
	for _, holder := range []string{"function", "custom", "functionCall", "function_call", "toolUse"} {
		if inner := call.Get(holder); inner.Kind() == jsonstream.Object {
			call = inner
		}
	}
	for _, name := range []string{"arguments", "input", "args", "action"} {
		if v := call.Get(name); v.Exists() {
			return v.Raw()
		}
	}
	return nil
}

// sessionTurns returns the turns of a session.
func sessionTurns(s *session.Session) []suite.Turn {
	turns := []suite.Turn{}
	byID := map[string]int{}
	if s.Summary != "" {
		turns = append(turns, suite.Turn{Role: "user", Text: s.Summary})
	}
	for _, t := range s.Turns {
		if t.Role == "tool" {
			n, known := byID[t.CallID]
			if !known {
				n = len(turns)
				turns = append(turns, suite.Turn{Role: "tool"})
			}
			turns[n].Result = &t.Text
			continue
		}
		if t.Text != "" {
			turns = append(turns, suite.Turn{Role: t.Role, Text: t.Text})
		}
		for _, call := range t.Calls {
			byID[call.ID] = len(turns)
			input := jsontext.Value(call.Input)
			if !input.IsValid() {
				input, _ = jsontext.AppendQuote(nil, call.Input) // invalid UTF-8 becomes U+FFFD
			}
			turns = append(turns, suite.Turn{Role: t.Role, Tool: call.Tool, Input: input})
		}
	}
	return turns
}

// turnsProblem describes how turns differ from the expected ones, "" if they do not. White space in texts, and the
// splitting of a text into turns, do not count. A text of the user that has one of the texts to keep is a summary or
// an instruction, which may be anywhere.
func turnsProblem(want suite.Expected, got []suite.Turn) string {
	isNote := func(t suite.Turn) bool {
		return t.Role == "user" && slices.ContainsFunc(want.Keep, func(text string) bool { return strings.Contains(squeezed(t.Text), squeezed(text)) })
	}
	rest := wordsOf(slices.DeleteFunc(slices.Clone(got), isNote))
	for i, t := range want.Turns {
		expected := wordsOf([]suite.Turn{t})
		if n := len(expected); n <= len(rest) && slices.EqualFunc(expected, rest[:n], word.matches) {
			rest = rest[n:]
		} else if !t.Optional {
			return fmt.Sprintf("turn %d: expected %s, got %s", i, shown(expected), shown(rest))
		}
	}
	if len(rest) > 0 {
		return fmt.Sprintf("after the last expected turn: got %s", shown(rest))
	}
	return ""
}

// A word is a word of a text, or a call.
type word struct {
	role, text string
	call       *suite.Turn
}

func wordsOf(turns []suite.Turn) (words []word) {
	for _, t := range turns {
		for _, text := range strings.Fields(t.Text) {
			words = append(words, word{role: t.Role, text: text})
		}
		if t.Tool != "" || t.Result != nil {
			words = append(words, word{call: &t})
		}
	}
	return words
}

// matches reports whether an output may have other where w is expected.
func (w word) matches(other word) bool {
	if w.call == nil || other.call == nil {
		return w == other
	}
	a, b := w.call, other.call
	return a.Tool == b.Tool && sameInput(a.Input, b.Input) && (a.Result == nil) == (b.Result == nil) &&
		(a.Result == nil || strings.Contains(squeezed(*b.Result), squeezed(*a.Result)))
}

// sameInput reports whether two inputs of a tool are equal, either of them also as a string.
func sameInput(a, b jsontext.Value) bool {
	x, errX := jsonstream.Parse(jsonstream.NewRaw(unquoted(a)), jsonstream.Limits{})
	y, errY := jsonstream.Parse(jsonstream.NewRaw(unquoted(b)), jsonstream.Limits{})
	if errX != nil || errY != nil {
		return string(unquoted(a)) == string(unquoted(b))
	}
	return equal.Relation{Exact: true}.Equal(x.Root(), y.Root())
}

// unquoted returns the text of a JSON string, any other value as it is.
func unquoted(v jsontext.Value) []byte {
	text := ""
	if json.Unmarshal(v, &text) == nil {
		return []byte(text)
	}
	return v
}

// squeezed returns a text without white space.
func squeezed(text string) string { return strings.Join(strings.Fields(text), "") }

// shown returns the beginning of words for a message.
func shown(words []word) string {
	const most = 12
	if len(words) == 0 {
		return "nothing"
	}
	if call := words[0].call; call != nil {
		result := "no result"
		if call.Result != nil {
			result = "the result " + quoted(*call.Result)
		}
		return fmt.Sprintf("a call of %s with %s and %s", call.Tool, quoted(string(call.Input)), result)
	}
	var texts []string
	for _, w := range words[:min(len(words), most)] {
		if w.call != nil || w.role != words[0].role {
			break
		}
		texts = append(texts, w.text)
	}
	return words[0].role + " " + quoted(strings.Join(texts, " "))
}

// readTurns reads the output of read-session.
func readTurns(output string) (turns []suite.Turn, err error) {
	if err := json.Unmarshal([]byte(output), &turns); err != nil {
		return nil, fmt.Errorf("the output is not an array of turns: found %.60q", output)
	}
	return turns, nil
}
