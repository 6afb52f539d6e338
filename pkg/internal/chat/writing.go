package chat

import (
	"crypto/sha256"
	"fmt"
	"strconv"

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
	key := of + member
	count := w.seen[key] + 1
	w.seen[key] = count
	seed := ""
	if w.Maker.IsFresh() {
		seed = w.Maker.Seed
	}
	sum := sha256.Sum256(fmt.Appendf(nil, "%q %q %q %d", seed, of, member, count))
	sum[6], sum[8] = sum[6]&0x0f|0x40, sum[8]&0x3f|0x80
	id := tree.String(exchange.UUIDText([16]byte(sum[:16])))
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
	return w.Maker.Up(w.list+"/"+strconv.Itoa(index)+"/"+member, value, rule)
}
