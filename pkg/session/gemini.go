package session

import (
	"fmt"
	"hash/maphash"
	"slices"
	"strings"

	"github.com/eaapl/handoff/pkg/format"
	"github.com/eaapl/handoff/pkg/jsonstream"
)

// A geminiReader reads a session of the Gemini CLI. Its file is a log: messages, which replace earlier ones
// with their ids; {"$set": …}, which changes the description, or all messages; {"$rewindTo": ID}, which removes
// a message and those after it. The first versions wrote one object, with the messages in it. It follows
// loadConversationRecord and convertSessionToClientHistory of @google/gemini-cli-core 0.61.0.
type geminiReader struct {
	*Session
	src      *source
	messages []geminiMessage
	byID     map[string]int // indices in messages
	seed     maphash.Seed
}

// A geminiMessage is the place of a message.
type geminiMessage struct {
	id    string
	at    place
	index int // in the array of messages in the line, -1 if the line is the message
	usage Usage
	text  uint64 // a hash of its text if it is of the user or the agent, 0 for none
}

// isGemini reports whether a line describes a session of the Gemini CLI.
func isGemini(root jsonstream.Value) bool {
	return root.Get("sessionId").Kind() == jsonstream.String && root.Get("projectHash").Kind() == jsonstream.String
}

func (r *geminiReader) index(at place, root jsonstream.Value) {
	switch set := root.Get("$set"); {
	case root.Get("$rewindTo").Kind() == jsonstream.String:
		kept := r.byID[root.Get("$rewindTo").Text()] // 0 for an unknown id, which removes all
		for _, m := range r.messages[kept:] {
			r.dropped(m, RolledBack)
			delete(r.byID, m.id)
		}
		r.messages = r.messages[:kept]
	case root.Get("id").Kind() == jsonstream.String && agentOf(root) == "":
		r.add(at, -1, root)
	case set.Kind() == jsonstream.Object:
		if set.Get("messages").Kind() == jsonstream.Array {
			r.Compactions++
			kept := map[uint64]bool{}
			for _, m := range set.Get("messages").Elements() {
				kept[r.hash(m)] = true
			}
			for _, m := range r.messages {
				if !kept[m.text] {
					r.dropped(m, BeforeCompaction)
				}
			}
			r.messages, r.byID = nil, map[string]int{}
		}
		r.describe(at, set)
	case isGemini(root):
		r.describe(at, root)
	case isStrange(root, r.Agent):
		r.omit(OtherAgent, at.line)
	}
}

// describe reads the members of the session, and the messages among them.
func (r *geminiReader) describe(at place, v jsonstream.Value) {
	set(&r.ID, v.Get("sessionId"))
	set(&r.Title, v.Get("summary"))
	r.span(v.Get("startTime").Text())
	r.span(v.Get("lastUpdated").Text())
	for i, m := range v.Get("messages").Elements() {
		if m.Get("id").Kind() == jsonstream.String {
			r.add(at, i, m)
		}
	}
}

// hash returns a hash of the text of a message of the user or the agent, 0 for none.
func (r *geminiReader) hash(m jsonstream.Value) uint64 {
	kind, text := m.Get("type").Text(), geminiText(m.Get("content"))
	if kind != "user" && kind != "gemini" || text == "" {
		return 0
	}
	return maphash.String(r.seed, kind+" "+text) | 1
}

// dropped counts a message that is not part of the conversation any more.
func (r *geminiReader) dropped(m geminiMessage, cause Cause) {
	if m.text != 0 {
		r.omit(cause, m.at.line)
	}
}

// add adds a message, or replaces the one with its id.
func (r *geminiReader) add(at place, index int, m jsonstream.Value) {
	r.span(m.Get("timestamp").Text())
	if m.Get("type").Text() == "gemini" {
		set(&r.Model, m.Get("model"))
	}
	tokens := m.Get("tokens")
	cached := format.Natural(tokens.Get("cached"))
	added := geminiMessage{strings.Clone(m.Get("id").Text()), at, index, Usage{
		Input: max(format.Natural(tokens.Get("input"))-cached, 0), CacheRead: cached,
		Output: format.Natural(tokens.Get("output")) + format.Natural(tokens.Get("thoughts")), Reasoning: format.Natural(tokens.Get("thoughts")),
	}, r.hash(m)}
	if n, known := r.byID[added.id]; known {
		if r.messages[n].text != added.text { // else it was written again, with its calls
			r.dropped(r.messages[n], Replaced)
		}
		r.messages[n] = added
		return
	}
	r.byID[added.id] = len(r.messages)
	r.messages = append(r.messages, added)
}

