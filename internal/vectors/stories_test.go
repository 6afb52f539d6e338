package vectors

import (
	"fmt"
	"math/rand/v2"
	"strings"

	"github.com/go-json-experiment/json"
)

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

// A claudeStory is a session of Claude Code.
type claudeStory struct {
	*story
	tip  string // the uuid of the last line of the conversation
	site object
	ends []string // the uuids of the last lines of responses
}

func claudeSession(s *story) string {
	c := &claudeStory{story: s, site: object{"cwd": "/work", "gitBranch": "main", "version": "2.1.14"}}
	for range 1 + s.IntN(8) {
		c.request()
		if s.one(12) {
			continue // no answer
		}
		for c.response() && !s.one(8) {
		}
		c.beside()
	}
	if s.one(6) {
		c.queued(false)
	}
	return s.file()
}

// node adds a line with a uuid after another, and returns its uuid.
func (c *claudeStory) node(parent, kind string, more object) string {
	c.last++
	id := fmt.Sprintf("%08d-0000-4000-8000-000000000000", c.last)
	line := object{"parentUuid": nil, "isSidechain": false, "userType": "external", "sessionId": "0d9b1f77-51c4-4b0e-8d5a-6b1a1f0c2e42", "type": kind, "uuid": id,
		"timestamp": fmt.Sprintf("2026-06-13T10:%02d:%02d.000Z", c.last/60%60, c.last%60)}
	if parent != "" {
		line["parentUuid"] = parent
	}
	for _, from := range []object{c.site, more} {
		for name, v := range from {
			line[name] = v
		}
	}
	c.add(line)
	return id
}

func said(role string, content any) object {
	return object{"message": object{"role": role, "content": content}}
}

func (c *claudeStory) request() {
	var content any = c.text("Ask")
	switch c.IntN(6) {
	case 0:
		content = []any{object{"type": "text", "text": content}}
	case 1:
		content = []any{object{"type": "text", "text": content}, object{"type": "image", "source": object{"type": "base64", "media_type": "image/png", "data": image}}}
	}
	switch {
	case c.one(7) && len(c.ends) > 0: // the user went back to an earlier response
		c.tip = pick(c.story, c.ends...)
	case c.one(20): // or to the start
		c.tip = ""
	}
	if c.one(6) {
		c.tip = c.node(c.tip, "user", object{"isMeta": true, "message": object{"role": "user", "content": c.text("Note")}})
	}
	c.tip = c.node(c.tip, "user", said("user", content))
	if c.one(8) {
		c.site = object{"cwd": pick(c.story, "/work", "/other"), "gitBranch": pick(c.story, "main", "fix"), "version": "2.1.15"}
	}
}

