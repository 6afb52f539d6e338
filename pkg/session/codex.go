package session

import (
	"slices"
	"strings"

	"github.com/eaapl/handoff/pkg/conversation"
	"github.com/eaapl/handoff/pkg/format"
	"github.com/eaapl/handoff/pkg/formats/codex"
	"github.com/eaapl/handoff/pkg/jsonstream"
)

// A codexReader reads a rollout of the Codex CLI. Lines are {timestamp, type, payload}; in the first
// versions they are only the payloads.
type codexReader struct {
	*Session
	src    *source
	thread codex.Thread
	places []place          // of the lines of the thread, by their index
	unread []bool           // of the lines of the thread: it has a message that was not collected yet
	within map[int32][]bool // the same of the turns in the lines of compactions
	// changes are the files that events name, in their order.
	changes []change
	ofFile  bool // the description of the session has been read
}

// payloadOf returns the kind of a line and its payload.
func payloadOf(root jsonstream.Value) (kind string, payload jsonstream.Value) {
	kind, payload = root.Get("type").Text(), root.Get("payload")
	switch {
	case payload.Kind() == jsonstream.Object:
		return kind, payload
	case kind != "":
		return "response_item", root
	case root.Get("id").Kind() == jsonstream.String:
		return "session_meta", root
	}
	return "", root
}

func (r *codexReader) index(at place, root jsonstream.Value) {
	kind, payload := payloadOf(root)
	if payload == root && isStrange(root, r.Agent) {
		r.omit(OtherAgent, at.line)
		return
	}
	if line, ok := codex.LineOf(root); ok {
		line.Index = int32(len(r.places))
		r.places = append(r.places, at)
		r.thread.Add(line)
		r.unread = append(r.unread, kind == conversation.AgentCommunication || kind == "response_item" && codex.IsTurn(payload))
		for _, turn := range codex.Within(root) {
			if r.within == nil {
				r.within = map[int32][]bool{}
			}
			r.within[line.Index] = append(r.within[line.Index], codex.IsTurn(turn))
		}
	}
	switch kind {
	case "session_meta":
		if r.ofFile { // a fork repeats the descriptions of its ancestors
			return
		}
		r.ofFile = true
		set(&r.ID, payload.Get("id"))
		set(&r.Folder, payload.Get("cwd"))
		set(&r.Version, payload.Get("cli_version"))
		set(&r.Branch, payload.At("/git/branch"))
		r.span(payload.Get("timestamp").Text())
	case "turn_context":
		set(&r.Folder, payload.Get("cwd"))
		set(&r.Model, payload.Get("model"))
	case "compacted":
		r.Compactions++
	case "event_msg":
		r.event(payload)
	}
}

func (r *codexReader) event(payload jsonstream.Value) {
	switch payload.Get("type").Text() {
	case "token_count":
		total := payload.At("/info/total_token_usage")
		if total.Kind() != jsonstream.Object {
			return
		}
		cached, input := format.Natural(total.Get("cached_input_tokens")), format.Natural(total.Get("input_tokens"))
		r.Usage = Usage{
			Input: max(input-cached, 0), CacheRead: min(cached, input),
			Output: format.Natural(total.Get("output_tokens")), Reasoning: format.Natural(total.Get("reasoning_output_tokens")),
		}
	case "item_completed":
		if item := payload.Get("item"); item.Get("type").Text() == "FileChange" && item.Get("status").Text() != "failed" && item.Get("status").Text() != "declined" {
			r.addChanges(item.Get("changes"))
		}
	case "patch_apply_end":
		if payload.Get("success").Kind() != jsonstream.False {
			r.addChanges(payload.Get("changes"))
		}
	case "thread_name_updated":
		set(&r.Title, payload.Get("thread_name"))
	}
}

// A change is the change of a file according to an event.
type change struct {
	path    string
	deleted bool
}

