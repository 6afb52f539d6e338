package session

import (
	"slices"
	"strings"

	"github.com/eaapl/handoff/pkg/conversation"
	"github.com/eaapl/handoff/pkg/formats/codex"
	"github.com/eaapl/handoff/pkg/jsonstream"
)

// codexBlocks collects the items of one line.
type codexBlocks struct {
	*collector
	time string
	turn bool
}

// compaction collects the turns of a compaction. message is its summary, "" if that is only among the
// turns. It returns the number of turns that Codex wrote in the user's name.
func (b codexBlocks) compaction(message string, turns []jsonstream.Value) (byProgram int) {
	found := []string{message}
	var asked []string
	for _, r := range b.Requests {
		asked = append(asked, r.Text)
	}
	isSealed := slices.ContainsFunc(turns, codex.IsSealed)
	for i, turn := range turns {
		text := textOf(turn.Get("content"))
		isLast := !slices.ContainsFunc(turns[i+1:], func(later jsonstream.Value) bool { return later.Get("role").Text() == "user" })
		switch {
		case turn.Kind() == jsonstream.String:
		case turn.Get("role").Text() != "user":
			b.item(turn)
		case codex.IsSummary(text), message != "" && strings.Contains(text, message),
			message == "" && !isSealed && isLast && len(asked) > 0 && !slices.Contains(asked, clip(text)): // no message of the user
			if !slices.ContainsFunc(found, func(known string) bool { return strings.Contains(text, known) && known != "" }) {
				found = append(found, text)
			}
		case strings.TrimSpace(text) == "":
		case !isCodexText(text):
			byProgram++
		case slices.Contains(asked, clip(text)):
			b.add(Turn{Role: "user", Text: text})
		default:
			b.user(text, "", true)
		}
	}
	for _, text := range found {
		b.Summary = strings.Clone(strings.Trim(b.Summary+"\n\n"+text, "\n"))
	}
	return byProgram
}

// item collects an item, and reports false if it is a message that Codex wrote in the user's name.
func (b codexBlocks) item(item jsonstream.Value) bool {
	switch kind := item.Get("type").Text(); kind {
	case "message":
		return b.message(item)
	case conversation.AgentMessage:
		b.fromAgent(item)
	case "function_call", "custom_tool_call", "local_shell_call", "web_search_call", "tool_search_call":
		b.call(kind, item)
	case "function_call_output", "custom_tool_call_output", "tool_search_output":
		output := item.Get("output")
		if output.Kind() == jsonstream.Object { // the form of the first versions
			output = output.Get("content")
		}
		b.result(item.Get("call_id").Text(), textOf(output), b.time, false, b.turn)
	}
	return true
}

// textFromAgent returns the text of a message from another agent, with its author.
func textFromAgent(message jsonstream.Value) string {
	text := textOf(message.Get("content"))
	if message.Get("encrypted_content").Exists() {
		text = encrypted
	}
	return conversation.FromAgent(message.Get("author").Text(), text)
}

// fromAgent collects a message from another agent. It is a request if it begins a turn, or if there is no request yet:
// then the agent is one that another agent started.
func (b codexBlocks) fromAgent(message jsonstream.Value) {
	text := textFromAgent(message)
	if message.Get("trigger_turn").Kind() == jsonstream.True || len(b.Requests) == 0 {
		b.user(text, b.time, b.turn)
	} else if b.turn {
		b.add(Turn{Role: "user", Text: text, Time: b.time})
	}
}

func (b codexBlocks) message(item jsonstream.Value) bool {
	text := textOf(item.Get("content"))
	switch item.Get("role").Text() {
	case "user":
		if isCodexText(text) {
			b.user(text, b.time, b.turn)
		}
		return isCodexText(text) || strings.TrimSpace(text) == ""
	case "assistant":
		b.said(text, "", b.time, b.turn)
	}
	return true
}

func (b codexBlocks) call(kind string, item jsonstream.Value) {
	call := Call{ID: strings.Clone(item.Get("call_id").Text()), Tool: strings.Clone(item.Get("name").Text()), Time: b.time}
	switch kind {
	case "custom_tool_call":
		call.Input = strings.Clone(item.Get("input").Text())
	case "function_call":
		call.Input = strings.Clone(item.Get("arguments").Text())
	default: // calls that the API itself runs
		call.Tool = strings.Clone(strings.TrimSuffix(kind, "_call"))
		call.Input = string(item.Get("action").Raw())
	}
	b.called(call, "", b.turn)
	if call.Tool == "apply_patch" && kind == "custom_tool_call" {
		b.patched(call.Input)
		return
	}
	doc, err := jsonstream.Parse(jsonstream.NewRaw([]byte(call.Input)), jsonstream.Limits{})
	if err != nil {
		b.script(call)
		return
	}
	switch input := doc.Root(); call.Tool {
	case "update_plan":
		b.list(input.Get("plan"), "step")
		if why := input.Get("explanation").Text(); why != "" {
			b.decided("plan", why, b.time)
		}
	case "request_user_input":
		var questions []string
		for _, q := range input.Get("questions").Elements() {
			questions = append(questions, q.Get("question").Text())
		}
		b.asked[call.ID] = ask{"question", clip(strings.Join(questions, "\n"))}
	default:
		// A patch is an argument of its own or part of a shell command.
		for v := range input.All() {
			if v.Kind() == jsonstream.String {
				b.patched(v.Text())
			}
		}
	}
}
