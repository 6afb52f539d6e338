package main

import (
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// A turn is a turn of a message's conversationHistoryVerbatim.
type turn struct {
	Role       string `json:"role"`
	Content    string `json:"content"`
	ToolCalls  []call `json:"tool_calls,omitempty"`
	ToolCallID string `json:"tool_call_id,omitempty"`
}

// A call is one tool call of a turn.
type call struct {
	ID       string   `json:"id"`
	Type     string   `json:"type"`
	Function function `json:"function"`
	real     *realUse // nil if the function and the turn of the result show the use
}

// A realUse is the use of a tool with the arguments and the result that the tool had, as far as a log
// shows them in another form.
type realUse struct {
	arguments map[string]string
	result    string
}

type function struct {
	Name      string `json:"name"`
	Arguments string `json:"arguments"`
}

// A fact is a labelled value that the next agent may need. Its kind is the name of its slot,
// "argument" or "answer".
type fact struct {
	Value string `json:"value"`
	Kind  string `json:"kind"`
}

// A conversation is the part of a corpus for one message.
type conversation struct {
	id    string // unique in its corpus
	turns []turn
	facts []fact
	calls int
}

// say adds a turn, unless its text is empty.
func (c *conversation) say(role, text string) {
	if text = strings.TrimSpace(strings.ToValidUTF8(text, "\ufffd")); text != "" {
		c.turns = append(c.turns, turn{Role: role, Content: text})
	}
}

// use adds a tool call and its result as two turns.
func (c *conversation) use(tool string, arguments any, result string) {
	c.calls++
	id := "call_" + strconv.Itoa(c.calls)
	c.turns = append(c.turns,
		turn{Role: "assistant", ToolCalls: []call{{ID: id, Type: "function", Function: function{tool, compact(arguments)}}}},
		turn{Role: "tool", ToolCallID: id, Content: strings.ToValidUTF8(result, "\ufffd")})
}

// useLogged adds a tool call as a log shows it, with its real use.
func (c *conversation) useLogged(tool string, arguments any, result string, real *realUse) {
	c.use(tool, arguments, result)
	c.turns[len(c.turns)-2].ToolCalls[0].real = real
}

// label adds a fact. Values without information, such as "yes" or "any", are ignored.
func (c *conversation) label(kind, value string) {
	value = strings.TrimSpace(value)
	switch strings.ToLower(value) {
	case "yes", "no", "true", "false", "none", "null", "any", "dontcare", "dont_care", "don't care", "unknown", "not mentioned", "?", "-":
		return
	}
	if len(value) < 2 && !isDigits(value) || len([]rune(value)) > 120 {
		return
	}
	c.facts = append(c.facts, fact{value, kind})
}

// labelArguments labels every value in the arguments of a call.
func (c *conversation) labelArguments(arguments any) {
	for _, v := range leaves(arguments) {
		c.label("argument", v)
	}
}

// labelAnswers labels the values returned by a tool or a knowledge base and then repeated by the
// assistant.
func (c *conversation) labelAnswers(values []string, said string) {
	said = normal(said)
	for _, v := range values {
		if holds(said, normal(v)) {
			c.label("answer", v)
		}
	}
}

// text returns the whole text of the conversation, including the arguments of calls and the results
// of tools.
func (c *conversation) text() string { return textOf(c.turns) }

func textOf(turns []turn) string {
	var b strings.Builder
	for _, t := range turns {
		b.WriteString(t.Content)
		b.WriteByte('\n')
		for _, call := range t.ToolCalls {
			b.WriteString(call.Function.Arguments)
			b.WriteByte('\n')
		}
	}
	return b.String()
}

// settle drops the facts that do not occur in the text, which no summary can keep, and duplicates of
// a value.
func (c *conversation) settle() {
	text := normal(c.text())
	var seen []string
	c.facts = slices.DeleteFunc(c.facts, func(f fact) bool {
		v := normal(f.Value)
		if slices.Contains(seen, v) || !holds(text, v) {
			return true
		}
		seen = append(seen, v)
		return false
	})
}

// compact writes a value as one line of JSON, without HTML escapes.
func compact(v any) string {
	var b strings.Builder
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil {
		return fmt.Sprint(v)
	}
	return strings.TrimSuffix(b.String(), "\n")
}

// leaves returns the texts and numbers within a decoded JSON value, sorted by name within objects.
func leaves(v any) []string {
	switch v := v.(type) {
	case string:
		return []string{v}
	case float64:
		return []string{strconv.FormatFloat(v, 'f', -1, 64)}
	case []any:
		var all []string
		for _, e := range v {
			all = append(all, leaves(e)...)
		}
		return all
	case map[string]any:
		var all []string
		for _, name := range sortedNames(v) {
			all = append(all, leaves(v[name])...)
		}
		return all
	}
	return nil
}

func sortedNames[T any](m map[string]T) []string {
	names := make([]string, 0, len(m))
	for name := range m {
		names = append(names, name)
	}
	slices.Sort(names)
	return names
}
