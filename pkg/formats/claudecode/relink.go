package claudecode

import (
	"errors"
	"slices"

	"github.com/eaapl/handoff/pkg/format"
	"github.com/eaapl/handoff/pkg/jsonstream"
)

// errBranches reports that relinking would select another branch of the conversation.
var errBranches = errors.New("the session cannot be relinked: with any change of parentUuid, it would continue on another branch")

// relink attaches the children of removed lines to the nearest remaining ancestor, and inserts new
// lines between their neighbours. If that changes the conversation, because turns were moved, or
// because of a branch or a compaction, it makes each turn follow the previous one.
func relink(lines []format.Line) ([]format.Line, error) {
	l := links{lines: lines}
	if !slices.ContainsFunc(lines, func(line format.Line) bool { _, ok := EntryOf(line.Was); return ok }) {
		return lines, nil // without links, file order counts
	}
	l.read()
	l.bridge()
	if l.write(); l.holds() {
		return lines, nil
	}
	l.chain()
	if l.write(); !l.holds() {
		return nil, errBranches
	}
	return lines, nil
}

// A links holds the links between lines.
type links struct {
	lines  []format.Line
	turns  []int          // the lines that are turns, in conversation order
	uuid   []string       // of each line
	parent []string       // the new parent of each line
	gone   map[string]int // the removed lines, by uuid
}

// read collects the uuids. Existing lines keep their uuids, even if they changed; new lines get
// unused uuids.
func (l *links) read() {
	l.uuid, l.parent, l.gone = make([]string, len(l.lines)), make([]string, len(l.lines)), map[string]int{}
	taken := map[string]bool{}
	for i, line := range l.lines {
		l.uuid[i], l.parent[i] = line.Was.Get("uuid").Text(), line.Was.Get("parentUuid").Text()
		taken[l.uuid[i]] = true
		if !line.Value.Exists() && l.uuid[i] != "" {
			l.gone[l.uuid[i]] = i
		}
		if line.Turn >= 0 {
			l.turns = append(l.turns, i)
		}
	}
	slices.SortFunc(l.turns, func(a, b int) int { return l.lines[a].Turn - l.lines[b].Turn })
	for i, line := range l.lines {
		if _, isGone := l.gone[l.uuid[i]]; isGone && line.Turn < 0 {
			l.lines[i].Value = jsonstream.Value{} // an earlier line with the same uuid
		}
	}
	for _, i := range l.turns {
		if l.lines[i].Was.Exists() {
			continue
		}
		id := l.lines[i].Value.Get("uuid").Text()
		for taken[id] {
			id = format.MadeID(id)
		}
		l.uuid[i], taken[id] = id, true
	}
}

// bridge skips the removed lines, and links the new ones between the turns next to them.
func (l *links) bridge() {
	for i := range l.lines {
		seen := map[string]bool{}
		for at, isGone := l.gone[l.parent[i]]; isGone && !seen[l.parent[i]]; at, isGone = l.gone[l.parent[i]] {
			seen[l.parent[i]] = true
			l.parent[i] = l.parent[at]
		}
	}
	for n := len(l.turns) - 1; n >= 0; n-- {
		i := l.turns[n]
		switch {
		case l.lines[i].Was.Exists():
		case n+1 < len(l.turns):
			next := l.below(i, l.turns[n+1])
			l.parent[i], l.parent[next] = l.parent[next], l.uuid[i]
		case n > 0:
			l.parent[i] = l.uuid[l.turns[n-1]]
		}
	}
}

// below returns the line to attach to a new line: the next turn, or the first of the other lines
// between the two.
func (l *links) below(i, next int) int {
	for range l.lines {
		up := slices.Index(l.uuid[i+1:], l.parent[next]) + i + 1
		if up == i || l.parent[next] == "" || !l.lines[up].Value.Exists() || l.lines[up].Turn >= 0 {
			break
		}
		next = up
	}
	return next
}