// response adds a response of the agent, each block on a line, and the results of its calls. It reports whether the
// agent goes on.
func (c *claudeStory) response() bool {
	if c.one(9) {
		c.tip = c.node(c.tip, "system", object{"subtype": "api_error", "error": object{"status": 529}, "retryAttempt": 1})
	}
	id := c.id("msg_")
	block := func(content object) string {
		c.tip = c.node(c.tip, "assistant", object{"message": object{"role": "assistant", "type": "message", "id": id, "model": "claude-sonnet-4-5", "content": []any{content}, "usage": object{"input_tokens": 1, "output_tokens": 2}}})
		return c.tip
	}
	if c.one(3) {
		block(object{"type": "thinking", "thinking": c.text("Think"), "signature": "c2ln"})
	}
	count := 0
	if !c.one(3) {
		count = 1 + c.IntN(3)
	}
	if count == 0 || !c.one(3) {
		block(object{"type": "text", "text": c.text("Say")})
	}
	type call struct{ id, line string }
	var calls []call
	for range count {
		one := call{id: c.id("toolu_")}
		one.line = block(object{"type": "tool_use", "id": one.id, "name": pick(c.story, "Read", "Bash", "Task"), "input": object{"n": c.last}})
		calls = append(calls, one)
		if c.one(4) {
			c.node(c.tip, "progress", object{"data": object{"type": "hook_progress"}, "toolUseID": one.id})
		}
	}
	if count > 0 && c.one(5) {
		c.sidechain()
	}
	for i, one := range calls {
		if c.one(25) { // it runs, or was ended
			if c.one(2) {
				return false
			}
			continue
		}
		result := object{"type": "tool_result", "tool_use_id": one.id, "content": c.text("Result")}
		switch c.IntN(7) {
		case 0:
			result["is_error"] = true
		case 1:
			result["content"] = []any{object{"type": "text", "text": c.text("Result")}, object{"type": "image", "source": object{"type": "base64", "media_type": "image/png", "data": image}}}
		case 2:
			result["content"] = strings.Repeat(c.text("Result")+" ", 2000)
		}
		more := said("user", []any{result})
		more["toolUseResult"] = "x"
		more["sourceToolAssistantUUID"] = one.line
		parent := one.line
		if i == 0 && c.one(3) {
			parent = c.tip
		}
		c.tip = c.node(parent, "user", more)
	}
	if count > 0 && c.one(5) {
		c.queued(true)
	}
	c.ends = append(c.ends, c.tip)
	if c.one(15) {
		c.tip = c.node(c.tip, "user", said("user", []any{object{"type": "text", "text": "[Request interrupted by user]"}}))
		return false
	}
	return count > 0
}

// queued adds messages that the user typed while the agent worked.
func (c *claudeStory) queued(sent bool) {
	var prompt any = c.text("Queued")
	if c.one(3) {
		prompt = []any{object{"type": "text", "text": prompt}}
	}
	attached := object{"type": "queued_command", "prompt": prompt, "commandMode": "prompt"}
	c.add(object{"type": "queue-operation", "operation": "enqueue", "timestamp": "2026-06-13T10:00:00.000Z", "sessionId": "s", "content": prompt})
	at := c.node(c.tip, "attachment", object{"attachment": attached})
	if sent {
		c.tip = at
	}
}

// sidechain adds lines of a sub-agent.
func (c *claudeStory) sidechain() {
	parent := pick(c.story, "", c.tip)
	for range 1 + c.IntN(3) {
		for _, role := range []string{"user", "assistant"} {
			more := said(role, c.text("Sub"))
			if role == "assistant" {
				more = object{"message": object{"role": role, "type": "message", "id": c.id("msg_"), "content": []any{object{"type": "text", "text": c.text("Sub")}}}}
			}
			more["isSidechain"], more["agentId"] = true, "a1"
			parent = c.node(parent, role, more)
		}
	}
}

// beside adds lines that are not turns.
func (c *claudeStory) beside() {
	switch c.IntN(16) {
	case 0, 1:
		c.compaction()
	case 2:
		c.tip = c.node(c.tip, "system", object{"subtype": "local_command", "content": "<local-command-stdout>x</local-command-stdout>"})
	case 3:
		c.tip = c.node(c.tip, "attachment", object{"attachment": object{"type": pick(c.story, "todo_reminder", "file", "hook_additional_context"), "content": []any{}}})
	case 4:
		c.add(object{"type": "file-history-snapshot", "messageId": c.tip, "snapshot": object{}, "isSnapshotUpdate": false})
	case 5:
		c.add(object{"type": "summary", "summary": "A title", "leafUuid": c.tip})
	case 6:
		c.add(object{"type": "brand-new", "uuid": c.id("x"), "parentUuid": c.tip, "sessionId": "s"})
	case 7:
		c.add(object{"type": pick(c.story, "last-prompt", "custom-title", "mode"), "sessionId": "s", "leafUuid": c.tip})
	case 8, 9:
		c.damage()
	case 10:
		c.node(c.tip, "progress", object{"data": object{"type": "bash_progress"}})
	case 11:
		c.tip = c.node(c.tip, "system", object{"subtype": "turn_duration", "durationMs": 3})
	}
}