func (r *geminiReader) collect(c *collector) error {
	var root jsonstream.Value
	var within []jsonstream.Value // the messages in the line
	var at place                  // of root; a line may have several
	for _, m := range r.messages {
		if m.at != at {
			var err error
			if root, err = r.src.at(m.at); err != nil {
				return err
			}
			at, within = m.at, nil
			for _, v := range [...]jsonstream.Value{root, root.Get("$set")} {
				for _, one := range v.Get("messages").Elements() {
					within = append(within, one)
				}
			}
		}
		one := root
		if m.index >= 0 {
			one = within[m.index]
		}
		if !c.gemini(one) {
			r.omit(ByProgram, m.at.line)
		}
		r.Usage.Input += m.usage.Input
		r.Usage.CacheRead += m.usage.CacheRead
		r.Usage.Output += m.usage.Output
		r.Usage.Reasoning += m.usage.Reasoning
	}
	return nil
}

// gemini collects a message, and reports false if the user wrote it to the program, or the program in the
// user's name. Messages about the program itself are no turns.
func (c *collector) gemini(m jsonstream.Value) bool {
	time := timeOf(m)
	switch text := geminiText(m.Get("content")); m.Get("type").Text() {
	case "user":
		for _, p := range m.Get("content").Elements() {
			if answer := p.Get("functionResponse"); answer.Exists() {
				c.result(answer.Get("id").Text(), responseText(answer.Get("response")), time, answer.At("/response/error").Exists(), true)
			}
		}
		if !isGeminiCommand(text) {
			c.user(text, time, true)
		}
		return !isGeminiCommand(text)
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

// isGeminiCommand reports whether a text of the user is a command to the program, or one that the program
// added in the user's name.
func isGeminiCommand(text string) bool {
	text = strings.TrimSpace(text)
	return slices.ContainsFunc([]string{"/", "?", "<session_context>", "<hook_context>"}, func(mark string) bool { return strings.HasPrefix(text, mark) })
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
		c.result(one.ID, resultText(result), one.Time, status == "error" || status == "cancelled", true)
	}
}

// geminiText returns a copy of the text of a content: a string, a part or an array of parts.
func geminiText(content jsonstream.Value) string {
	if content.Kind() != jsonstream.Array {
		return strings.Clone(partText(content))
	}
	var texts []string
	for _, p := range content.Elements() {
		if text := partText(p); text != "" {
			texts = append(texts, text)
		}
	}
	return strings.Clone(strings.Join(texts, "\n"))
}

// partText returns the text of a part, "" for thoughts, calls and results.
func partText(p jsonstream.Value) string {
	switch {
	case p.Kind() == jsonstream.String:
		return p.Text()
	case p.Get("thought").Kind() == jsonstream.True:
		return ""
	case p.Get("inlineData").Exists(), p.Get("fileData").Exists():
		return fmt.Sprintf("[file of %d bytes]", len(p.Raw()))
	default:
		return p.Get("text").Text()
	}
}

// resultText returns a copy of the text of a tool's result: a string, or parts with function responses.
func resultText(result jsonstream.Value) string {
	var texts []string
	for v := range result.All() {
		if response := v.Get("functionResponse"); response.Exists() {
			texts = append(texts, responseText(response.Get("response")))
		}
	}
	if texts == nil {
		return geminiText(result)
	}
	return strings.Clone(strings.Join(texts, "\n"))
}

// responseText returns the output or the error of a function response, or all of it.
func responseText(response jsonstream.Value) string {
	for _, name := range [...]string{"output", "error"} {
		if text := response.Get(name); text.Kind() == jsonstream.String {
			return strings.Clone(text.Text())
		}
	}
	return string(jsonstream.AppendCompact(nil, response.Raw()))
}
