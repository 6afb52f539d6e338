package chat

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"

	"github.com/eaapl/handoff/pkg/internal/exchange"
	"github.com/eaapl/handoff/pkg/internal/tree"
)

// A Writing is the state of writing one message.
type Writing struct {
	exchange.Meaning
	Style string          // of [Form.Style], "" for the usual one
	Place string          // the place of the elements in the message
	Maker *exchange.Maker // nil for a context in another message

	list   string // the place of the elements being written
	seen   map[string]int
	called map[string]bool // the ids of the calls written as items
	ids    map[string]bool // the ids of the items
}

// ID returns an id in the form of a UUID for the element with an index that represents a turn. It
// depends only on the turn, not on other turns.
func (w *Writing) ID(turn tree.Node, index int, member string) tree.Node {
	of := turn.Digest().String()
	w.seen[of+member]++
	seed := ""
	if w.Maker.IsFresh() {
		seed = w.Maker.Seed
	}
	sum := sha256.Sum256(fmt.Appendf(nil, "%q %q %q %d", seed, of, member, w.seen[of+member]))
	sum[6], sum[8] = sum[6]&0x0f|0x40, sum[8]&0x3f|0x80
	s := hex.EncodeToString(sum[:16])
	id := tree.String(s[:8] + "-" + s[8:12] + "-" + s[12:16] + "-" + s[16:20] + "-" + s[20:])
	return w.Up(index, member, id, "SHA-256 of the seed and the turn, as a UUID")
}

// Site returns the folder and the branch of a new session, None if they are unknown.
func (w *Writing) Site() (folder, branch tree.Node) {
	folder, branch = w.Values[exchange.RowState].Get("folder"), w.Values[exchange.RowState].Get("branch")
	if folder.Text() == "" {
		folder = w.Folder
	}
	if branch.Text() == "" {
		branch = w.Branch
	}
	return folder, branch
}

// Up records that a member of the element with an index was made up. member is a part of a JSON
// Pointer.
func (w *Writing) Up(index int, member string, value tree.Node, rule string) tree.Node {
	if w.Maker == nil {
		return value
	}
	return w.Maker.Up(fmt.Sprintf("%s/%d/%s", w.list, index, member), value, rule)
}
