package sessiontest

import (
	"fmt"
	"strings"
)

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
