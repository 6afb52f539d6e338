// Package repair converts a history that a model provider rejects to one that it accepts, without losing
// content: misplaced content becomes a note in a user turn, and removed content is in the archive.
package repair

import (
	"errors"
	"fmt"
	"slices"

	"github.com/eaapl/handoff/pkg/conversation"
	"github.com/eaapl/handoff/pkg/finding"
	"github.com/eaapl/handoff/pkg/format"
	"github.com/eaapl/handoff/pkg/history"
	"github.com/eaapl/handoff/pkg/jsonstream"
	"github.com/eaapl/handoff/pkg/provider"
)

// NoResult is the text of the result added to an unanswered call.
const NoResult = "[no result: the run was interrupted]"

// Options are the options of a repair.
type Options struct {
	Format format.Format // of the messages; "" means detection
	// For is the provider that is to accept the history. "" means the provider of its format, or else
	// [provider.OpenAIChat], whose order of calls and results all providers accept.
	For provider.Provider
	// Damage is the text already removed from the document: see [Parse].
	Damage Damage
}

// A Step is one change.
type Step struct {
	Rule    string `json:"rule"`    // the ID of the broken rule; "" for a consequence of another step
	Pointer string `json:"pointer"` // of the turn, in the message before the repair; "" for a new turn
	Did     string `json:"did"`
}

// A Result is a repaired message.
type Result struct {
	Format format.Format
	For    provider.Provider
	Text   []byte // the original text if there was nothing to do
	Steps  []Step
	// Left are the remaining errors, of the format's schema and rules and of the provider's rules.
	Left []finding.Finding
	// Archive is a line of an [Archive] without its end, nil if nothing was changed.
	Archive []byte
}

// Message repairs the history of a message. It applies remedies for errors of the provider's rules and, as
// far as possible, of the schema. It ignores warnings, except that it moves a system turn to a place that
// the provider accepts. Turns without errors stay unchanged, byte for byte. A second repair changes
// nothing. The error is that of [history.Of].
func Message(doc *jsonstream.Document, limits jsonstream.Limits, o Options) (Result, error) {
	h, err := history.Of(doc, o.Format, limits)
	if errors.Is(err, history.ErrFormat) && o.For != "" && doc.Root().Kind() == jsonstream.Array { // send it as that API's format
		h, err = history.Of(doc, format.Format(o.For), limits)
	}
	if err != nil {
		return Result{}, err
	}
	if known := h.Layout().Known; o.Damage.after != nil && known != nil && known.Relink != nil {
		if doc, err = o.Damage.relink(doc); err != nil {
			return Result{}, err
		}
		if h, err = history.Of(doc, h.Format, jsonstream.Unlimited()); err != nil {
			return Result{}, err
		}
	}
	links := relinkedSession{}
	if doc, h, err = links.relink(doc, h); err != nil {
		return Result{}, err
	}
	r := newRepairer(doc, h, o.For)
	result := Result{Format: h.Format, For: r.provider}
	r.dropTwins(limits)
	for range maxRounds {
		r.run()
		repaired, now := doc, h
		if result.Text = doc.Raw().Bytes; len(r.steps) > 0 {
			if repaired, now, err = r.written(h.Format); err != nil {
				return Result{}, err
			}
			result.Text, limits = repaired.Raw().Bytes, jsonstream.Unlimited()
		}
		result.Left = refusals(repaired, h.Format, r.provider, limits)
		if r.failed || !r.mendFormat(result.Left, now) && (len(result.Left) == 0 || !r.reorder(now)) {
			break
		}
	}
	result.Steps = r.steps
	if len(r.steps) > 0 && r.isSigned() {
		result.Steps = append(r.steps, Step{"", "", "removed the signature, which is no longer valid: sign the message again"})
	}
	original := doc.Raw().Bytes
	if len(links.steps) > 0 {
		original = links.text
		result.Steps = slices.Concat(links.steps, result.Steps)
	}
	if len(o.Damage.steps) > 0 {
		original = o.Damage.text
		result.Steps = slices.Concat(o.Damage.steps, result.Steps)
	}
	if len(result.Steps) > 0 {
		result.Archive = archive(original, result.Text)
	}
	return result, nil
}

// written returns the current message and its history, whose turns are the items.
func (r *repairer) written(f format.Format) (*jsonstream.Document, *history.History, error) {
	text, err := r.write()
	if err != nil {
		return nil, nil, err
	}
	doc, err := jsonstream.Parse(r.doc.Raw().With(text), jsonstream.Unlimited())
	if err != nil {
		return nil, nil, err
	}
	h, err := history.Of(doc, f, jsonstream.Unlimited())
	if err == nil && len(h.Turns) != len(r.items) {
		err = fmt.Errorf("the repaired history has %d turns, but the message has room for only %d", len(r.items), len(h.Turns))
	}
	return doc, h, err
}

