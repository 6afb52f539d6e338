package format

import (
	"fmt"
	"iter"
	"slices"

	"github.com/eaapl/handoff/pkg/jsonstream"
)

// Elements describes how to detect the messages of a format by the elements of a list, such as
// their turns.
type Elements struct {
	// List returns the message's array of elements, or an absent value.
	List func(root jsonstream.Value) jsonstream.Value
	// Fit classifies a list element.
	Fit func(element jsonstream.Value) Fit
	// Later reports whether an element fits only after the first one. It may be nil.
	Later func(element jsonstream.Value) bool
	// Tells reports whether the values next to the list indicate the format, as one of its
	// Members would. It may be nil.
	Tells func(root jsonstream.Value) bool
	// Whole classifies a message without a list, such as a single turn. It is nil if the
	// format has no such messages.
	Whole func(root jsonstream.Value) Fit
	// Plain is set for the one format that claims messages with only a role and a text,
	// which would fit several formats.
	Plain bool
	// Lines is set for a format whose messages are JSON Lines files, where the elements are the
	// values of the lines (see [jsonstream.ParseLines]). Each line has one of these members near
	// its beginning.
	Lines []string
	// Trail returns a [Trail] that finds the turns in the list. If nil, all elements are turns
	// unless Fit classifies them as [Beside].
	Trail func() Trail
	// Undoes reports whether an element only removes an earlier one from the turns: trim removes it together
	// with that element. It is nil if there are no such elements.
	Undoes func(later, earlier jsonstream.Value) bool
	// Kind returns the kind of an element, for people, and whether the reader knows it. It is nil if there are no
	// kinds.
	Kind func(element jsonstream.Value) (kind string, known bool)
	// Within returns the turns of an element that holds several, nil for any other. It is nil if no
	// element does.
	Within func(element jsonstream.Value) []jsonstream.Value
	// Hold returns an element that holds several turns, with the given turns in place of as many of
	// its first ones. Lift returns the element for a turn in the form of the turns within another
	// element.
	Hold func(element jsonstream.Value, first int, turns []jsonstream.Value) []byte
	Lift func(element, turn jsonstream.Value) []byte
	// Relink updates the references between lines so that a Trail finds the conversation again
	// after lines were removed, added or moved. It may move one line and insert new lines, and
	// returns all lines of the result. lines has all lines of the file, in order; Relink may change it. The error
	// explains why relinking is impossible. Relink is nil if the conversation is in file order.
	Relink func(lines []Line) ([]Line, error)
}

// A Trail finds the turns in one list. The list may come in parts, so that a long file need not be
// in memory.
type Trail interface {
	// Read extracts from a part of the elements, by their indices, the data for Add. It retains no
	// elements and may be called concurrently.
	Read(part iter.Seq2[int, jsonstream.Value]) any
	// Add adds the results of Read, in the order of the parts.
	Add(read any)
	// Turns returns the places of the turns, in conversation order, after all parts were added.
	Turns() []Spot
}

// A Record is the data that a [Trail] needs of an element.
type Record[T any] struct {
	Index int // of the element
	Data  T
}

// Records returns the records of the elements that have one: a result of [Trail.Read].
func Records[T any](all iter.Seq2[int, jsonstream.Value], of func(element jsonstream.Value) (T, bool)) []Record[T] {
	var read []Record[T]
	for i, v := range all {
		if data, ok := of(v); ok {
			read = append(read, Record[T]{i, data})
		}
	}
	return read
}

// A Loss is a number of turns in a file that its agent, or another one, does not find when it resumes the
// session, although the user did not roll them back.
type Loss struct {
	Cause Cause
	At    int // the index of the line where the conversation goes on without them
	Turns int
	// The line Child would follow the line Parent if nothing were lost: see [Loss.CanRelink].
	Child, Parent int
}

// CanRelink reports whether the turns are found again if lines are linked.
func (l Loss) CanRelink() bool { return l.Cause == Dangling || l.Cause == Orphaned }

// Count returns the number of turns as text.
func (l Loss) Count() string {
	if l.Turns == 1 {
		return "1 turn"
	}
	return fmt.Sprintf("%d turns", l.Turns)
}

// A Cause is the cause of a loss.
type Cause int

// The causes of losses.
const (
	Dangling   Cause = iota // the first line of the conversation follows a missing line
	Orphaned                // a reply is beside the note of a failed request, which the conversation follows
	Detached                // they are beside the conversation, on a branch that begins with a missing line or in a circle
	Unlinked                // their lines have no ids
	Unreadable              // a compaction replaced them by a summary that is encrypted, or by none
)

