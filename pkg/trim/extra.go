package trim

import (
	"slices"
	"strconv"

	"github.com/eaapl/handoff/pkg/format"
	"github.com/eaapl/handoff/pkg/formats"
	"github.com/eaapl/handoff/pkg/jsonstream"
)

// An Extra is a member that can lose elements in a trim.
type Extra string

// The members that may lose elements. The active calls and pending approvals of a tool state are always
// kept.
const (
	CachedResults   Extra = "cachedResults"   // the oldest first
	RelevantContext Extra = "relevantContext" // the lowest relevanceScore first, then the oldest
	ToolCallHistory Extra = "toolCallHistory" // the oldest first
)

// Extras returns all Extras.
func Extras() []Extra { return []Extra{CachedResults, RelevantContext, ToolCallHistory} }

// pointer returns the pointer to the member in a context of a format, "" if the format
// has none.
func (e Extra) pointer(f format.Format) string {
	d := formats.Named(f)
	if e == ToolState {
		return d.ToolState
	}
	for _, place := range d.Extras {
		if place.Name == string(e) {
			return place.Pointer
		}
	}
	return ""
}

// A sacrifice is the rest of a member after some elements are removed.
type sacrifice struct {
	extra   Extra
	pointer string
	gone    int // number of removed elements
	gained  size
	text    []byte
}

// sacrifice removes elements of the members in Also, only as many as needed to gain that size.
func (d *draft) sacrifice(need size) (gained size) {
	for _, e := range d.o.Also {
		v := d.h.Root.At(e.pointer(d.h.ContextFormat))
		if need.tokens <= 0 && need.bytes <= 0 || v.Len() == 0 || e.pointer(d.h.ContextFormat) == "" {
			continue
		}
		order, parts := e.order(v), partsOf(v)
		// A member is counted within the top-level one that holds it, but measured by its own text. A part
		// by itself counts a little more than its share.
		old, sum := d.sizeOf(v.Raw()), size{}
		sizes := make([]size, len(parts))
		for i, part := range parts {
			sizes[i] = d.sizeOf(part)
			sum = sum.plus(sizes[i])
		}
		n, gone := 0, size{}
		for ; n < len(order) && (share(gone.tokens, sum.tokens, old.tokens) < need.tokens || share(gone.bytes, sum.bytes, old.bytes) < need.bytes); n++ {
			gone = gone.plus(sizes[order[n]])
		}
		text := without(v, parts, order[:n])
		gain := old.minus(d.sizeOf(text))
		for n < len(order) && (gain.tokens < need.tokens || gain.bytes < need.bytes) {
			n = min(n+n/16+1, len(order))
			text = without(v, parts, order[:n])
			gain = old.minus(d.sizeOf(text))
		}
		need, gained = need.minus(gain), gained.plus(gain)
		d.cut.extras = append(d.cut.extras, sacrifice{e, e.pointer(d.h.ContextFormat), n, gain, text})
	}
	return gained
}

// share returns the same fraction of whole as part is of sum.
func share(part, sum, whole int) int {
	return int(int64(part) * int64(whole) / int64(max(sum, 1)))
}

func (d *draft) sizeOf(text []byte) size {
	compact := jsonstream.AppendCompact(nil, text)
	return size{d.o.Meter.Count(string(compact)), d.h.Encoded(len(compact))}
}

// order returns the indices of a member's elements in the order of removal.
func (e Extra) order(v jsonstream.Value) []int {
	order := make([]int, v.Len())
	for i := range order {
		order[i] = i
	}
	if e != RelevantContext {
		return order
	}
	score := make([]float64, len(order)) // floats are precise enough for sorting
	for i, item := range v.Elements() {
		score[i], _ = strconv.ParseFloat(string(item.Get("relevanceScore").Raw()), 64)
	}
	slices.SortStableFunc(order, func(a, b int) int {
		switch {
		case score[a] < score[b]:
			return -1
		case score[a] > score[b]:
			return 1
		}
		return 0
	})
	return order
}

// partsOf returns the compact texts of the elements or members of a value.
func partsOf(v jsonstream.Value) [][]byte {
	var parts [][]byte
	for _, element := range v.Elements() {
		parts = append(parts, jsonstream.AppendCompact(nil, element.Raw()))
	}
	for name, member := range v.Members() {
		parts = append(parts, appendMember(nil, name, member.Raw()))
	}
	return parts
}

// without returns the compact text of an object or array without the parts in gone.
func without(v jsonstream.Value, parts [][]byte, gone []int) []byte {
	drop := make([]bool, len(parts))
	for _, i := range gone {
		drop[i] = true
	}
	text := []byte{byte(v.Kind())}
	for i, part := range parts {
		if !drop[i] {
			text = append(jsonstream.AppendComma(text), part...)
		}
	}
	return append(text, byte(v.Kind())+2) // in ASCII, ] is two after [, and } two after {
}