func (c *claudeStory) compaction() {
	boundary := object{"subtype": "compact_boundary", "content": "Conversation compacted", "logicalParentUuid": c.tip, "isMeta": false}
	meta := object{"trigger": "auto", "preTokens": 1000}
	before := c.tip
	kept := c.IntN(3)
	summary := fmt.Sprintf("%08d-0000-4000-8000-000000000000", c.last+2) // the next line but one
	if len(c.ends) > 0 && kept > 0 && c.ends[len(c.ends)-1] == before {
		switch kept {
		case 1:
			meta["preservedSegment"] = object{"headUuid": before, "anchorUuid": summary, "tailUuid": before}
		case 2:
			meta["preservedMessages"] = object{"anchorUuid": summary, "uuids": []any{before}}
		}
	}
	boundary["compactMetadata"] = meta
	c.tip = c.node("", "system", boundary)
	c.tip = c.node(c.tip, "user", object{"isCompactSummary": true, "isVisibleInTranscriptOnly": true, "message": object{"role": "user", "content": "This session is being continued from a previous conversation. " + c.text("Summary")}})
	c.ends = nil
}

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

// A geminiStory is a session of the Gemini CLI.
type geminiStory struct {
	*story
	ids []string // of messages of the user
}

func geminiSession(s *story) string {
	g := &geminiStory{story: s}
	s.add(object{"sessionId": "5d0c2a6e-0000-4000-8000-00000000000d", "projectHash": "a95ae199", "startTime": "2026-11-29T20:17:16.957Z", "lastUpdated": "2026-11-29T20:17:16.957Z", "kind": "main"})
	for range 1 + s.IntN(9) {
		g.request()
		for !s.one(3) {
			s.add(g.response())
		}
		if !s.one(6) {
			s.add(g.message("gemini", s.text("Say")))
		}
		g.beside()
	}
	return s.file()
}

func (g *geminiStory) message(kind string, content any) object {
	g.last++
	return object{"id": g.id("m"), "timestamp": fmt.Sprintf("2026-11-29T20:%02d:%02d.000Z", g.last/60%60, g.last%60), "type": kind, "content": content}
}

func (g *geminiStory) request() {
	var content any = []any{object{"text": g.text("Ask")}}
	switch g.IntN(9) {
	case 0:
		content = g.text("Ask")
	case 1:
		content = []any{object{"text": g.text("Ask")}, object{"inlineData": object{"mimeType": "image/png", "data": image}}}
	case 2:
		content = []any{object{"text": g.text("Ask")}, object{"text": g.text("File")}}
	case 3:
		content = []any{object{"text": pick(g.story, "/help", "?", "/compress")}}
	case 4:
		content = []any{object{"text": "<session_context>" + g.text("Context") + "</session_context>"}}
	case 5:
		content = object{"text": g.text("Ask")}
	}
	m := g.message("user", content)
	if g.one(5) {
		m["displayContent"] = []any{object{"text": "shown"}}
	}
	g.ids = append(g.ids, m["id"].(string))
	g.add(m)
}