// A Compaction replaced turns by others, such as a summary.
type Compaction struct {
	At                int // the index of the line of the compaction
	Replaced, Instead []Spot
}

// A Revising is a [Trail] that knows the turns that compactions and the user removed.
type Revising interface {
	// Compactions returns the compactions in the conversation, and RolledBack the messages of the user that the
	// user took back, in the order of the file, after all parts were added.
	Compactions() []Compaction
	RolledBack() []Spot
}

// A Lossy is a [Trail] that knows about losses.
type Lossy interface {
	// Losses returns the losses, after all parts were added.
	Losses() []Loss
}

// Losses returns the losses in a list.
func (e *Elements) Losses(list iter.Seq2[int, jsonstream.Value]) []Loss {
	trail := e.Trail()
	lossy, ok := trail.(Lossy)
	if !ok {
		return nil
	}
	trail.Add(trail.Read(list))
	return lossy.Losses()
}

// A Spot is the place of a turn in a list.
type Spot struct {
	Index int32 // of the element
	Nth   int32 // of the turns within the element, from 1; 0 if the element is the turn
}

// At returns the turns at spots. element is called once for each run of spots with the same index.
func (e *Elements) At(spots []Spot, element func(index int) jsonstream.Value) []jsonstream.Value {
	turns := make([]jsonstream.Value, len(spots))
	var v jsonstream.Value
	var within []jsonstream.Value
	for i, s := range spots {
		if i == 0 || spots[i-1].Index != s.Index {
			v, within = element(int(s.Index)), nil
		}
		switch {
		case s.Nth == 0:
			turns[i] = v
		case within == nil:
			within = e.Within(v)
			fallthrough
		default:
			turns[i] = within[s.Nth-1]
		}
	}
	return turns
}

// Path returns the places of the turns in a list, in conversation order. [Elements.Trail]
// must not be nil.
func (e *Elements) Path(list iter.Seq2[int, jsonstream.Value]) []Spot {
	trail := e.Trail()
	trail.Add(trail.Read(list))
	return trail.Turns()
}

// IsLines reports whether the messages of the format are files of JSON Lines.
func (d *Descriptor) IsLines() bool { return d.Known != nil && len(d.Known.Lines) > 0 }

// A Line is a line of a JSON Lines file that is being rewritten.
type Line struct {
	Was   jsonstream.Value // the old value; absent for an added line
	Value jsonstream.Value // the new value; absent for a removed line
	// Turn is the line's new position in the conversation, from 0; -1 if the line is not a
	// turn.
	Turn int
}

// SortTurns moves the lines with turns so that they are in the order of the conversation. Together they keep their
// places; other lines stay.
func SortTurns(lines []Line) {
	var places []int
	var turns []Line
	for i, line := range lines {
		if line.Turn >= 0 {
			places, turns = append(places, i), append(turns, line)
		}
	}
	slices.SortFunc(turns, func(a, b Line) int { return a.Turn - b.Turn })
	for i, at := range places {
		lines[at] = turns[i]
	}
}

// Edited returns an object after a change. It panics if the change fails.
func Edited(object jsonstream.Value, change func(*jsonstream.Draft) error) jsonstream.Value {
	d := jsonstream.NewDraft(object)
	if err := change(d); err != nil {
		panic(err)
	}
	doc, err := d.Document(jsonstream.Unlimited())
	if err != nil {
		panic(err)
	}
	return doc.Root()
}

// Natural returns the natural number v, or 0 if v is not one.
func Natural(v jsonstream.Value) int64 {
	if v.Kind() != jsonstream.Number {
		return 0
	}
	var n int64
	for _, c := range v.Raw() {
		if c < '0' || c > '9' || n > 1e15 {
			return 0
		}
		n = n*10 + int64(c-'0')
	}
	return n
}

// A Fit is how well a list element fits a format.
type Fit int

// The fits, from worst to best.
const (
	Foreign  Fit = iota // not an element of the format
	Beside              // an element of the format, but not a turn
	Possible            // a turn that other formats also have
	Typical             // a turn that no other format has
)

// ListIn returns a function for [Elements.List]: it returns the message if it is an array,
// or else the first of the named members that is an array.
func ListIn(names ...string) func(root jsonstream.Value) jsonstream.Value {
	return func(root jsonstream.Value) jsonstream.Value {
		if root.Kind() == jsonstream.Array {
			return root
		}
		for name, v := range root.Members() {
			if v.Kind() == jsonstream.Array && slices.Contains(names, name) {
				return v
			}
		}
		return jsonstream.Value{}
	}
}
