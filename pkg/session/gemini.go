package session

import (
	"strings"

	"github.com/eaapl/handoff/pkg/format"
	"github.com/eaapl/handoff/pkg/formats/geminicli"
	"github.com/eaapl/handoff/pkg/jsonstream"
)

// A geminiReader reads a session of the Gemini CLI: see [geminicli.Log].
type geminiReader struct {
	*Session
	src   *source
	log   *geminicli.Log
	lines []place
}

func newGeminiReader(s *Session, src *source) *geminiReader {
	r := &geminiReader{Session: s, src: src}
	causes := map[geminicli.Drop]Cause{geminicli.RolledBack: RolledBack, geminicli.Compacted: BeforeCompaction, geminicli.Replaced: Replaced}
	r.log = geminicli.NewLog(func(m geminicli.Message, why geminicli.Drop) { r.omit(causes[why], r.lines[m.Index].line) })
	return r
}

func (r *geminiReader) index(at place, root jsonstream.Value) {
	line, ok := r.log.LineOf(root)
	if !ok {
		if isStrange(root, r.Agent) {
			r.omit(OtherAgent, at.line)
		}
		return
	}
	r.lines = append(r.lines, at)
	r.log.Add(len(r.lines)-1, line)
	r.Compactions = r.log.Compactions()
	within := geminicli.Within(root)
	if set := root.Get("$set"); set.Kind() == jsonstream.Object {
		r.describe(set)
	} else if geminicli.IsDescription(root) {
		r.describe(root)
	} else {
		within = []jsonstream.Value{root}
	}
	for _, m := range within {
		r.span(m.Get("timestamp").Text())
		if m.Get("type").Text() == "gemini" {
			set(&r.Model, m.Get("model"))
		}
	}
}

// describe reads the members of the session.
func (r *geminiReader) describe(v jsonstream.Value) {
	set(&r.ID, v.Get("sessionId"))
	set(&r.Title, v.Get("summary"))
	r.span(v.Get("startTime").Text())
	r.span(v.Get("lastUpdated").Text())
}

func (r *geminiReader) collect(c *collector) error {
	var root jsonstream.Value
	var within []jsonstream.Value // the messages in the line
	read := -1                    // the index of the line
	messages := r.log.Messages()
	if c.whole {
		messages = r.log.All()
		r.include(BeforeCompaction)
	}
	for _, m := range messages {
		if index := int(m.Index); index != read {
			var err error
			if root, err = r.src.at(r.lines[index]); err != nil {
				return err
			}
			read, within = index, geminicli.Within(root)
		}
		one := root
		if m.Nth > 0 {
			one = within[m.Nth-1]
		}
		if !c.gemini(one) {
			r.omit(ByProgram, r.lines[m.Index].line)
		}
		r.count(one.Get("tokens"))
	}
	return nil
}

// count adds the tokens of a message.
func (r *geminiReader) count(tokens jsonstream.Value) {
	cached, thoughts := format.Natural(tokens.Get("cached")), format.Natural(tokens.Get("thoughts"))
	r.Usage.Input += max(format.Natural(tokens.Get("input"))-cached, 0)
	r.Usage.CacheRead += cached
	r.Usage.Output += format.Natural(tokens.Get("output")) + thoughts
	r.Usage.Reasoning += thoughts
}

// gemini collects a message, and reports false if the user wrote it to the program, or the program in the
// user's name. Messages about the program itself are no turns.
func (c *collector) gemini(m jsonstream.Value) bool {
	time := timeOf(m)
	switch text := geminicli.Text(m.Get("content")); m.Get("type").Text() {
	case "user":
		for _, p := range m.Get("content").Elements() {
			if answer := p.Get("functionResponse"); answer.Exists() {
				c.result(answer.Get("id").Text(), geminicli.ResponseText(answer.Get("response")), time, answer.At("/response/error").Exists(), true)
			}
		}
		if !geminicli.IsCommand(text) {
			c.user(text, time, true)
		}
		return !geminicli.IsCommand(text)
	case "gemini":
		c.said(text, m.Get("id").Text(), time, true)
		calls := m.Get("toolCalls")
		for _, call := range calls.Elements() {
			c.geminiCall(call, m.Get("id").Text(), time)
		}
		for _, p := range m.Get("content").Elements() {
			if call := p.Get("functionCall"); call.Exists() && calls.Len() == 0 {
				c.geminiCall(call, m.Get("id").Text(), time)
			}
		}
	}
	return true
}

func (c *collector) geminiCall(call jsonstream.Value, response, time string) {
	args := call.Get("args")
	one := Call{ID: strings.Clone(call.Get("id").Text()), Tool: strings.Clone(call.Get("name").Text()), Input: string(args.Raw()), Time: time}
	if at := timeOf(call); at != "" {
		one.Time = at
	}
	c.called(one, response, true)
	switch path := args.Get("file_path").Text(); one.Tool {
	case "read_file":
		if path == "" {
			path = args.Get("absolute_path").Text()
		}
		c.touched(path, false, false)
	case "write_file", "replace":
		if call.Get("status").Text() == "success" {
			c.touched(path, true, false)
		}
	case "write_todos":
		c.list(args.Get("todos"), "description")
	}
	if result := call.Get("result"); result.Exists() && result.Kind() != jsonstream.Null {
		status := call.Get("status").Text()
		c.result(one.ID, geminicli.ResultText(result), one.Time, status == "error" || status == "cancelled", true)
	}
}
