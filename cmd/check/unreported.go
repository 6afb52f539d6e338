package check

import (
	"fmt"
	"io"
	"slices"
	"sync"

	"github.com/eaapl/handoff/internal/term"
)

// unreported holds the IDs that --seen has recorded and whose verdicts may not have been written.
type unreported struct {
	mu      sync.Mutex
	ids     []string
	pending []string // being recorded
}

// begin notes the IDs that are about to be recorded.
func (u *unreported) begin(ids []string) {
	u.mu.Lock()
	defer u.mu.Unlock()
	u.pending = ids
}

// end notes the IDs that were recorded since begin.
func (u *unreported) end(recorded []string) {
	u.mu.Lock()
	defer u.mu.Unlock()
	u.ids, u.pending = append(u.ids, recorded...), nil
}

func (u *unreported) clear() {
	u.mu.Lock()
	defer u.mu.Unlock()
	u.ids = nil
}

// report names at most limit of the IDs in file: if one of these messages is sent again, it would be rejected
// as seen before.
func (u *unreported) report(stderr io.Writer, file string, limit int) {
	u.mu.Lock()
	defer u.mu.Unlock()
	ids := slices.Concat(u.ids, u.pending)
	shown := (&term.Allowance{Max: limit}).Take(len(ids))
	for _, id := range ids[:shown] {
		term.PrintError(stderr, fmt.Errorf("%s: %s is recorded as accepted, but its verdict may not have been written: to verify the message again, remove this line from the file", file, id))
	}
	if more := len(ids) - shown; more > 0 {
		fmt.Fprintf(stderr, "handoff: … %s\n", term.NotShown(more, "message", limit))
	}
}
