package trim

import (
	"cmp"
	"slices"
	"strings"

	"github.com/eaapl/handoff/pkg/conversation"
	"github.com/eaapl/handoff/pkg/history"
	"github.com/eaapl/handoff/pkg/jsonstream"
)

// A cut is the set of turns and elements to remove from a draft.
type cut struct {
	units   [][]int // of turns by index, the oldest first
	turns   []int   // of the units, in order
	summary int     // the maximum number of tokens of the summary
	extras  []sacrifice
}

const (
	// minSummary is the minimum size, in tokens, of a useful summary.
	minSummary = 16
	// usualSummary is the size, in tokens, that a summary may always have, even if a tenth of the text it
	// replaces is less.
	usualSummary = 100
	// usualBytes is the assumed number of bytes of JSON per token of a summary, until a summary has more.
	usualBytes = 5
)

// plan determines the turns to remove so that the message fits with slack to spare: as few as possible, the
// oldest first, by units.
func (d *draft) plan() error {
	if err := d.choose(); err != nil {
		return err
	}
	if d.former >= 0 && d.summarises(len(d.cut.turns)) {
		d.turns[d.former].fate = removed // the new summary includes it
	}
	d.planned, d.spared = d.cut, false
	return nil
}

func (d *draft) choose() error {
	for i, t := range d.turns {
		if t.fate == removed {
			d.turns[i].fate = t.uncut
		}
	}
	d.cut = cut{}
	budget := d.limits().minus(d.slack)
	candidates := d.candidates()
	overhead := d.recordSize()
	gone, count := size{}, 0
	stays := d.said()
	enough := func(summary int) bool {
		rest := d.rest(gone, count).plus(overhead).plus(d.summarySize(summary, count))
		return rest.tokens <= budget.tokens && rest.bytes <= budget.bytes && (d.o.Last <= 0 || stays-count <= d.o.Last)
	}
	for next := 0; next < len(candidates) && !enough(d.wanted(gone, count)); next++ {
		for _, i := range candidates[next] {
			gone = gone.plus(d.turns[i].size)
			count++
		}
		d.cut.units = candidates[:next+1]
	}
	d.remove()
	d.cut.summary = d.wanted(gone, count)
	if enough(d.cut.summary) {
		return nil
	}
	if d.o.Last > 0 && stays-count > d.o.Last {
		return &OverError{Over: stays - count - d.o.Last, Limit: d.o.Last, Unit: "turns"}
	}
	// All removable turns are gone: the summary gets the remaining space, and if that is too little,
	// elements of other members are removed.
	minimum := min(d.cut.summary, minSummary)
	room := func() int {
		free := budget.minus(d.rest(gone, count).plus(overhead).plus(d.summarySize(0, count)))
		if free.bytes > 0 {
			free.bytes /= d.h.Encoded(d.tokenBytes)
		}
		return min(free.tokens, free.bytes)
	}
	if modest := min(d.cut.summary, usualSummary/2); room() < modest {
		rest := d.rest(gone, count).plus(overhead).plus(d.summarySize(modest, count))
		gone = gone.plus(d.sacrifice(rest.minus(budget)))
	}
	free := room()
	if free < minimum {
		if count == 0 && len(d.cut.extras) == 0 && !d.changed() {
			return d.over(d.before.minus(d.limits()), size{}) // the message stays unchanged
		}
		rest := d.rest(gone, count).plus(overhead).plus(d.summarySize(minimum, count))
		return d.over(rest.minus(budget), overhead)
	}
	d.cut.summary = min(d.cut.summary, free)
	return nil
}

// unlimited is a limit beyond any size.
const unlimited = 1 << 30

// limits returns the limits of the message.
func (d *draft) limits() size {
	return size{cmp.Or(max(d.o.MaxTokens, 0), unlimited), cmp.Or(max(d.o.MaxBytes, 0), unlimited)}
}

// rest returns the size of the message without a summary after the removal of count turns.
func (d *draft) rest(gone size, count int) size {
	rest := d.total.minus(gone)
	if d.summarises(count) {
		rest = rest.minus(d.old)
	}
	return rest
}

// summarises reports whether a summary is needed after the removal of count turns.
func (d *draft) summarises(count int) bool { return count > 0 && d.o.Summarizer != nil }

// wanted returns the desired number of tokens of the summary.
func (d *draft) wanted(gone size, count int) int {
	if !d.summarises(count) {
		return 0
	}
	// A summary longer than the turns it replaces would be useless; and half of the space is for the turns
	// themselves.
	limit := gone.tokens + d.old.tokens
	if d.o.SummaryTokens > 0 {
		return min(d.o.SummaryTokens, limit)
	}
	room := d.limits()
	half := min(room.tokens, room.bytes/d.h.Encoded(d.tokenBytes)) / 2
	return min(max(min(d.old.tokens+gone.tokens/10, half), usualSummary), limit)
}

// summarySize returns the maximum size of a summary in the message.
func (d *draft) summarySize(tokens, count int) size {
	if !d.summarises(count) {
		return size{}
	}
	return d.frame.plus(size{tokens, tokens * d.h.Encoded(d.tokenBytes)})
}