// An item is a turn of the history during the repair.
type item struct {
	turn conversation.Turn // Value is in the message, or in a text of its own
	at   int               // its index in the history before the repair, -1 for a new turn
	now  int               // its index in repairer.items, if they are numbered
}

// A repairer repairs one history.
type repairer struct {
	doc      *jsonstream.Document // the message before the repair
	h        *history.History
	layout   *format.Descriptor
	provider provider.Provider
	items    []*item
	numbered bool                       // the items know their places
	holders  map[jsonstream.Value]*item // by their turns
	byID     map[string][]*item         // by the ids of their calls and results: see withID
	pointers []string                   // of the turns before the repair
	members  map[string][]byte          // added members of the root
	once     map[string]bool            // texts that are not turns, of which only the first stays
	steps    []Step
	answered map[string]bool // ids of calls that had results, see hasResult
	called   map[string]int  // how many calls had an id, see isRepeated
	hopeless map[fault]bool  // faults without a remedy
	failed   bool            // a remedy could not be applied
}

// A fault is a rule broken at a value.
type fault struct {
	rule string
	at   jsonstream.Value
}

func newRepairer(doc *jsonstream.Document, h *history.History, p provider.Provider) *repairer {
	if p == "" {
		p = provider.Of(h)
	}
	if p == "" {
		p = provider.OpenAIChat
	}
	r := &repairer{doc: doc, h: h, layout: h.Layout(), provider: p, pointers: h.Pointers(), members: map[string][]byte{}, once: map[string]bool{}, hopeless: map[fault]bool{}, holders: map[jsonstream.Value]*item{}}
	for i, t := range h.Turns {
		it := &item{turn: t, at: i}
		r.items, r.holders[t.Value] = append(r.items, it), it
	}
	return r
}

// remedies are the remedies by rule, in order of application: one may cause a fault for a later one. A
// remedy returns false if it cannot repair the fault.
var remedies = []struct {
	rule   string
	remedy func(*repairer, provider.Fault) bool
}{
	{"shape", (*repairer).mendShape},
	{"role", (*repairer).mendRole},
	{"repeated-item-id", (*repairer).mendItemID},
	{"item-id", (*repairer).mendItemID},
	{"repeated-call-id", (*repairer).mendRepeatedCall},
	{"repeated-result", (*repairer).mendRepeatedResult},
	{"result-place", (*repairer).moveResult},
	{"call-without-result", (*repairer).answerCall},
	{"result-without-call", (*repairer).noteResult},
	{"call-id", (*repairer).mendCallID},
	{"tool-name", (*repairer).mendToolName},
	{"message-name", (*repairer).mendName},
	{"reasoning-without-item", (*repairer).dropReasoning},
	{"reasoning-signature", (*repairer).dropReasoning},
	{"reasoning-place", (*repairer).dropReasoning},
	{"cache-point", (*repairer).dropCachePoint},
	{"system-turn", (*repairer).moveSystem},
	{"empty-content", (*repairer).mendEmpty},
	{"trailing-space", (*repairer).cutSpace},
	{"call-place", (*repairer).mendOrder},
	{"role-order", (*repairer).mendOrder},
	{"first-turn", (*repairer).mendFirst},
	{"document-name", (*repairer).mendDocument},
	{"media-type", (*repairer).mendMediaType},
	{"media-data", (*repairer).cutDataURL},
	{"failed-result", (*repairer).mendFailed},
	{"extra-member", (*repairer).dropMember},
}

// run repairs the history until no remedy applies.
func (r *repairer) run() {
	for range maxRounds {
		if r.failed || !r.round() {
			break
		}
	}
	if r.failed { // do not repair partially
		r.steps = nil
	}
}

// maxRounds bounds the work on a history for which remedies cause each other's faults.
const maxRounds = 200

// round repairs the faults of the first broken rule, and reports whether it did. Faults in a changed turn
// are left for the next round.
func (r *repairer) round() bool {
	r.byID = nil
	faults := provider.Faults(r.provider, r.h.Root, r.layout, r.turns())
	for _, remedy := range remedies {
		mended := false
		for _, f := range faults {
			if f.Rule != string(r.provider)+"/"+remedy.rule || !isMended(f) || r.hopeless[fault{f.Rule, f.At}] || r.indexOf(f.At) < 0 {
				continue
			}
			if remedy.remedy(r, f) {
				mended = true
			} else {
				r.hopeless[fault{f.Rule, f.At}] = true
			}
		}
		if mended {
			return true
		}
	}
	return false
}

