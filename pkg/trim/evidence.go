package trim

import (
	"bytes"
	"strconv"
	"strings"

	"github.com/eaapl/handoff/pkg/format"
	"github.com/eaapl/handoff/pkg/jsonstream"
)

// moveEvidence changes the pointers of completedSubtasks[].evidence to the new places of the turns, and removes
// those to values that do not stay unchanged.
func (d *draft) moveEvidence(e *editor) {
	if d.h.Format != format.EAAPL || len(d.h.Lists) == 0 {
		return
	}
	list := d.h.Lists[0].Pointer() + "/"
	subtasks := d.h.Root.Get("completedSubtasks")
	moved, places := jsonstream.NewDraft(subtasks), map[string]string(nil)
	unchanged := map[string]bool{} // turns, by their former indexes
	for _, subtask := range subtasks.Elements() {
		for _, evidence := range subtask.Get("evidence").Elements() {
			for _, call := range evidence.Get("calls").Elements() {
				former := call.Get("pointer")
				place, isTurn := strings.CutPrefix(former.Text(), list)
				if !isTurn {
					continue
				}
				if places == nil {
					places = d.places()
				}
				turn, below, _ := strings.Cut(place, "/")
				now := strings.TrimSuffix(list+places[turn]+"/"+below, "/")
				pointer := strings.TrimPrefix(former.Pointer(), subtasks.Pointer())
				var err error
				same, known := unchanged[turn]
				if !known { // many pointers may name parts of one turn
					was, is := d.h.Root.At(list+turn), e.value(list+places[turn])
					same = bytes.Equal(jsonstream.AppendCompact(nil, was.Raw()), jsonstream.AppendCompact(nil, is.Raw()))
					unchanged[turn] = same
				}
				if same {
					err = moved.Set(pointer, quote(now))
				} else {
					err = moved.Remove(pointer)
				}
				if err != nil && e.err == nil {
					e.err = err
				}
			}
		}
	}
	if places != nil && e.err == nil {
		e.set(subtasks.Pointer(), moved.Bytes())
	}
}

// places returns the new indexes of the turns that stay, by their former indexes.
func (d *draft) places() map[string]string {
	places := map[string]string{}
	at := 0
	for _, i := range d.inText() {
		if fate := d.turns[i].fate; fate == kept || fate == edited {
			places[strconv.Itoa(d.h.Turns[i].Index)] = strconv.Itoa(at)
			at++
		}
	}
	return places
}
