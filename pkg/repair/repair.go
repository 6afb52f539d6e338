// Package repair makes of a history that a provider of models refuses one that it takes, without
// losing a word: what cannot stay where it is becomes a note in a turn of the user, and what
// cannot stay at all is in the archive.
package repair

import (
	"bytes"
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

// NoResult is the text of the result that an unanswered call gets.
const NoResult = "[no result: the run was interrupted]"

// Options say whom a history is repaired for.
type Options struct {
	Format format.Format // of the messages; "" means the one that each looks like
	// For is the provider that is to take the history: "" means the one whose turns they
	// are, or else [provider.OpenAIChat], whose order of calls and results all take.
	For provider.Provider
	// Damage is what [Parse] took out of the text of the document; nil if that is whole.
	Damage *Damage
}

// A Step is one thing that was done.
type Step struct {
	Rule    string `json:"rule"`    // the ID of the rule that the history broke; "" for what follows from another step
	Pointer string `json:"pointer"` // of the turn, in the message before the repair; "" for one that was made up
	Did     string `json:"did"`
}

// A Result is a repaired message.
type Result struct {
	Format format.Format
	For    provider.Provider
	Text   []byte // the message's own if there was nothing to do
	Steps  []Step
	// Left are the errors that are still there, those of the schema first: a provider would refuse
	// the history.
	Left []finding.Finding
	// Archive is a line of an [Archive] without its end, nil if nothing was changed.
	Archive []byte
}

// Message repairs the history of a message. It does what the errors of the provider's rules
// ask for, and nothing for its warnings, but that a turn of the system is put where it is
// heard. Turns that nothing is wrong with stay as they are, byte for byte. A repaired message
// is not changed again. The error is of [history.Of].
func Message(doc *jsonstream.Document, limits jsonstream.Limits, o Options) (Result, error) {
	h, err := history.Of(doc, o.Format, limits)
	if errors.Is(err, history.ErrFormat) && o.For != "" && doc.Root().Kind() == jsonstream.Array { // it is sent as that API's
		h, err = history.Of(doc, format.Format(o.For), limits)
	}
	if err != nil {
		return Result{}, err
	}
	r := newRepairer(h, o.For)
	refused, err := refusedBySchema(doc, h.Format, limits)
	if err != nil {
		return Result{}, err
	}
	r.mendStructure(refused)
	r.run()
	result := Result{Format: h.Format, For: r.provider, Text: doc.Raw().Bytes, Steps: r.steps}
	if len(r.steps) > 0 {
		if r.isSigned() {
			result.Steps = append(r.steps, Step{"", "", "removed the signature, which no longer holds: sign the message again"})
		}
		if result.Text, err = r.write(); err != nil {
			return Result{}, err
		}
	}
	was := doc.Raw().Bytes
	if o.Damage != nil {
		var torn []Step
		for _, t := range o.Damage.Torn {
			torn = append(torn, t.step())
		}
		was, result.Steps = o.Damage.text, append(torn, result.Steps...)
	}
	if len(result.Steps) > 0 {
		result.Archive = archive(was, result.Text)
		if doc, err = jsonstream.Parse(doc.Raw().With(result.Text), jsonstream.Unlimited()); err != nil {
			return Result{}, err
		}
		if h, err = history.Of(doc, h.Format, jsonstream.Unlimited()); err != nil {
			return Result{}, err
		}
		if len(h.Turns) != len(r.items) {
			return Result{}, fmt.Errorf("the repaired history has %d turns, and the message has room for %d of them", len(r.items), len(h.Turns))
		}
	}
	if len(result.Steps) > 0 {
		if refused, err = refusedBySchema(doc, h.Format, limits); err != nil {
			return Result{}, err
		}
	}
	result.Left = refused
	if len(result.Steps) == 0 && !r.refused && len(h.Turns) > 0 {
		return result, nil
	}
	for _, f := range provider.Check(r.provider, h) {
		if f.Severity == finding.Error {
			result.Left = append(result.Left, f)
		}
	}
	return result, nil
}

// An item is a turn of the history that is being repaired.
type item struct {
	turn conversation.Turn // Value is of the message, or of a text of its own
	at   int               // its index in the history before the repair, -1 for one that was made up
}

// A repairer repairs one history.
type repairer struct {
	h        *history.History
	layout   *format.Descriptor
	provider provider.Provider
	items    []*item
	holders  map[jsonstream.Value]*item // by their turns
	pointers []string                   // of the turns before the repair
	members  map[string][]byte          // of the root, that are added
	steps    []Step
	hopeless map[fault]bool // those that nothing can be done about
	failed   bool           // a remedy does not apply to a turn
	refused  bool           // the history had errors when it was last looked at
}

// A fault is that of a rule at a value.
type fault struct {
	rule string
	at   jsonstream.Value
}

func newRepairer(h *history.History, p provider.Provider) *repairer {
	if p == "" {
		p = provider.Of(h)
	}
	if p == "" {
		p = provider.OpenAIChat
	}
	r := &repairer{h: h, layout: h.Layout(), provider: p, pointers: h.Pointers(), members: map[string][]byte{}, hopeless: map[fault]bool{}, holders: map[jsonstream.Value]*item{}}
	for i, t := range h.Turns {
		it := &item{turn: t, at: i}
		r.items, r.holders[t.Value] = append(r.items, it), it
	}
	return r
}

// remedies are what is done for the rules, in the order in which it is done: what one does may
// make another fault. A remedy returns false if it can do nothing about a fault.
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
	{"system-turn", (*repairer).moveSystem},
	{"empty-content", (*repairer).mendEmpty},
	{"trailing-space", (*repairer).cutSpace},
	{"call-place", (*repairer).mendOrder},
	{"role-order", (*repairer).mendOrder},
	{"first-turn", (*repairer).mendFirst},
	{"document-name", (*repairer).mendDocumentName},
}

