package claudecode

import (
	"hash/maphash"
	"iter"

	"github.com/eaapl/handoff/pkg/format"
	"github.com/eaapl/handoff/pkg/internal/chat"
	"github.com/eaapl/handoff/pkg/jsonstream"
)

// A trail finds the lines of the conversation, oldest first. If no line has a uuid, as in the
// output of the claude command, these are all lines of a user or an assistant.
//
// Texts are represented by 64-bit hashes, with a random seed per session, so that an entry takes
// few bytes. The probability of a collision among a million texts is one in 20 million.
type trail struct {
	seed    maphash.Seed
	entries [][]Entry[uint64]
	plain   []format.Spot
	made    *Tree[uint64] // of the entries; nil if it is not made yet
}

// tree returns the tree of the entries.
func (t *trail) tree() *Tree[uint64] {
	if t.made == nil {
		t.made = NewTree(t.entries...)
	}
	return t.made
}

func newTrail() format.Trail { return &trail{seed: maphash.MakeSeed()} }

// lines is the result of [trail.Read].
type lines struct {
	entries []Entry[uint64]
	plain   []format.Spot
}

func (t *trail) Read(all iter.Seq2[int, jsonstream.Value]) any {
	var read lines
	of := func(text string) uint64 {
		if text == "" {
			return 0
		}
		return maphash.String(t.seed, text) | 1
	}
	for i, line := range all {
		if e, ok := entryOf(line, of); ok {
			e.Order = i
			read.entries = append(read.entries, e)
		} else if fit(line) == format.Typical {
			read.plain = append(read.plain, format.Spot{Index: int32(i)})
		}
	}
	read.entries = append(make([]Entry[uint64], 0, len(read.entries)), read.entries...)
	return read
}

func (t *trail) Add(read any) {
	more := read.(lines)
	t.entries, t.plain, t.made = append(t.entries, more.entries), append(t.plain, more.plain...), nil
}

// Losses returns the turns that the conversation is cut off from, or that a retry left beside it, and the turns
// without a uuid if others have one.
func (t *trail) Losses() []format.Loss {
	tree := t.tree()
	losses := tree.losses()
	if len(tree.nodes) > 0 && len(t.plain) > 0 {
		losses = append(losses, format.Loss{Cause: format.Unlinked, At: int(t.plain[0].Index), Turns: len(t.plain)})
	}
	return losses
}

func (t *trail) Turns() []format.Spot {
	tree := t.tree()
	if len(tree.nodes) == 0 {
		return t.plain
	}
	nodes, end := tree.Conversation()
	turns := make([]format.Spot, 0, len(nodes))
	visible := tree.Visible(nodes, end)
	for i, n := range nodes {
		if e := tree.Entry(n); e.Speaks() || e.Queued && visible[i] {
			turns = append(turns, format.Spot{Index: int32(e.Order)})
		}
	}
	return turns
}

// Compactions implements [format.Revising]. It returns the compactions in the conversation.
func (t *trail) Compactions() (all []format.Compaction) {
	tree := t.tree()
	path, _ := tree.Conversation()
	spotsOf := func(nodes []int) (spots []format.Spot) {
		for _, n := range nodes {
			if e := tree.Entry(n); e.Speaks() && !e.Meta && !e.Summary && !e.Sidechain {
				spots = append(spots, format.Spot{Index: int32(e.Order)})
			}
		}
		return spots
	}
	begin := 0
	for i, n := range path {
		if !tree.Entry(n).Compaction {
			continue
		}
		c := format.Compaction{At: tree.Entry(n).Order, Replaced: spotsOf(path[begin:i])}
		if i == 0 {
			c.Replaced = spotsOf(tree.Before(path))
		}
		for _, later := range path[i+1:] {
			if e := tree.Entry(later); e.Compaction {
				break
			} else if e.Summary {
				c.Instead = append(c.Instead, format.Spot{Index: int32(e.Order)})
			}
		}
		begin = i
		if len(c.Instead) > 0 {
			all = append(all, c)
		}
	}
	return all
}

// RolledBack implements [format.Revising]. It returns nothing: messages that the user took back are on other branches.
func (t *trail) RolledBack() []format.Spot { return nil }

// kindOf implements [format.Elements.Kind]. It knows the types of lines of the versions up to 2.1.
func kindOf(line jsonstream.Value) (kind string, known bool) {
	switch kind = line.Get("type").Text(); kind {
	case "user", "assistant", "attachment", "system", "progress", "summary", "file-history-snapshot", "queue-operation", "custom-title", "ai-title",
		"last-prompt", "tag", "agent-name", "agent-color", "agent-setting", "mode", "permission-mode", "pr-link", "worktree-state", "result",
		"stream_event", "rate_limit_event", "content-replacement", "saved_hook_context", "task-summary", chat.CarriedType:
		return kind, true
	}
	return kind, false
}
