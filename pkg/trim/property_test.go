package trim

import (
	"bytes"
	"context"
	"errors"
	"slices"
	"strconv"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/eaapl/handoff/pkg/conversation"
	"github.com/eaapl/handoff/pkg/history"
	"github.com/eaapl/handoff/pkg/jsonstream"
)

// For any message and options: no unit is torn, the message fits, the remaining turns are
// unchanged and in order, trimming again changes nothing, and a trim can be undone, also after
// more trims and after turns were added.
func TestProperties(t *testing.T) {
	for _, run := range []string{"first", "second", "third", "fourth", "fifth"} { // a hundred messages each
		t.Run(run, rapid.MakeCheck(checkMessage))
	}
}

func checkMessage(t *rapid.T) {
	w := &writer{T: t}
	original := w.message()
	now := original
	t.Logf("original %s", original)
	var archive []Result
	for step := range 1 + w.upTo(2) {
		h := open(t, now)
		o := w.options(sizeOf(h, now), len(h.Turns))
		t.Logf("options %+v", o)
		r, err := Message(context.Background(), document(t, now), jsonstream.Limits{}, o)
		if err != nil {
			checkOver(t, h, now, o, err)
			continue
		}
		t.Logf("trimmed %s", r.Text)
		checkTrimmed(t, h, now, o, r)
		if r.Changed {
			archive = append(archive, r)
		}
		now = r.Text
		if w.maybe() {
			turn := `{"role":"user","content":"And now?","n":` + strconv.Itoa(1000+step) + `}`
			now, original = appendTurn(t, now, turn), appendTurn(t, original, turn)
		}
	}
	back, err := archiveOf(t, archives(archive)...).Restore(document(t, now), "", jsonstream.Limits{})
	if err != nil {
		t.Fatal(err)
	}
	if got, want := plain(back), plain(original); got != want {
		t.Fatalf("restored\n%s\nwas\n%s", got, want)
	}
}

func document(t fataler, text []byte) *jsonstream.Document {
	doc, err := jsonstream.Parse(jsonstream.NewRaw(text), jsonstream.Limits{})
	if err != nil {
		t.Fatalf("%v in %s", err, text)
	}
	return doc
}

type fataler interface {
	Fatalf(format string, args ...any)
}

func open(t fataler, text []byte) *history.History {
	h, err := history.Of(document(t, text), "", jsonstream.Limits{})
	if err != nil {
		t.Fatalf("%v in %s", err, text)
	}
	return h
}

func sizeOf(h *history.History, text []byte) size {
	return size{h.Measure(quarters).Total, len(jsonstream.AppendCompact(nil, text))}
}

// archiveOf returns an archive of entries.
func archiveOf(t fataler, entries ...[]byte) *Archive {
	var text []byte
	for _, e := range entries {
		text = append(append(text, e...), '\n')
	}
	a, err := NewArchive(bytes.NewReader(text))
	if err != nil {
		t.Fatalf("%v", err)
	}
	return a
}

func archives(results []Result) (entries [][]byte) {
	for _, r := range results {
		entries = append(entries, r.Archive)
	}
	return entries
}

// appendTurn adds a turn like a receiver, at the end of the first list.
func appendTurn(t fataler, text []byte, turn string) []byte {
	h := open(t, text)
	if h.Context() != nil && (len(h.Lists) == 0 || h.Lists[0].Value.Kind() == jsonstream.Absent) {
		return text
	}
	list := h.Lists[0]
	var changed []byte
	var err error
	if list.Value.Kind() == jsonstream.String {
		changed, err = jsonstream.Set(h.Context(), "/"+list.Name, []byte(`[{"role":"user","content":`+string(list.Value.Raw())+`},`+turn+`]`))
	} else {
		changed, err = jsonstream.Set(h.Context(), "/"+list.Name+"/-", []byte(turn))
	}
	if err == nil {
		changed, err = h.Message(changed)
	}
	if err != nil {
		t.Fatalf("%v", err)
	}
	return changed
}