// response returns a response with calls. Their results are in it, or in a second record of it.
func (g *geminiStory) response() object {
	m := g.message("gemini", pick(g.story, g.text("Say"), ""))
	m["model"], m["tokens"] = "gemini-3-pro", object{"input": 1, "output": 2, "cached": 0, "total": 3}
	if g.one(3) {
		m["thoughts"] = []any{object{"subject": "s", "description": g.text("Think"), "timestamp": "2026-11-29T20:17:16.957Z"}}
	}
	var calls []any
	for range 1 + g.IntN(3) {
		id := g.id("call")
		name := pick(g.story, "read_file", "run_shell_command")
		call := object{"id": id, "name": name, "args": object{"n": g.last}, "status": "success", "timestamp": "2026-11-29T20:17:17.000Z"}
		answer := func(response object) any {
			return object{"functionResponse": object{"id": id, "name": name, "response": response}}
		}
		switch g.IntN(9) {
		case 0:
			call["status"], call["result"] = "error", []any{answer(object{"error": g.text("Result")})}
		case 1:
			call["status"], call["result"] = "cancelled", []any{answer(object{"error": "[Operation Cancelled] " + g.text("Result")})}
		case 2:
			call["status"] = pick(g.story, "cancelled", "executing")
		case 3:
			call["result"] = g.text("Result")
		case 4:
			call["result"] = []any{answer(object{"output": g.text("Result")}), object{"inlineData": object{"mimeType": "image/png", "data": image}}}
		case 5:
			call["result"] = []any{answer(object{"output": strings.Repeat(g.text("Result")+" ", 2000)})}
		default:
			call["result"] = []any{answer(object{"output": g.text("Result")})}
		}
		calls = append(calls, call)
	}
	if g.one(2) { // it is written without the calls first
		g.add(m)
		again := object{}
		for name, v := range m {
			again[name] = v
		}
		m = again
	}
	m["toolCalls"] = calls
	return m
}

// beside adds lines that are not turns, and lines that change the conversation.
func (g *geminiStory) beside() {
	switch g.IntN(14) {
	case 0, 1:
		g.add(object{"$rewindTo": pick(g.story, g.ids...)})
	case 2:
		g.add(object{"$set": object{"lastUpdated": "2026-11-29T20:17:18.000Z"}})
	case 3:
		g.add(object{"$set": object{"summary": "A title"}})
	case 4:
		kept := []any{g.message("user", []any{object{"text": "<state_snapshot>" + g.text("Summary")}}), g.message("gemini", "Got it. Thanks for the additional context!")}
		for range g.IntN(3) {
			kept = append(kept, g.message("user", []any{object{"text": g.text("Ask")}}), g.message("gemini", g.text("Say")))
		}
		g.add(object{"$set": object{"messages": kept}})
		g.ids = []string{kept[0].(object)["id"].(string)}
	case 5:
		g.add(g.message(pick(g.story, "info", "error", "warning"), g.text("Info")))
	case 6, 7:
		g.damage()
	case 8:
		g.add(object{"brandNew": true})
	case 9:
		g.add(object{"$rewindTo": "unknown"})
	case 10:
		g.add(object{"$set": object{"directories": []any{"/other"}}})
	}
}

// An opencodeStory is a session of OpenCode.
type opencodeStory struct {
	*story
	session  string
	messages []any
	asked    string
	ids      []string
	isOpen   bool // a compaction did not end: OpenCode makes it before it goes on
}

func opencodeSession(s *story) string {
	o := &opencodeStory{story: s, session: "ses_dd59e6d67ffeAg5ncQuNwdQaHg"}
	for range 1 + s.IntN(8) {
		if s.one(7) && len(o.messages) > 0 {
			o.compaction()
		}
		o.request()
		for !s.one(3) {
			o.response(1 + s.IntN(2))
		}
		if !s.one(6) {
			o.response(0)
		}
	}
	info := object{"id": o.session, "slug": "a", "projectID": "global", "directory": "/work", "title": "A title", "version": "1.18.33", "time": object{"created": 1796007367320, "updated": 1796008091139}}
	if s.one(5) && !o.isOpen {
		info["revert"] = object{"messageID": pick(s, o.ids...)}
	}
	return encode(object{"info": info, "messages": o.messages})
}

