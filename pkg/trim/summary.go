package trim

import (
	"slices"
	"strings"

	"github.com/eaapl/handoff/pkg/conversation"
	"github.com/eaapl/handoff/pkg/history"
	"github.com/eaapl/handoff/pkg/jsonstream"
)

// preamble is the beginning of a turn that is a summary; oldPreamble is the one that earlier versions
// wrote.
const (
	preamble    = "Summary of removed turns:\n"
	oldPreamble = "Summary of the earlier conversation, whose turns were removed:\n"
)

// speaker returns the role of a turn that is a summary: the assistant's, which no model takes for an
// instruction (section 10.1), unless a conversation may not begin with it.
func speaker(h *history.History) string {
	if h.Layout().UserFirst {
		return "user"
	}
	return "assistant"
}

// likeOf returns a turn whose form a summary takes: one with the role of speaker, if there is any.
func likeOf(h *history.History) jsonstream.Value {
	if len(h.Turns) == 0 || h.Layout().Say == nil {
		return jsonstream.Value{}
	}
	role := speaker(h)
	i := slices.IndexFunc(h.Turns, func(t conversation.Turn) bool { return t.Role == role })
	return h.Turns[max(i, 0)].Value
}

// summaryTurn returns a summary as a turn of the conversation.
func (d *draft) summaryTurn(text string) []byte {
	return d.h.Layout().Speak(d.like, speaker(d.h), preamble+text)
}

// formerSummary returns the index of the turn with the summary of an earlier trim, or -1. In a format
// without a place for the record, it is identified by its text alone.
func formerSummary(h *history.History, r Record) int {
	if r.DroppedTurns <= 0 && hasNotes(h) {
		return -1
	}
	return slices.IndexFunc(h.Turns, func(t conversation.Turn) bool {
		switch {
		case t.Role == "assistant" && (!hasNotes(h) || t.Value.Len() == 2):
		case t.Role == "user" && !hasNotes(h): // the remaining turns may look like another format
		default:
			return false
		}
		text := soleText(t.Value)
		return strings.HasPrefix(text, preamble) || strings.HasPrefix(text, oldPreamble)
	})
}

// soleText returns the text of a turn with no other content, "" for any other turn.
func soleText(turn jsonstream.Value) (text string) {
	n := 0
	for p := range conversation.Parts(turn) {
		if n++; n > 1 || p.Kind != conversation.Said {
			return ""
		}
		if text = p.Value.Text(); p.Value.Kind() == jsonstream.Object {
			text = p.Value.Get("text").Text()
		}
	}
	return text
}

// previous returns the summary of an earlier trim.
func (d *draft) previous() string {
	if d.former >= 0 {
		return strings.TrimPrefix(strings.TrimPrefix(soleText(d.h.Turns[d.former].Value), preamble), oldPreamble)
	}
	if name := d.h.Layout().Summary; name != "" {
		return d.h.Root.Get(name).Text()
	}
	return ""
}