// checkTrimmed checks one trim of a message against its options.
func checkTrimmed(t *rapid.T, was *history.History, text []byte, o Options, r Result) {
	h := open(t, r.Text)
	after := sizeOf(h, r.Text)
	if !r.Changed {
		if !bytes.Equal(r.Text, text) {
			t.Fatal("changed without saying so")
		}
	} else if r.Record.TokensAfter != after.tokens {
		t.Fatalf("recorded %d tokens, has %d", r.Record.TokensAfter, after.tokens)
	}
	if o.MaxTokens > 0 && after.tokens > o.MaxTokens || o.MaxBytes > 0 && after.bytes > o.MaxBytes {
		t.Fatalf("%+v is over the limits", after)
	}
	stays, edited, summaries := match(t, was, h)
	if n := len(h.Turns) - summaries; o.Last > 0 && n > o.Last {
		t.Fatalf("%d turns", n)
	}
	filters := o.Roles != nil || o.DropTools
	if len(edited) > 0 && !filters {
		t.Fatalf("edited %v", edited)
	}
	for i := range protected(was, o) {
		if !stays[i] && !filters {
			t.Fatalf("turn %d must stay", i)
		}
	}
	checkTorn(t, was, h, stays, filters)
	if r.Changed && !filters && r.Record.GivenUp == nil {
		checkNeeded(t, was, o, after, stays)
	}
	checkMembers(t, was, h, o)
	if r.Changed {
		checkRecord(t, was, r, stays, edited)
	}
	again, err := Message(context.Background(), document(t, r.Text), jsonstream.Limits{}, o)
	if err != nil || again.Changed || !bytes.Equal(again.Text, r.Text) {
		t.Fatalf("again: %v\n%s", err, again.Text)
	}
}

// checkNeeded checks that the latest removed unit would not fit into the message, whatever the
// size of the summary.
func checkNeeded(t *rapid.T, was *history.History, o Options, after size, stays map[int]bool) {
	tally, unit, summary := was.Measure(quarters), relations(was), summaryIn(was)
	gone := map[int]size{} // by unit
	turns := map[int]int{}
	latest := -1
	for i, turn := range was.Turns {
		if stays[i] || i == summary {
			continue
		}
		gone[unit[i]] = gone[unit[i]].plus(size{tally.Turns[i], was.Encoded(len(jsonstream.AppendCompact(nil, turn.Value.Raw()))+len(",")) + 1})
		turns[unit[i]]++
		latest = max(latest, unit[i])
	}
	if latest < 0 || len(gone) == 1 && o.Summarizer != nil {
		return
	}
	// One more digit of a number in the record may cost a token.
	with, left := after.plus(gone[latest]).plus(size{tokens: 1}), len(was.Turns)
	for _, n := range turns {
		left -= n
	}
	if left == 0 { // an empty conversation primes no answer
		with.tokens += quarters.PerReply
	}
	if (o.MaxTokens == 0 || with.tokens <= o.MaxTokens) && (o.MaxBytes == 0 || with.bytes <= o.MaxBytes) && (o.Last == 0 || left+turns[latest] <= o.Last) {
		t.Fatalf("the unit of turn %d would fit: %+v with it", latest, with)
	}
}

// match returns the turns that stayed, the edited ones among them, and the number of summaries
// in the new history. The order must be unchanged.
func match(t *rapid.T, was, now *history.History) (stays, edited map[int]bool, summaries int) {
	stays, edited = map[int]bool{}, map[int]bool{}
	next, summary := 0, summaryIn(now)
	for at, turn := range now.Turns {
		text := jsonstream.AppendCompact(nil, turn.Value.Raw())
		found := -1
		for i := next; i < len(was.Turns) && found < 0; i++ {
			old := was.Turns[i]
			if at == summary && was.Lists[old.List].Name != now.Lists[turn.List].Name {
				continue // may be rewritten in another place
			}
			if bytes.Equal(text, jsonstream.AppendCompact(nil, old.Value.Raw())) {
				found = i
			} else if n := turn.Value.Get("n"); n.Exists() && bytes.Equal(n.Raw(), old.Value.Get("n").Raw()) {
				found = i
				edited[i] = true
			}
			if found >= 0 && was.Lists[old.List].Name != now.Lists[turn.List].Name {
				t.Fatalf("%s is in another list", text)
			}
		}
		if found < 0 {
			if at != summary {
				t.Fatalf("%s was not there, or is out of order", text)
			}
			summaries++
			continue
		}
		if at == summary {
			summaries++ // from an earlier trim
		}
		stays[found] = true
		next = found + 1
	}
	return stays, edited, summaries
}

