package sessiontest

import (
	"fmt"
	"strings"
)

// A codexStory is a session of the Codex CLI.
type codexStory struct {
	*story
	items []any // of the conversation so far, for compactions
	old   int   // the number of turns that an old version wrote, without the events that begin and end them
}

func codexSession(s *story) string {
	c := &codexStory{story: s}
	c.line("session_meta", object{"id": "019a2d7b-0000-7000-8000-000000000002", "timestamp": "2026-06-14T11:00:00.500Z", "cwd": "/work", "originator": "codex_exec", "cli_version": "0.169.0", "source": "exec", "model_provider": "openai", "git": object{"branch": "main"}})
	if s.one(2) {
		c.item(codexMessage("user", "<environment_context>\n  <cwd>/work</cwd>\n</environment_context>"))
	}
	if s.one(8) {
		c.old = s.IntN(4)
	}
	for i := range 1 + s.IntN(8) {
		c.turn(i)
		if s.one(6) {
			c.fromAgent()
		}
		if s.one(5) {
			c.event(object{"type": "thread_rolled_back", "num_turns": pick(s, 1, 1, 1, 2, 3, 0)})
		}
		c.beside()
	}
	return s.file()
}

func (c *codexStory) line(kind string, payload any) {
	c.last++
	c.add(object{"timestamp": fmt.Sprintf("2026-06-14T11:%02d:%02d.000Z", c.last/60%60, c.last%60), "type": kind, "payload": payload})
}

func (c *codexStory) event(payload object) { c.line("event_msg", payload) }

func (c *codexStory) item(payload object) {
	c.line("response_item", payload)
	c.items = append(c.items, payload)
}

// codexMessage returns an item that says texts.
func codexMessage(role string, texts ...string) object {
	kind := "input_text"
	if role == "assistant" {
		kind = "output_text"
	}
	var parts []any
	for _, text := range texts {
		parts = append(parts, object{"type": kind, "text": text})
	}
	return object{"type": "message", "role": role, "content": parts}
}

// turn adds a turn of the agent: a request, its calls and its answers.
func (c *codexStory) turn(n int) {
	id := fmt.Sprintf("turn-%d", n)
	isOld := n < c.old
	if !isOld {
		c.event(object{"type": "task_started", "turn_id": id, "model_context_window": 272000})
	}
	if c.one(2) {
		setting := object{"turn_id": id, "cwd": "/work", "approval_policy": "never", "sandbox_policy": object{"type": "read-only"}, "model": "gpt-5-codex", "summary": "auto"}
		if isOld {
			delete(setting, "turn_id")
		}
		c.line("turn_context", setting)
	}
	if c.one(5) {
		c.item(codexMessage("developer", "<permissions instructions>x</permissions instructions>"))
	}
	if c.one(12) {
		c.compaction()
	}
	asked := c.text("Ask")
	request := codexMessage("user", asked)
	if c.one(8) {
		request["content"] = append(request["content"].([]any), object{"type": "input_image", "image_url": "data:image/png;base64," + image})
	}
	c.item(request)
	c.event(object{"type": "user_message", "message": asked, "images": []any{}})
	if c.one(10) {
		c.end(id, isOld)
		return // no answer
	}
	for range c.IntN(4) {
		c.step()
	}
	if c.one(12) {
		c.compaction()
	}
	if !c.one(4) {
		text := c.text("Say")
		c.event(object{"type": "agent_message", "message": text})
		answer := codexMessage("assistant", text)
		if c.one(4) {
			answer["phase"] = "final_answer"
		}
		c.item(answer)
	}
	if c.one(6) {
		c.item(codexMessage("user", c.text("Steered")))
		c.item(codexMessage("assistant", c.text("Say")))
	}
	c.end(id, isOld)
}

func (c *codexStory) end(id string, isOld bool) {
	switch {
	case isOld:
	case c.one(8):
		c.item(codexMessage("user", "<turn_aborted>\n  <turn_id>x</turn_id>\n</turn_aborted>"))
		c.event(object{"type": "turn_aborted", "turn_id": id, "reason": "interrupted"})
	default:
		c.event(object{"type": "task_complete", "turn_id": id, "last_agent_message": nil})
	}
}

// fromAgent adds a message from another agent, in the forms of the versions, and sometimes an answer.
func (c *codexStory) fromAgent() {
	said := c.text("Report")
	message := object{"author": "/root/worker", "recipient": "/root", "other_recipients": []any{}, "content": said, "trigger_turn": c.one(2)}
	switch c.IntN(3) {
	case 0:
		c.line("inter_agent_communication", message)
	case 1:
		c.line("inter_agent_communication_metadata", object{"trigger_turn": message["trigger_turn"]})
		c.item(object{"type": "agent_message", "author": "/root/worker", "recipient": "/root", "content": []any{object{"type": "input_text", "text": said}}})
	case 2:
		told := codexMessage("assistant", encode(message))
		told["phase"] = "commentary"
		c.item(told)
	}
	if c.one(2) {
		c.item(codexMessage("assistant", c.text("Say")))
	}
}