// message adds a message with parts.
func (o *opencodeStory) message(info object, parts ...object) {
	o.last++
	at := 1796007367320 + o.last*1000
	id := fmt.Sprintf("msg_%012x0000aaaaaaaaaa", at*0x1000&0xffffffffffff)
	info["id"], info["sessionID"], info["agent"] = id, o.session, "build"
	if info["role"] == "user" {
		info["time"], info["model"] = object{"created": at}, object{"providerID": "local", "modelID": "m"}
		o.asked = id
		o.ids = append(o.ids, id)
	} else {
		info["parentID"], info["modelID"], info["providerID"], info["mode"] = o.asked, "m", "local", "build"
		info["path"], info["cost"] = object{"cwd": "/work", "root": "/"}, 0
		info["tokens"] = object{"input": 1, "output": 1, "reasoning": 0, "cache": object{"read": 0, "write": 0}}
		info["time"] = object{"created": at, "completed": at}
	}
	for i, part := range parts {
		part["id"], part["sessionID"], part["messageID"] = fmt.Sprintf("prt_%012x%04xaaaaaaaaaa", at*0x1000&0xffffffffffff, i), o.session, id
	}
	o.messages = append(o.messages, object{"info": info, "parts": parts})
}

func (o *opencodeStory) request() {
	parts := []object{{"type": "text", "text": o.text("Ask")}}
	switch o.IntN(9) {
	case 0:
		parts = append(parts, object{"type": "text", "text": o.text("Added"), "synthetic": true})
	case 1:
		parts = append(parts, object{"type": "text", "text": o.text("Ignored"), "ignored": true})
	case 2:
		parts = append(parts, object{"type": "file", "mime": "image/png", "filename": "a.png", "url": "data:image/png;base64," + image})
	case 3:
		parts = append(parts, object{"type": "file", "mime": "text/plain", "filename": "a.txt", "url": "file:///work/a.txt"})
	case 4:
		parts = append(parts, object{"type": "agent", "name": "explore"})
	case 5:
		parts = []object{{"type": "subtask", "prompt": o.text("Sub"), "description": "d", "agent": "general"}}
	case 6:
		parts = append(parts, object{"type": "text", "text": ""})
	}
	o.message(object{"role": "user"}, parts...)
}

// response adds a response with a number of steps with calls, and a text.
func (o *opencodeStory) response(steps int) {
	info := object{"role": "assistant", "finish": "stop"}
	var parts []object
	for range steps {
		parts = append(parts, object{"type": "step-start", "snapshot": "abc"})
		if o.one(3) {
			parts = append(parts, object{"type": "reasoning", "text": o.text("Think"), "time": object{"start": 1, "end": 2}})
		}
		if o.one(2) {
			parts = append(parts, object{"type": "text", "text": o.text("Say")})
		}
		for range 1 + o.IntN(2) {
			parts = append(parts, o.tool())
		}
		parts = append(parts, object{"type": "step-finish", "reason": "tool-calls", "cost": 0, "tokens": object{"input": 1, "output": 1, "reasoning": 0, "cache": object{"read": 0, "write": 0}}})
		if o.one(4) {
			parts = append(parts, pick(o.story, object{"type": "patch", "hash": "abc", "files": []any{"/work/a.txt"}}, object{"type": "snapshot", "snapshot": "abc"},
				object{"type": "retry", "attempt": 1, "error": object{"name": "APIError", "data": object{"message": "m", "isRetryable": true}}, "time": object{"created": 1}}))
		}
	}
	if steps == 0 || o.one(2) {
		parts = append(parts, object{"type": "step-start"}, object{"type": "text", "text": o.text("Say"), "time": object{"start": 1, "end": 2}})
	}
	switch o.IntN(14) {
	case 0:
		info["error"] = object{"name": "MessageAbortedError", "data": object{"message": "aborted"}}
		delete(info, "finish")
	case 1:
		info["error"] = object{"name": "APIError", "data": object{"message": "m", "isRetryable": false}}
		delete(info, "finish")
	case 2:
		parts = nil
	case 3:
		info["error"] = object{"name": "MessageAbortedError", "data": object{"message": "aborted"}}
		parts = []object{{"type": "step-start"}, {"type": "reasoning", "text": o.text("Think"), "time": object{"start": 1}}}
		delete(info, "finish")
	}
	o.message(info, parts...)
}

