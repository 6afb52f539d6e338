package session

import (
	"cmp"
	"fmt"
	"strings"
	"time"

	"github.com/eaapl/handoff/pkg/format"
	"github.com/eaapl/handoff/pkg/formats/opencode"
	"github.com/eaapl/handoff/pkg/jsonstream"
	"github.com/eaapl/handoff/pkg/message"
)

// An opencodeReader reads a session that OpenCode exported: one document.
type opencodeReader struct {
	*Session
	src *source
	at  place
}

func (r *opencodeReader) index(at place, root jsonstream.Value) {
	if !opencode.IsSession(root) {
		if isStrange(root, r.Agent) {
			r.omit(OtherAgent, at.line)
		}
		return
	}
	r.at = at
	info := root.Get("info")
	set(&r.ID, info.Get("id"))
	set(&r.Title, info.Get("title"))
	set(&r.Folder, info.Get("directory"))
	set(&r.Version, info.Get("version"))
	r.spanMillis(info.At("/time/created"))
	for _, m := range root.Get("messages").Elements() {
		about := m.Get("info")
		r.spanMillis(about.At("/time/created"))
		r.spanMillis(about.At("/time/completed"))
		if about.Get("role").Text() == "assistant" {
			set(&r.Model, about.Get("modelID"))
		}
		if opencode.IsSummary(m) {
			r.Compactions++
		}
	}
}

// spanMillis records a time in milliseconds since 1970.
func (s *Session) spanMillis(v jsonstream.Value) { s.span(timeOfMillis(v)) }

// timeOfMillis returns a number of milliseconds since 1970 as a date-time, "" for none.
func timeOfMillis(v jsonstream.Value) string {
	ms := format.Natural(v)
	if ms == 0 {
		return ""
	}
	return time.UnixMilli(ms).UTC().Format("2006-01-02T15:04:05.000Z")
}

func (r *opencodeReader) collect(c *collector) error {
	root, err := r.src.at(r.at)
	if err != nil {
		return err
	}
	var messages []jsonstream.Value
	var facts []opencode.Message
	for _, v := range root.Get("messages").Elements() {
		if m, ok := opencode.MessageOf(v); ok {
			messages, facts = append(messages, v), append(facts, m)
		}
	}
	causes := map[opencode.Standing]Cause{opencode.Compacted: BeforeCompaction, opencode.RolledBack: RolledBack, opencode.Failed: Failed}
	cost := message.NewDecimal(0, 0)
	priced := false
	for i, standing := range opencode.Standings(facts, root.At("/info/revert/messageID").Text()) {
		m := messages[i]
		if m.At("/info/role").Text() == "assistant" {
			r.count(m.Get("info"))
			if n, err := message.Number(m.At("/info/cost").Raw()).Decimal(); err == nil {
				cost, priced = cost.Add(n), true
			}
		}
		if standing == opencode.Compacted && c.whole {
			standing = opencode.Current
		}
		text, said := opencode.Text(m)
		switch {
		case standing == opencode.Current && facts[i].Summary:
			c.Summary = strings.TrimPrefix(c.Summary+"\n\n"+text, "\n\n")
		case standing == opencode.Current:
			c.opencode(m, text, said)
		case text != "":
			r.omit(causes[standing], m.Position().Line)
		}
	}
	if priced {
		r.Usage.CostUSD = &cost
	}
	return nil
}

// count adds the tokens of a response.
func (r *opencodeReader) count(info jsonstream.Value) {
	tokens := info.Get("tokens")
	reasoning := format.Natural(tokens.Get("reasoning"))
	r.Usage.Input += format.Natural(tokens.Get("input"))
	r.Usage.CacheRead += format.Natural(tokens.At("/cache/read"))
	r.Usage.CacheWrite += format.Natural(tokens.At("/cache/write"))
	r.Usage.Output += format.Natural(tokens.Get("output")) + reasoning
	r.Usage.Reasoning += reasoning
}

// opencode collects a message. said is the part of its text that the user typed.
func (c *collector) opencode(m jsonstream.Value, text, said string) {
	id, at := m.At("/info/id").Text(), timeOfMillis(m.At("/info/time/created"))
	if m.At("/info/role").Text() == "user" {
		text, said = withFiles(text, m.Get("parts"), isOpenCodeFile), withFiles(said, m.Get("parts"), isOpenCodeFile)
		if text != "" {
			c.add(Turn{Role: "user", Text: text, Time: at})
		}
		c.user(said, at, false)
		return
	}
	step := 0 // each step of a message is a response of its own
	for _, p := range m.Get("parts").Elements() {
		response := fmt.Sprintf("%s %d", id, step)
		switch p.Get("type").Text() {
		case "step-start":
			step++
		case "text":
			if p.Get("ignored").Kind() != jsonstream.True {
				c.said(strings.Clone(p.Get("text").Text()), response, at, true)
			}
		case "tool":
			c.opencodeCall(p, response, at)
		}
	}
}

// isOpenCodeFile reports whether a part is an attached file, other than one whose text is another part.
func isOpenCodeFile(p jsonstream.Value) bool {
	return p.Get("type").Text() == "file" && !opencode.IsQuoted(p)
}

func (c *collector) opencodeCall(p jsonstream.Value, response, at string) {
	state := p.Get("state")
	input := state.Get("input")
	if started := timeOfMillis(state.At("/time/start")); started != "" {
		at = started
	}
	call := Call{ID: strings.Clone(p.Get("callID").Text()), Tool: strings.Clone(p.Get("tool").Text()), Input: string(input.Raw()), Time: at}
	c.called(call, response, true)
	done := state.Get("status").Text()
	switch call.Tool {
	case "read":
		c.touched(input.Get("filePath").Text(), false, false)
	case "write", "edit", "multiedit":
		if done == "completed" {
			c.touched(input.Get("filePath").Text(), true, false)
		}
	case "apply_patch", "patch":
		if done == "completed" {
			c.patched(cmp.Or(input.Get("patchText").Text(), input.Get("patch").Text()))
		}
	case "todowrite":
		c.list(input.Get("todos"), "content")
	case "question":
		c.asked[call.ID] = ask{kind: "question"}
	}
	switch done {
	case "completed":
		c.result(call.ID, withFiles(state.Get("output").Text(), state.Get("attachments"), isOpenCodeFile), at, false, true)
	case "error":
		c.result(call.ID, strings.Clone(state.Get("error").Text()), at, true, true)
	}
}