func (r *codexReader) addChanges(files jsonstream.Value) {
	for path, file := range files.Members() {
		if len(r.changes) == maxFiles {
			return
		}
		r.changes = append(r.changes, change{strings.Clone(path), file.Get("type").Text() == "delete" || file.Get("delete").Exists()})
		if to := file.Get("move_path").Text(); to != "" {
			r.changes = append(r.changes, change{strings.Clone(to), false})
		}
	}
}

// isCodexRequest reports whether an item is a message of the user, not one that Codex wrote in the
// user's name.
func isCodexRequest(item jsonstream.Value) bool {
	return item.Get("type").Text() == "message" && item.Get("role").Text() == "user" && isCodexText(textOf(item.Get("content")))
}

func isCodexText(text string) bool {
	return strings.TrimSpace(text) != "" && !codex.IsOfProgram(text) && !codex.IsSummary(text)
}

// account marks the turns at spots in a line as read, and counts them if a compaction replaced them.
func (r *codexReader) account(c *collector, spots []format.Spot, isTurn bool) {
	for _, spot := range spots {
		unread := &r.unread[spot.Index]
		if spot.Nth > 0 {
			unread = &r.within[spot.Index][spot.Nth-1]
		}
		if *unread && !isTurn {
			c.omit(BeforeCompaction, r.places[spot.Index].line)
		}
		*unread = false
	}
}

// countRolledBack counts the turns that were not collected: the user took them back.
func (r *codexReader) countRolledBack(c *collector) {
	for i, at := range r.places {
		for _, unread := range append(r.within[int32(i)], r.unread[i]) {
			if unread {
				c.omit(RolledBack, at.line)
			}
		}
	}
}

// messageOf returns the summary in the line of a compaction, "" if its turn is none of those at spots: a later
// compaction replaced it.
func messageOf(line jsonstream.Value, spots []format.Spot) string {
	message := line.At("/payload/message").Text()
	for i, turn := range codex.Within(line) {
		isHere := slices.ContainsFunc(spots, func(s format.Spot) bool { return int(s.Nth) == i+1 })
		if !isHere && message != "" && strings.Contains(textOf(turn.Get("content")), message) {
			return ""
		}
	}
	return message
}

func (r *codexReader) collect(c *collector) error {
	turns, earlier := r.thread.Turns()
	for len(turns)+len(earlier) > 0 {
		isTurn := len(earlier) == 0 || len(turns) > 0 && turns[0].Index < earlier[0].Index
		list := &earlier
		if isTurn {
			list = &turns
		}
		n := 1 // turns in the line
		for n < len(*list) && (*list)[n].Index == (*list)[0].Index {
			n++
		}
		spots := (*list)[:n]
		*list = (*list)[n:]
		root, err := r.src.at(r.places[spots[0].Index])
		if err != nil {
			return err
		}
		kind, payload := payloadOf(root)
		b := codexBlocks{c, timeOf(root), isTurn || c.whole}
		if kind == conversation.AgentCommunication {
			b.fromAgent(payload)
		}
		if r.account(c, spots, b.turn); spots[0].Nth == 0 {
			if !b.item(payload) && b.turn {
				c.omit(ByProgram, r.places[spots[0].Index].line)
			}
			continue
		}
		if !isTurn && !c.whole { // the turns that it replaced are read
			continue
		}
		before := len(c.Turns)
		inLine := format.Elements{Within: codex.Within}
		byProgram := b.compaction(messageOf(root, spots), inLine.At(spots, func(int) jsonstream.Value { return root }))
		for range byProgram {
			c.omit(ByProgram, r.places[spots[0].Index].line)
		}
		if c.whole {
			c.withoutCopies(before)
		}
	}
	r.countRolledBack(c)
	for _, changed := range r.changes { // also by scripts and commands; calls that write patches are known
		path := strings.TrimPrefix(changed.path, strings.TrimSuffix(r.Folder, "/")+"/")
		_, relative := c.files[path]
		_, absolute := c.files[changed.path]
		if !relative && !absolute {
			c.touched(path, true, changed.deleted)
		}
	}
	return nil
}