// summaryIn returns the index of the summary of an earlier trim, or -1.
func summaryIn(h *history.History) int {
	if n := h.Root.Get(holder(h.ContextFormat)).Get("trim").Get("droppedTurns").Raw(); n == nil || string(n) == "0" {
		return -1
	}
	return slices.IndexFunc(h.Turns, func(t conversation.Turn) bool {
		return t.Role == "assistant" && t.Value.Len() == 2 && strings.HasPrefix(t.Value.Get("content").Text(), preamble)
	})
}

// protected returns the turns that must stay.
func protected(h *history.History, o Options) map[int]bool {
	latest := o.KeepTurns
	if o.Last > 0 && o.Last <= latest {
		latest = 1
	}
	stay := map[int]bool{}
	user, summary := false, summaryIn(h)
	for i, t := range slices.Backward(h.Turns) {
		if i == summary {
			continue
		}
		asks := t.Role == "user" && (!strings.Contains(string(t.Value.Raw()), "tool_result") || strings.Contains(string(t.Value.Raw()), `"text"`))
		if latest > 0 || t.Role == "system" || t.Role == "developer" || asks && !user {
			stay[i] = true
		}
		user = user || asks
		latest--
	}
	return stay
}

// checkOver checks that a message that does not fit could not be made to fit.
func checkOver(t *rapid.T, h *history.History, text []byte, o Options, err error) {
	over := (*OverError)(nil)
	if !errors.As(err, &over) || over.Over <= 0 {
		t.Fatal(err)
	}
	if o.Roles != nil || o.DropTools {
		return
	}
	unit := relations(h)
	must := map[int]bool{} // units
	for i := range protected(h, o) {
		must[unit[i]] = true
	}
	least := sizeOf(h, text)
	tally := h.Measure(quarters)
	left := 0
	for i, turn := range h.Turns {
		if must[unit[i]] {
			left++
			continue
		}
		least = least.minus(size{tally.Turns[i], h.Encoded(len(jsonstream.AppendCompact(nil, turn.Value.Raw())) + 1)})
	}
	// At least the size of the record and of a minimal summary.
	if fits := (over.Unit == "tokens" && least.tokens+250 <= o.MaxTokens || over.Unit == "bytes" && least.bytes+h.Encoded(1000) <= o.MaxBytes ||
		over.Unit == "turns" && left <= o.Last); fits {
		t.Fatalf("%v: but it could have %+v and %d turns\n%s", err, least, left, text)
	}
}

// checkMembers checks that all other members are unchanged.
func checkMembers(t *rapid.T, was, now *history.History, o Options) {
	touched := []string{"signature", "signatureKeyId", "conversationHistorySummary", holder(was.ContextFormat)}
	for _, list := range was.Lists {
		touched = append(touched, list.Name)
	}
	if len(o.Also) > 0 {
		touched = append(touched, "relevantContext", "currentState", "toolCallHistory", "tool_state")
	}
	compact := func(v jsonstream.Value) string { return string(jsonstream.AppendCompact(nil, v.Raw())) }
	for name, v := range was.Root.Members() {
		if !slices.Contains(touched, name) && compact(now.Root.Get(name)) != compact(v) {
			t.Fatalf("%s changed", name)
		}
	}
	for name, v := range was.Root.Get(holder(was.ContextFormat)).Members() {
		if !slices.Contains([]string{"trim", "trimmed", "original_history_length"}, name) && compact(now.Root.Get(holder(was.ContextFormat)).Get(name)) != compact(v) {
			t.Fatalf("%s changed", name)
		}
	}
	for _, pointer := range []string{"/tool_state/active_calls", "/tool_state/pending_approvals", "/currentState/phase"} {
		if compact(now.Root.At(pointer)) != compact(was.Root.At(pointer)) {
			t.Fatalf("%s changed", pointer)
		}
	}
}

// checkRecord checks the record against the fates of the turns.
func checkRecord(t *rapid.T, was *history.History, r Result, stays, edited map[int]bool) {
	dropped, summary := 0, summaryIn(was)
	for i := range was.Turns {
		if !stays[i] && i != summary {
			dropped++
		}
	}
	if r.Gone != dropped {
		t.Fatalf("%d turns gone, %d recorded", dropped, r.Gone)
	}
	if r.Record.OriginalTurns < r.Record.DroppedTurns || r.Record.DroppedTurns < r.Gone {
		t.Fatalf("%+v, gone %d", r.Record, r.Gone)
	}
}
