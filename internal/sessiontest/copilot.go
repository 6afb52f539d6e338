package sessiontest

import (
	"fmt"
	"strings"

	"github.com/go-json-experiment/json"
)

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