// step adds a step of the agent: calls, and their results.
func (c *codexStory) step() {
	if c.one(3) {
		c.item(object{"type": "reasoning", "summary": []any{object{"type": "summary_text", "text": c.text("Think")}}, "encrypted_content": "x"})
	}
	if c.one(4) {
		c.item(codexMessage("assistant", c.text("Say")))
	}
	type call struct {
		id     string
		custom bool
	}
	var calls []call
	for range 1 + c.IntN(2) {
		id := c.id("call_")
		switch c.IntN(6) {
		case 0:
			c.item(object{"type": "custom_tool_call", "call_id": id, "name": "apply_patch", "input": "*** Begin Patch " + id, "status": "completed"})
			calls = append(calls, call{id: id, custom: true})
		case 1:
			c.item(object{"type": "local_shell_call", "call_id": id, "status": "completed", "action": object{"type": "exec", "command": []any{"ls", id}}})
			calls = append(calls, call{id: id})
		case 2:
			c.item(object{"type": "web_search_call", "status": "completed", "action": object{"type": "search", "query": id}})
		default:
			c.item(object{"type": "function_call", "call_id": id, "name": pick(c.story, "shell", "update_plan", "exec_command"), "arguments": encode(object{"n": id})})
			calls = append(calls, call{id: id})
		}
	}
	for _, one := range calls {
		if c.one(5) {
			c.event(object{"type": "exec_command_begin", "call_id": one.id})
			c.event(object{"type": "exec_command_end", "call_id": one.id, "exit_code": 0})
		}
		if c.one(25) {
			continue // it runs, or was ended
		}
		var output any = c.text("Result")
		switch c.IntN(6) {
		case 0:
			output = encode(object{"output": output, "metadata": object{"exit_code": 1, "duration_seconds": 0.1}})
		case 1:
			output = []any{object{"type": "input_text", "text": output}, object{"type": "input_image", "image_url": "data:image/png;base64," + image}}
		case 2:
			output = strings.Repeat(output.(string)+" ", 10_000)
		}
		kind := "function_call_output"
		if one.custom {
			kind = "custom_tool_call_output"
		}
		c.item(object{"type": kind, "call_id": one.id, "output": output})
	}
}

const summaryOfCodex = "Another language model started to solve this problem and produced a summary of its thinking process. You also have access to the state of the tools that were used by that language model. Use this to build on the work that has already been done and avoid duplicating work. Here is the summary produced by the other language model, use the information in this summary to assist with your own analysis:\n"

func (c *codexStory) compaction() {
	summary := summaryOfCodex + c.text("Summary")
	switch c.IntN(5) {
	case 0, 1, 2:
		kept := c.requests()
		kept = append(kept, codexMessage("user", summary))
		c.line("compacted", object{"message": summary, "replacement_history": kept})
		c.items = kept
	case 3:
		c.line("compacted", object{"message": summary})
	case 4:
		kept := c.requests()
		c.line("compacted", object{"message": "", "replacement_history": append(kept, object{"type": "compaction", "encrypted_content": "x"})})
		c.items = kept
	}
	c.event(object{"type": "context_compacted"})
}

// requests returns some of the user's messages, and few of the agent's.
func (c *codexStory) requests() (kept []any) {
	for _, item := range c.items {
		m := item.(object)
		isAdded := strings.Contains(encode(m), "Summary") || strings.Contains(encode(m), "\\u003c") || strings.Contains(encode(m), "<")
		if m["role"] == "user" && !isAdded && !c.one(3) || m["role"] == "assistant" && c.one(8) {
			kept = append(kept, item)
		}
	}
	return kept
}

// beside adds lines that are not turns.
func (c *codexStory) beside() {
	switch c.IntN(12) {
	case 0:
		c.compaction()
	case 1:
		c.event(object{"type": "token_count", "info": nil, "rate_limits": nil})
	case 2:
		c.event(object{"type": "brand_new_event", "x": 1})
	case 3:
		c.line("brand_new_line", object{"x": 1})
	case 4:
		c.item(object{"type": "ghost_snapshot", "ghost_commit": object{"id": "abc", "parent": nil, "preexisting_untracked_files": []any{}, "preexisting_untracked_dirs": []any{}}})
	case 5, 6:
		c.damage()
	case 7:
		c.event(object{"type": "thread_name_updated", "thread_id": "019a2d7b-0000-7000-8000-000000000002", "thread_name": "A title"})
	}
}
