package session

import (
	"strings"

	"github.com/eaapl/handoff/pkg/format"
	"github.com/eaapl/handoff/pkg/jsonstream"
)

// A codexItem is a line of a Codex CLI session that belongs to the conversation.
type codexItem struct {
	place
	user      bool // a request of the user starts here
	compacted bool
}

// A codexReader reads a rollout of the Codex CLI. Lines are {timestamp, type, payload}; in the first
// versions they are only the payloads.
type codexReader struct {
	*Session
	src    *source
	items  []codexItem
	ofFile bool // the description of the session has been read
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
		r.items = append(r.items, codexItem{place: at, compacted: true})
	case "response_item":
		r.items = append(r.items, codexItem{place: at, user: isCodexRequest(payload)})
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
	case "thread_rolled_back":
		r.rollBack(format.Natural(payload.Get("num_turns")))
	case "thread_name_updated":
		set(&r.Title, payload.Get("thread_name"))
	}
}

// rollBack removes the last requests of the user and all items after them.
func (r *codexReader) rollBack(requests int64) {
	for ; requests > 0 && len(r.items) > 0; requests-- {
		n := len(r.items) - 1
		for n > 0 && !r.items[n].user {
			n--
		}
		r.items = r.items[:n]
	}
}

// isCodexRequest reports whether an item is a message of the user, not one that Codex wrote in the
// user's name.
func isCodexRequest(item jsonstream.Value) bool {
	return item.Get("type").Text() == "message" && item.Get("role").Text() == "user" && isCodexText(textOf(item.Get("content")))
}

func isCodexText(text string) bool {
	return isRequest(text) && !strings.HasPrefix(text, "# AGENTS.md instructions") && !strings.HasPrefix(text, summaryMark)
}

// summaryMark starts a summary that Codex gives to the model after a compaction.
const summaryMark = "Another language model started to solve this problem"

func (r *codexReader) collect(c *collector) error {
	for _, item := range r.items {
		root, err := r.src.at(item.place)
		if err != nil {
			return err
		}
		b := codexBlocks{c, timeOf(root)}
		_, payload := payloadOf(root)
		if item.compacted {
			b.compaction(payload)
		} else {
			b.item(payload)
		}
	}
	return nil
}