// run repairs until nothing is left that a remedy does anything about.
func (r *repairer) run() {
	for range maxRounds {
		if r.failed || !r.round() {
			break
		}
	}
	if r.failed { // nothing is done by halves
		r.steps = nil
	}
}

// maxRounds bounds the work on a history that remedies chase each other on.
const maxRounds = 200

// round mends the faults of the first rule that there are any of, and reports whether it did.
// Faults in a turn that has been changed are left for the next round.
func (r *repairer) round() bool {
	faults := provider.Faults(r.provider, r.layout, r.turns())
	r.refused = slices.ContainsFunc(faults, func(f provider.Fault) bool { return f.Severity == finding.Error })
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

// isMended reports whether a fault is one to mend.
func isMended(f provider.Fault) bool {
	return f.Severity == finding.Error || f.Rule == string(provider.Anthropic)+"/system-turn"
}

// isSigned reports whether the message has a signature, which does not hold for another history.
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

// indexOf returns the index of the item that a value is in, -1 if it is in none any more.
func (r *repairer) indexOf(v jsonstream.Value) int {
	for ; v.Exists(); v = v.Parent() {
		if it := r.holders[v]; it != nil {
			return slices.Index(r.items, it)
		}
	}
	return -1
}

// step records what was done about a fault in an item.
func (r *repairer) step(f provider.Fault, i int, format string, args ...any) {
	s := Step{Rule: f.Rule, Did: fmt.Sprintf(format, args...)}
	if i >= 0 && i < len(r.items) && r.items[i].at >= 0 {
		s.Pointer = r.pointers[r.items[i].at]
	}
	r.steps = append(r.steps, s)
}

// write returns the message with the turns as they are now. Each list keeps the white space
// between its turns.
func (r *repairer) write() ([]byte, error) {
	if r.isLines() {
		turns := make([]history.Line, len(r.items))
		for i, it := range r.items {
			turns[i] = history.Line{Of: it.at, Value: it.turn.Value}
		}
		return r.h.WithTurns(turns)
	}
	root := jsonstream.NewDraft(r.h.Root)
	for i, list := range r.h.Lists {
		if list.Value.Kind() != jsonstream.Array {
			continue
		}
		elements := r.elements(i, list.Value)
		var was [][]byte
		for _, v := range list.Value.Elements() {
			was = append(was, v.Raw())
		}
		if slices.EqualFunc(elements, was, bytes.Equal) {
			continue
		}
		if err := root.Set(list.Pointer(), join(list.Value, elements)); err != nil {
			return nil, err
		}
	}
	for _, name := range r.layout.Signature {
		if r.h.Root.Get(name).Exists() {
			if err := root.Remove("/" + name); err != nil {
				return nil, err
			}
		}
	}
	for _, name := range []string{"system", "systemInstruction"} {
		if value := r.members[name]; value != nil {
			if err := root.Set("/"+name, value); err != nil {
				return nil, err
			}
		}
	}
	return r.h.Message(root.Bytes())
}

// elements returns what a list is to have: its turns as they are now, and what is no turn, such
// as an event without content, after the turn that it followed.
func (r *repairer) elements(list int, v jsonstream.Value) (elements [][]byte) {
	there := map[int]bool{} // the turns that are left, by their indices before the repair
	for _, it := range r.items {
		there[it.at] = there[it.at] || it.turn.List == list
	}
	follows := map[int][][]byte{} // what is no turn, by the turn before it, -1 if there is none
	next, last := 0, -1
	for next < len(r.h.Turns) && r.h.Turns[next].List != list {
		next++
	}
	for index, element := range v.Elements() {
		if next < len(r.h.Turns) && r.h.Turns[next].List == list && r.h.Turns[next].Index == index {
			if there[next] {
				last = next
			}
			next++
			continue
		}
		follows[last] = append(follows[last], element.Raw())
	}
	elements = follows[-1]
	for _, it := range r.items {
		if it.turn.List != list {
			continue
		}
		elements = append(elements, it.turn.Value.Raw())
		if it.at >= 0 {
			elements = append(elements, follows[it.at]...)
		}
	}
	return elements
}

// join writes a list with the white space that is before its first element, and after its last.
func join(list jsonstream.Value, turns [][]byte) []byte {
	raw := list.Raw()
	before, after, between := "", "", ","
	if list.Len() > 0 {
		first, last := list.First(), list.First()
		for _, v := range list.Elements() {
			last = v
		}
		offset := list.Position().Offset
		before = string(raw[1 : first.Position().Offset-offset])
		after = string(raw[int(last.Position().Offset-offset)+len(last.Raw()) : len(raw)-1])
		if list.Len() > 1 {
			second := first.Next()
			between = string(raw[int(first.Position().Offset-offset)+len(first.Raw()) : second.Position().Offset-offset])
		} else if before != "" {
			between += before
		}
	}
	text := append([]byte{'['}, before...)
	for i, t := range turns {
		if i > 0 {
			text = append(text, between...)
		}
		text = append(text, t...)
	}
	return append(append(text, after...), ']')
}
