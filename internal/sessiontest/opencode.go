package sessiontest

import (
	"fmt"
	"strings"
)

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
	info := object{"id": o.session, "slug": "a", "projectID": "global", "directory": "/work", "title": "A title", "version": "1.18.33", "time": object{"created": int64(1796007367320), "updated": int64(1796008091139)}}
	if s.one(5) && !o.isOpen {
		info["revert"] = object{"messageID": pick(s, o.ids...)}
	}
	return encode(object{"info": info, "messages": o.messages})
}

// message adds a message with parts.
func (o *opencodeStory) message(info object, parts ...object) {
	o.last++
	at := 1796007367320 + int64(o.last)*1000
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
