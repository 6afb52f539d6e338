package session

import (
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/eaapl/handoff/pkg/formats/codex"
	"github.com/eaapl/handoff/pkg/jsonstream"
)

// Limits of the data kept besides the turns.
const (
	maxRequests  = 51 // the first and the latest
	maxDecisions = 20
	maxCalls     = 200
	maxFiles     = 1000
	maxTodos     = 200
	maxBetween   = 100      // results between the parts of a response
	maxJoined    = 64 << 10 // text of a turn, in bytes, up to which parts of its response are joined
	maxTogether  = 200      // calls of a turn
	maxText      = 4 << 10  // of a request, an answer, a decision and a to-do entry, in bytes
)

// A collector collects the contents of a session's lines, in order.
type collector struct {
	*Session
	tailBytes int
	whole     bool           // see [Options].BeforeCompaction
	branch    string         // see [Options].Branch
	bytes     int            // of the kept turns
	asked     map[string]ask // calls whose results are needed, by id
	files     map[string]int // indices in Files
}

// An ask is a call that asks the user a question.
type ask struct{ kind, text string }

func newCollector(s *Session, o Options) *collector {
	c := &collector{Session: s, tailBytes: o.TailBytes, whole: o.BeforeCompaction, branch: o.Branch, asked: map[string]ask{}, files: map[string]int{}}
	if c.tailBytes <= 0 {
		c.tailBytes = DefaultTailBytes
	}
	return c
}

// user adds a message of the user, and a turn if the line is part of the conversation.
func (c *collector) user(text, time string, turn bool) {
	if text == "" {
		return
	}
	if turn {
		c.add(Turn{Role: "user", Text: text, Time: time})
	}
	c.Requests = append(c.Requests, Request{Text: clip(text), Time: time})
	c.RequestCount++
	c.Open = true
	if len(c.Requests) > 2*maxRequests {
		c.Requests = slices.Delete(c.Requests, 1, len(c.Requests)-maxRequests+1)
	}
}

// said adds an assistant's message to the last request.
func (c *collector) said(text, response, time string, turn bool) {
	if text == "" {
		return
	}
	c.Open = false
	if n := len(c.Requests); n > 0 {
		c.Requests[n-1].Answer = clip(text)
	}
	if !turn {
		return
	}
	if t := c.sameResponse(response); t != nil && len(t.Calls) == 0 && len(t.Text) < maxJoined {
		t.Text += "\n\n" + text
		c.bytes += len("\n\n") + len(text)
		return
	}
	c.add(Turn{Role: "assistant", Text: text, Time: time, response: response})
}

// called adds a tool call.
func (c *collector) called(call Call, response string, turn bool) {
	c.Open = len(c.Requests) > 0
	c.CallCount++
	c.Calls = append(c.Calls, call)
	if len(c.Calls) > 2*maxCalls {
		c.Calls = slices.Delete(c.Calls, 0, len(c.Calls)-maxCalls)
	}
	if !turn {
		return
	}
	t := c.sameResponse(response)
	if n := len(c.Turns); t == nil && n > 0 && c.Turns[n-1].Role == "assistant" && c.Turns[n-1].response == response {
		t = &c.Turns[n-1] // parallel calls
	}
	if t != nil && len(t.Calls) < maxTogether {
		t.Calls = append(t.Calls, call)
		c.bytes += call.size()
		return
	}
	c.add(Turn{Role: "assistant", Calls: []Call{call}, Time: call.Time, response: response})
}

// sameResponse returns the turn of the same response, nil for a new response. Results of earlier
// calls may lie between its parts.
func (c *collector) sameResponse(response string) *Turn {
	for i := len(c.Turns) - 1; i >= max(0, len(c.Turns)-maxBetween) && response != ""; i-- {
		switch t := &c.Turns[i]; t.Role {
		case "assistant":
			if t.response == response {
				return t
			}
			return nil
		case "user":
			return nil
		}
	}
	return nil
}

// result adds a tool result.
func (c *collector) result(id, text, time string, failed, turn bool) {
	if asked, ok := c.asked[id]; ok {
		delete(c.asked, id)
		if asked.kind == "plan" && failed {
			asked.kind = "rejection"
		}
		c.decided(asked.kind, strings.TrimSpace(asked.text+"\n"+text), time)
	} else if failed && strings.HasPrefix(text, "The user doesn't want to") {
		c.decided("rejection", text, time)
	}
	if turn {
		c.add(Turn{Role: "tool", CallID: strings.Clone(id), Text: text, Failed: failed, Time: time})
	}
}