// isMended reports whether a fault is to be repaired.
func isMended(f provider.Fault) bool {
	return f.Severity == finding.Error || f.Rule == string(provider.Anthropic)+"/system-turn"
}

// isSigned reports whether the message has a signature, which a change of the history invalidates.
func (r *repairer) isSigned() bool {
	names := r.layout.Signature
	return len(names) > 0 && r.h.Root.Get(names[0]).Exists()
}

// isLines reports whether each turn is a line.
func (r *repairer) isLines() bool { return r.h.Root.IsLines() }

func (r *repairer) turns() []conversation.Turn {
	turns := make([]conversation.Turn, len(r.items))
	for i, it := range r.items {
		turns[i] = it.turn
	}
	return turns
}

// indexOf returns the index of the item that contains a value, -1 if there is none.
func (r *repairer) indexOf(v jsonstream.Value) int {
	for ; v.Exists(); v = v.Parent() {
		if it := r.holders[v]; it != nil {
			return r.placeOf(it)
		}
	}
	return -1
}

// placeOf returns the index of an item in items.
func (r *repairer) placeOf(it *item) int {
	if !r.numbered {
		for i, other := range r.items {
			other.now = i
		}
		r.numbered = true
	}
	return it.now
}

// setItems replaces the items, or their order.
func (r *repairer) setItems(items []*item) { r.items, r.numbered, r.byID = items, false, nil }

// step records the remedy applied to a fault in an item.
func (r *repairer) step(f provider.Fault, i int, format string, args ...any) {
	s := Step{Rule: f.Rule, Did: fmt.Sprintf(format, args...)}
	if i >= 0 && i < len(r.items) && r.items[i].at >= 0 {
		s.Pointer = r.pointers[r.items[i].at]
	}
	r.steps = append(r.steps, s)
}

// parse returns the value of a turn's text.
func parse(text []byte) jsonstream.Value {
	doc, err := jsonstream.Parse(jsonstream.NewRaw(text), jsonstream.Unlimited())
	if err != nil {
		panic(fmt.Sprintf("repair: wrote invalid JSON: %v", err)) // made by edits that keep it JSON
	}
	return doc.Root()
}

// replace replaces the text of an item.
func (r *repairer) replace(i int, text []byte) {
	it := r.items[i]
	delete(r.holders, it.turn.Value)
	r.byID = nil
	it.turn.Value = parse(text)
	r.holders[it.turn.Value] = it
	it.turn.Role = conversation.Role(it.turn.Value)
}

// edit replaces a value within an item; nil removes it.
func (r *repairer) edit(i int, at jsonstream.Value, value []byte) {
	r.editAt(i, at.Pointer()[len(r.items[i].turn.Value.Pointer()):], value)
}

// editAt is like edit, but for the value at a JSON Pointer in the turn.
func (r *repairer) editAt(i int, pointer string, value []byte) {
	turn := jsonstream.NewDraft(r.items[i].turn.Value)
	var err error
	if value == nil {
		err = turn.Remove(pointer)
	} else {
		err = turn.Set(pointer, value)
	}
	if err != nil { // a turn of an unknown shape
		r.failed = true
		return
	}
	byID := r.byID
	if r.replace(i, turn.Bytes()); value == nil { // no id is new
		r.byID = byID
	}
}

// insert inserts a new turn.
func (r *repairer) insert(i int, text []byte) {
	like := &item{at: -1}
	like.turn.Value = parse(text)
	like.turn.Role = conversation.Role(like.turn.Value)
	if len(r.items) > 0 {
		like.turn.List = r.items[min(max(i-1, 0), len(r.items)-1)].turn.List
	}
	r.holders[like.turn.Value] = like
	r.setItems(slices.Insert(r.items, i, like))
}

// move moves an item before the one at another index.
func (r *repairer) move(from, to int) {
	it := r.items[from]
	r.setItems(slices.Delete(r.items, from, from+1))
	if to > from {
		to--
	}
	if len(r.items) > 0 {
		it.turn.List = r.items[min(max(to-1, 0), len(r.items)-1)].turn.List
	}
	r.setItems(slices.Insert(r.items, to, it))
}

// drop removes an item.
func (r *repairer) drop(i int) {
	delete(r.holders, r.items[i].turn.Value)
	r.setItems(slices.Delete(r.items, i, i+1))
}