// candidates returns the removable units, oldest first. Instructions stay, as do elements outside the
// conversation, the last user turn and the latest turns.
func (d *draft) candidates() [][]int {
	stays := map[int]bool{} // units
	latest := d.o.KeepTurns
	if d.o.Last > 0 && d.o.Last <= latest {
		latest = 1 // the limit sets how many more
	}
	user := false
	for i := len(d.turns) - 1; i >= 0; i-- {
		t := d.h.Turns[i]
		if i == d.former || d.turns[i].fate == filtered {
			continue
		}
		if t.IsContext() || d.h.Lists[t.List].Alone {
			stays[d.units[i]] = true
			continue
		}
		asks := d.asks(i)
		if latest > 0 || t.IsInstruction() || asks && !user {
			stays[d.units[i]] = true
		}
		user = user || asks
		latest--
	}
	of := d.units
	if d.h.Layout().UserFirst && d.o.Summarizer == nil {
		of = d.exchanges(stays)
	}
	var units [][]int
	at := map[int]int{} // index of a unit in units
	for i, u := range of {
		if stays[u] || i == d.former || d.turns[i].fate == filtered {
			continue
		}
		if _, ok := at[u]; !ok {
			at[u] = len(units)
			units = append(units, nil)
		}
		units[at[u]] = append(units[at[u]], i)
	}
	return units
}

// asks reports whether a turn is a user turn with more than tool results.
func (d *draft) asks(i int) bool {
	return d.h.Turns[i].Role == "user" && speaks(d.h.Turns[i].Value)
}

// exchanges returns larger units for a format in which the first turn must be the user's: an exchange
// begins with a user turn. If any turn of an exchange stays, so does its first turn; otherwise the whole
// exchange is removed at once.
func (d *draft) exchanges(stays map[int]bool) []int {
	// Claude Code finds the conversation from a line of the user or the assistant: queued commands after the last
	// one are no exchange of their own.
	last := len(d.turns) - 1
	for last >= 0 && d.h.Turns[last].Item().Get("type").Text() == conversation.QueuedCommand {
		last--
	}
	begins := make([]int, len(d.turns)) // the turn that begins the exchange, or -1
	first := -1
	for i := range begins {
		if d.units[i] == i && d.asks(i) && i <= last && i != d.former && d.turns[i].fate != filtered {
			first = i
		}
		begins[i] = first
	}
	for i, u := range d.units {
		if t := d.h.Turns[i]; stays[u] && begins[u] >= 0 && !t.IsContext() && !t.IsInstruction() {
			stays[begins[u]] = true
		}
	}
	units := slices.Clone(d.units)
	for i, u := range d.units {
		if begins[u] >= 0 && !stays[begins[u]] && !stays[u] {
			units[i] = begins[u]
		}
	}
	return units
}

// speaks reports whether a user turn has more than tool results, which are parts of such a turn in
// Anthropic and Gemini.
func speaks(turn jsonstream.Value) bool {
	tools := false
	for p := range conversation.Parts(turn) {
		if p.Kind != conversation.Call && p.Kind != conversation.Result {
			return true
		}
		tools = true
	}
	return !tools
}

// over returns the error for a message that exceeds the limits by s. record is the size of the record.
func (d *draft) over(s, record size) error {
	e := &OverError{Over: s.tokens, Limit: d.o.MaxTokens, Unit: "tokens"}
	in := func(s size) int { return s.tokens }
	if s.tokens <= 0 && d.o.MaxBytes > 0 {
		e = &OverError{Over: s.bytes, Limit: d.o.MaxBytes, Unit: "bytes"}
		in = func(s size) int { return s.bytes }
	}
	var rest []history.MemberSize
	for name, v := range d.h.Root.Members() {
		rest = append(rest, history.MemberSize{Name: name, Size: in(d.left(name, v, d.members[name].tokens))})
	}
	if hasNotes(d.h) {
		rest = append(rest, history.MemberSize{Name: holder(d.h.ContextFormat) + "." + recordMember, Size: in(record)})
	}
	if d.h.Root.Kind() == jsonstream.Array {
		rest = append(rest, history.MemberSize{Name: "the turns", Size: in(d.left("", d.h.Root, 0))})
	}
	e.Rest = largest(rest)
	e.Others = e.Limit + e.Over
	for _, m := range e.Rest {
		e.Others -= m.Size
	}
	e.Others = max(e.Others, 0) // the size of a summary is an estimate
	return e
}

// left returns the number of tokens left of a member.
func (d *draft) left(name string, v jsonstream.Value, tokens int) size {
	left := size{tokens, d.bytes(v)}
	summarises := d.summarises(len(d.cut.turns))
	for j, list := range d.h.Lists {
		if list.Name != name || !list.HasTurns() {
			continue
		}
		left = d.listSize(j)
		if summarises && d.former >= 0 && d.turns[d.former].fate == kept && d.h.Turns[d.former].List == j {
			left = left.minus(d.old)
		}
	}
	if summarises && name != "" && name == d.h.Layout().Summary {
		left = left.minus(d.old)
	}
	for _, s := range d.cut.extras {
		if strings.HasPrefix(s.pointer+"/", "/"+name+"/") {
			left = left.minus(s.gained)
		}
	}
	return left
}

// listSize returns the size of the turns left in a list.
func (d *draft) listSize(list int) size {
	var sum size
	for i, t := range d.h.Turns {
		if t.List == list && (d.turns[i].fate == kept || d.turns[i].fate == edited) {
			sum = sum.plus(d.turns[i].size)
		}
	}
	return sum
}