func (c *collector) decided(kind, text, time string) {
	c.Decisions = append(c.Decisions, Decision{kind, clip(text), time})
	if len(c.Decisions) > maxDecisions {
		c.Decisions = slices.Delete(c.Decisions, 0, 1)
	}
}

// add adds a turn, and drops the oldest ones when the total is well over the limit.
func (c *collector) add(t Turn) {
	c.Turns = append(c.Turns, t)
	c.bytes += t.size()
	if c.bytes > 2*c.tailBytes {
		c.shorten()
	}
}

// shorten drops the oldest turns, and results whose calls were dropped.
func (c *collector) shorten() {
	n := 0
	for n < len(c.Turns)-1 && (c.bytes > c.tailBytes || c.Turns[n].Role == "tool") {
		c.bytes -= c.Turns[n].size()
		n++
	}
	c.Turns = slices.Delete(c.Turns, 0, n)
	c.TurnsLeftOut += n
}

// compacted drops all turns: a conversation that begins with a summary follows.
func (c *collector) compacted(summary string) {
	c.Compactions++
	if c.whole {
		return
	}
	c.Summary = summary
	c.Turns, c.TurnsLeftOut, c.bytes = nil, 0, 0
}

// withoutCopies drops the turns from an index on that say the same as one before: a compaction repeats turns.
func (c *collector) withoutCopies(from int) {
	said := map[string]bool{}
	for _, t := range c.Turns[:from] {
		said[t.Role+" "+t.Text] = true
	}
	rest := slices.DeleteFunc(slices.Clone(c.Turns[from:]), func(t Turn) bool { return len(t.Calls) == 0 && said[t.Role+" "+t.Text] })
	c.Turns = append(c.Turns[:from], rest...)
}

// finish completes the session.
func (c *collector) finish() {
	if c.bytes > c.tailBytes {
		c.shorten()
	}
	if len(c.Requests) > maxRequests {
		c.Requests = slices.Delete(c.Requests, 1, len(c.Requests)-maxRequests+1)
	}
	if len(c.Calls) > maxCalls {
		c.Calls = slices.Delete(c.Calls, 0, len(c.Calls)-maxCalls)
	}
}

func (t *Turn) size() int {
	n := len(t.Text) + 64
	for _, call := range t.Calls {
		n += call.size()
	}
	return n
}

func (c *Call) size() int { return len(c.Input) + 64 }

// touched records a file that a tool read or changed.
func (c *collector) touched(path string, changed, deleted bool) {
	if path == "" {
		return
	}
	i, known := c.files[path]
	if !known {
		if len(c.Files) >= maxFiles {
			return
		}
		i = len(c.Files)
		c.files[strings.Clone(path)] = i
		c.Files = append(c.Files, File{Path: strings.Clone(path)})
	}
	if f := &c.Files[i]; changed {
		f.Changed++
		f.Deleted = deleted
	} else {
		f.Read++
	}
}

// patched records the files in a patch of apply_patch, with the change of each.
func (c *collector) patched(patch string) {
	if strings.Contains(patch, beginPatch) {
		c.patchLines(patch)
	}
}

const beginPatch = "*** Begin Patch"

// patchLines records the files that lines of a patch name.
func (c *collector) patchLines(lines string) {
	for path, deleted := range codex.PatchedFiles(lines) {
		c.touched(path, true, deleted)
	}
}

// list replaces the to-do list with the elements of an array.
func (c *collector) list(items jsonstream.Value, text string) {
	if items.Kind() != jsonstream.Array {
		return
	}
	c.Todos = nil
	for _, item := range items.Elements() {
		if len(c.Todos) < maxTodos && item.Get(text).Text() != "" {
			c.Todos = append(c.Todos, Todo{clip(item.Get(text).Text()), strings.Clone(item.Get("status").Text())})
		}
	}
}

// clip returns a copy of a text, cut after maxText bytes.
func clip(text string) string { return Clip(text, maxText) }

// Clip returns a copy of a text, cut after about the given number of bytes. A cut text ends with
// "…".
func Clip(text string, bytes int) string {
	if len(text) <= bytes {
		return strings.Clone(text)
	}
	for bytes > 0 && !utf8.RuneStart(text[bytes]) {
		bytes--
	}
	return text[:bytes] + "…"
}

// withFiles returns a copy of a text with a note for each file in a list.
func withFiles(text string, list jsonstream.Value, isFile func(jsonstream.Value) bool) string {
	text = strings.Clone(text)
	for _, v := range list.Elements() {
		if isFile(v) {
			text = strings.TrimPrefix(fmt.Sprintf("%s\n[file of %d bytes]", text, len(v.Raw())), "\n")
		}
	}
	return text
}