// chain makes each turn follow the previous one, and the first follow the root. It makes the last
// turn the last line, because the conversation ends there, so that no branch comes after it.
func (l *links) chain() {
	if len(l.turns) == 0 {
		return
	}
	at := map[string]int{}
	isTurn := map[string]bool{}
	for _, i := range l.turns {
		isTurn[l.uuid[i]] = true
	}
	for i := range l.lines {
		switch {
		case l.lines[i].Turn < 0 && isTurn[l.uuid[i]]:
			l.lines[i].Value = jsonstream.Value{} // an earlier line with the same uuid
		case l.lines[i].Value.Exists():
			at[l.uuid[i]] = i
		}
		l.forget(i)
	}
	root := l.root(at, isTurn)
	for n, i := range l.turns {
		if l.parent[i] = root; n > 0 {
			l.parent[i] = l.uuid[l.turns[n-1]]
		}
	}
	last := l.turns[len(l.turns)-1]
	for i, line := range l.lines {
		if e, ok := EntryOf(line.Value); !ok || !e.Speaks() || line.Turn >= 0 {
			continue
		}
		top := i
		for range l.lines {
			up, known := at[l.parent[top]]
			if !known || isTurn[l.parent[top]] {
				break
			}
			top = up
		}
		if l.parent[top] == l.uuid[last] {
			l.parent[top] = l.parent[last]
		}
	}
	l.toEnd(last)
}

// root returns the uuid of the first line before the conversation that the first turn may
// follow, such as that of a compaction; "" if there is none.
func (l *links) root(at map[string]int, isTurn map[string]bool) string {
	root := l.parent[l.turns[0]]
	for up, seen := root, 0; up != ""; seen++ {
		i, known := at[up]
		if !known {
			break
		}
		if e, ok := EntryOf(l.lines[i].Value); isTurn[up] || ok && e.Speaks() || seen > len(l.lines) {
			return ""
		}
		up = l.parent[i]
	}
	return root
}

// forget removes the list of kept entries from the line of a compaction: they are in the
// conversation now.
func (l *links) forget(i int) {
	if e, ok := EntryOf(l.lines[i].Value); !ok || e.Kept == nil {
		return
	}
	d := jsonstream.NewDraft(l.lines[i].Value)
	metadata := d.Child("compactMetadata")
	metadata.Take("preservedMessages")
	metadata.Take("preservedSegment")
	l.set(i, d)
}

// toEnd moves a line to the end.
func (l *links) toEnd(i int) {
	line, uuid, parent := l.lines[i], l.uuid[i], l.parent[i]
	end := len(l.lines) - 1
	copy(l.lines[i:], l.lines[i+1:])
	copy(l.uuid[i:], l.uuid[i+1:])
	copy(l.parent[i:], l.parent[i+1:])
	l.lines[end], l.uuid[end], l.parent[end] = line, uuid, parent
	for n, t := range l.turns {
		if t > i {
			l.turns[n]--
		}
	}
	l.turns[len(l.turns)-1] = end
}

// write writes the links into the lines.
func (l *links) write() {
	for i, line := range l.lines {
		if _, ok := EntryOf(line.Value); !ok {
			continue
		}
		d := jsonstream.NewDraft(line.Value)
		put := func(name, id string) {
			text := []byte("null")
			if id != "" {
				text = format.Fill("%", id)
			}
			if line.Value.Get(name).Text() == id {
				return
			}
			if err := d.Set("/"+name, text); err != nil {
				panic(err) // impossible: a string in an object
			}
		}
		put("parentUuid", l.parent[i])
		put("uuid", l.uuid[i])
		if d.Value() != line.Value { // it was unwrapped
			l.set(i, d)
		}
	}
}

func (l *links) set(i int, d *jsonstream.Draft) {
	doc, err := d.Document(jsonstream.Unlimited())
	if err != nil {
		panic(err) // impossible: only a string differs
	}
	l.lines[i].Value = doc.Root()
}

// holds reports whether the resulting conversation consists of the turns.
func (l *links) holds() bool {
	var present []int
	t := newTrail()
	t.Add(t.Read(func(yield func(int, jsonstream.Value) bool) {
		for i, line := range l.lines {
			if !line.Value.Exists() {
				continue
			}
			present = append(present, i)
			if !yield(len(present)-1, line.Value) {
				return
			}
		}
	}))
	return slices.EqualFunc(t.Turns(), l.turns, func(at format.Spot, i int) bool { return present[at.Index] == i })
}