func (o *opencodeStory) tool() object {
	id := o.id("call_")
	input := object{"n": o.last}
	state := object{"status": "completed", "input": input, "output": o.text("Result"), "title": "t", "metadata": object{}, "time": object{"start": 1, "end": 2}}
	switch o.IntN(9) {
	case 0:
		state = object{"status": "error", "input": input, "error": o.text("Result"), "time": object{"start": 1, "end": 2}}
	case 1:
		state = object{"status": "pending", "input": input, "raw": ""}
	case 2:
		state = object{"status": "running", "input": input, "time": object{"start": 1}}
	case 3:
		state["attachments"] = []any{object{"id": "prt_x", "sessionID": o.session, "messageID": "msg_x", "type": "file", "mime": "image/png", "url": "data:image/png;base64," + image}}
	case 4:
		state["output"] = strings.Repeat(o.text("Result")+" ", 2000)
	case 5:
		state["time"] = object{"start": 1, "end": 2, "compacted": 3} // pruned
	}
	return object{"type": "tool", "callID": id, "tool": pick(o.story, "bash", "read", "task"), "state": state}
}

func (o *opencodeStory) compaction() {
	o.message(object{"role": "user"}, object{"type": "compaction", "auto": true})
	if o.one(5) {
		o.isOpen = true
		return
	}
	info := object{"role": "assistant", "summary": true, "mode": "compaction", "finish": "stop"}
	if o.one(6) {
		info["error"] = object{"name": "APIError", "data": object{"message": "m", "isRetryable": false}}
	}
	o.message(info, object{"type": "text", "text": o.text("Summary")})
	if o.one(2) {
		o.message(object{"role": "user"}, object{"type": "text", "text": o.text("Continue"), "synthetic": true})
	}
}

// A copilotStory is a session of the Copilot CLI.
type copilotStory struct {
	*story
	parent any
	asked  []int // the indices of the lines of the user's messages
}

func copilotSession(s *story) string {
	c := &copilotStory{story: s}
	site := object{"cwd": "/work", "gitRoot": "/work", "branch": "main"}
	c.event("session.start", object{"sessionId": "5d0c2a6e-0000-4000-8000-00000000000f", "version": 1, "producer": "copilot-agent", "copilotVersion": "1.0.102", "startTime": "2026-11-30T03:09:04.087Z", "selectedModel": "m", "context": site})
	for range 1 + s.IntN(8) {
		if s.one(8) {
			c.event("session.resume", object{"resumeTime": "2026-11-30T03:09:10.895Z", "eventCount": 2, "selectedModel": "m", "context": object{"cwd": pick(s, "/work", "/other"), "branch": pick(s, "main", "fix")}})
		}
		c.request()
		for !s.one(3) {
			c.response(1 + s.IntN(2))
		}
		if !s.one(6) {
			c.response(0)
		}
		c.beside()
	}
	return s.file()
}

// event adds an event, and returns its id.
func (c *copilotStory) event(kind string, data object, more ...object) string {
	c.last++
	id := fmt.Sprintf("%08d-0000-4000-8000-000000000000", c.last)
	line := object{"type": kind, "data": data, "id": id, "timestamp": fmt.Sprintf("2026-11-30T03:%02d:%02d.000Z", c.last/60%60, c.last%60), "parentId": c.parent}
	for _, m := range more {
		for name, v := range m {
			line[name] = v
		}
	}
	c.add(line)
	c.parent = id
	return id
}

func (c *copilotStory) request() {
	text := c.text("Ask")
	data := object{"content": text, "transformedContent": "<current_datetime>2026-11-30T03:09:05.363+00:00</current_datetime>\n\n" + text, "attachments": []any{}, "interactionId": c.id("i")}
	if c.one(3) {
		delete(data, "transformedContent")
	}
	c.asked = append(c.asked, len(c.lines))
	c.event("user.message", data)
}

