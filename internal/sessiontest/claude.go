package sessiontest

import (
	"fmt"
	"strings"
)

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
