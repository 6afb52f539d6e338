package session

import (
	"fmt"
	"strings"
)

// A stateTurn is a turn in the form of the Chat API.
type stateTurn struct {
	Role       string         `json:"role"`
	Content    *string        `json:"content"`
	ToolCalls  []stateRequest `json:"tool_calls,omitzero"`
	ToolCallID string         `json:"tool_call_id,omitzero"`
	Name       string         `json:"name,omitzero"`
}

type stateRequest struct {
	ID       string        `json:"id"`
	Type     string        `json:"type"`
	Function stateFunction `json:"function"`
}

type stateFunction struct {
	Name      string `json:"name"`
	Arguments string `json:"arguments"`
}

// unanswered is the result given to a call whose own result is not in the session.
const unanswered = "[no result: the session ended before it was written]"

// turns returns the turns in the form of the Chat API, which every receiver reads: each result
// follows its call, and each call has a result.
func (w *stateWriter) turns() []stateTurn {
	results := map[string]*Turn{}
	for i := range w.Turns {
		if t := &w.Turns[i]; t.Role == "tool" && results[t.CallID] == nil {
			results[t.CallID] = t
		}
	}
	turns := []stateTurn{}
	for _, t := range w.Turns {
		if t.Role == "tool" {
			continue // added with its call
		}
		turn := stateTurn{Role: t.Role}
		text := t.Text
		var answers []stateTurn
		for _, call := range t.Calls {
			if call.ID == "" { // a call that the API itself ran
				text = strings.TrimPrefix(fmt.Sprintf("%s\n[%s %s]", text, call.Tool, call.Input), "\n")
				continue
			}
			turn.ToolCalls = append(turn.ToolCalls, stateRequest{call.ID, "function", stateFunction{w.mask(call.Tool), w.mask(w.cut(call.Input))}})
			answer := unanswered
			if r := results[call.ID]; r != nil {
				answer = w.mask(w.cut(r.Text))
			}
			answers = append(answers, stateTurn{Role: "tool", Content: &answer, ToolCallID: call.ID, Name: w.mask(call.Tool)})
			delete(results, call.ID)
		}
		if text = w.mask(text); text != "" || len(turn.ToolCalls) == 0 {
			turn.Content = &text
		}
		turns = append(append(turns, turn), answers...)
	}
	return turns
}

// cut shortens the input of a call or the result of a tool in its middle, if there is a limit.
func (w *stateWriter) cut(text string) string {
	if w.o.MaxText <= 0 || len(text) <= w.o.MaxText {
		return text
	}
	half := w.o.MaxText / 2
	head := strings.TrimSuffix(Clip(text, half), "…")
	tail := strings.ToValidUTF8(text[len(text)-half:], "")
	return fmt.Sprintf("%s\n[… %d bytes left out …]\n%s", head, len(text)-len(head)-len(tail), tail)
}