// response adds a response with a number of calls.
func (c *copilotStory) response(calls int) {
	c.event("assistant.turn_start", object{"turnId": "0"})
	var requests []any
	var ids []string
	for range calls {
		id := c.id("call_")
		ids = append(ids, id)
		requests = append(requests, object{"toolCallId": id, "name": pick(c.story, "bash", "view"), "arguments": object{"n": c.last}, "type": "function"})
	}
	content := c.text("Say")
	if calls > 0 && c.one(3) {
		content = ""
	}
	c.event("assistant.message", object{"messageId": c.id("m"), "content": content, "toolRequests": requests, "model": "m"})
	for _, id := range ids {
		if c.one(25) {
			continue // it runs
		}
		c.event("tool.execution_start", object{"toolCallId": id, "toolName": "bash", "arguments": object{}})
		if c.one(8) {
			c.subAgent(id)
		}
		data := object{"toolCallId": id, "success": true, "result": object{"content": c.text("Result"), "detailedContent": "more"}}
		switch c.IntN(6) {
		case 0:
			data = object{"toolCallId": id, "success": false, "error": object{"message": c.text("Result"), "code": "failure"}}
		case 1:
			data["result"] = object{"content": strings.Repeat(c.text("Result")+" ", 500)}
		}
		c.event("tool.execution_complete", data)
	}
	c.event("assistant.turn_end", object{"turnId": "0"})
}

// rewind takes back a message of the user and all later events, as the program does: it removes them from the file.
func (c *copilotStory) rewind() {
	n := c.IntN(len(c.asked))
	at := c.asked[n]
	var event struct{ ParentID any }
	if err := json.Unmarshal([]byte(c.lines[at]), &event, json.MatchCaseInsensitiveNames(true)); err != nil {
		panic(err) // impossible: it was made here
	}
	c.lines, c.asked, c.parent = c.lines[:at], c.asked[:n], event.ParentID
	if len(c.asked) == 0 {
		c.request()
	}
}

// subAgent adds events of a sub-agent that a call started.
func (c *copilotStory) subAgent(call string) {
	c.event("subagent.started", object{"toolCallId": call, "agentName": "task", "agentDisplayName": "Task", "agentDescription": "d"})
	c.event("user.message", object{"content": c.text("Sub"), "parentToolCallId": call}, object{"agentId": "a1"})
	c.event("assistant.message", object{"messageId": c.id("m"), "content": c.text("Sub"), "toolRequests": []any{}, "parentToolCallId": call}, object{"agentId": "a1"})
	c.event("subagent.completed", object{"toolCallId": call, "agentName": "task", "agentDisplayName": "Task"})
}

// beside adds events that are not turns, and events that change the conversation.
func (c *copilotStory) beside() {
	switch c.IntN(14) {
	case 0, 1:
		c.event("session.compaction_start", object{"trigger": "manual"})
		data := object{"success": true, "summaryContent": c.text("Summary"), "preCompactionTokens": 1000}
		if c.one(5) {
			data = object{"success": false, "error": "failed"}
		}
		c.event("session.compaction_complete", data)
	case 2, 3:
		c.rewind()
	case 4:
		data := object{"messagesCleared": 1}
		if c.one(2) {
			data["initialMessage"] = c.text("Ask")
		}
		c.event("session.context_cleared", data)
	case 5:
		c.event(pick(c.story, "session.error", "session.info", "session.warning"), object{"errorType": "x", "infoType": "x", "warningType": "x", "message": "m"})
	case 6:
		c.event("abort", object{"reason": "user initiated"})
	case 7:
		c.event("session.brand_new", object{"x": 1}, object{"ephemeral": false})
	case 8:
		c.event("system.message", object{"role": "system", "content": "You are an agent."})
	case 9:
		c.damage()
	}
}
