package provider

import (
	"hash/maphash"
	"iter"

	"github.com/eaapl/handoff/pkg/conversation"
	"github.com/eaapl/handoff/pkg/format"
	"github.com/eaapl/handoff/pkg/jsonstream"
)

// A Stretch is a part of a long history that is checked separately, so that the others need not be in
// memory. Its faults are the faults of the history in the same turns. See [Outline.Stretches].
type Stretch struct {
	// Begin and End are the range of its turns, as indices of the conversation; End is excluded.
	Begin, End int

	goesOn, more bool // turns precede it; turns follow it
	lastCalls    bool // it has the last assistant calls
	lastMedium   bool // it has the last image or document
	total        tally
}

// whole returns a history in one stretch, whose media are counted during the check.
func whole() Stretch { return Stretch{lastCalls: true, lastMedium: true, total: tally{images: -1}} }

// A tally counts media.
type tally struct {
	images, documents int
	bytes, encoded    int // of all images; of base64
}

func (t *tally) add(m medium) {
	if m.document {
		t.documents++
	} else {
		t.images++
		t.bytes += m.size()
	}
	t.encoded += len(m.data)
}

func (t *tally) addAll(other tally) {
	t.images += other.images
	t.documents += other.documents
	t.bytes += other.bytes
	t.encoded += other.encoded
}

// An Outline is the data about the turns of a long history needed to cut it without affecting the checks of
// providers: the ids shared by calls and results, the sides of turns, and the number of images. It keeps
// some 10 bytes per element that may be a turn, and 8 per id, as hashes with their own seed.
type Outline struct {
	layout *format.Descriptor
	seed   maphash.Seed
	traits []trait
	starts []uint32 // for each element, the index of its first id
	ids    []uint64
	media  map[int]tally
}

// A trait is a property of an element as a turn.
type trait uint8

const (
	ofUser      trait = 1 << iota // all its messages are from the user or a tool
	ofAssistant                   // a message is from the assistant
	hasCalls                      // the assistant calls a tool
	hasNameless                   // a call or result has no id
	searches                      // a tool search without an id waits for its output
	finds                         // the output of one
)

// NewOutline returns an outline without elements for a history in a format.
func NewOutline(layout *format.Descriptor) *Outline {
	return &Outline{layout: layout, seed: maphash.MakeSeed(), media: map[int]tally{}}
}

// outlineResult is the result of [Outline.Read].
type outlineResult struct {
	traits []trait
	starts []uint32
	ids    []uint64
	media  map[int]tally
}

// Read returns the data of some elements for [Outline.Add]. It keeps no reference to them, and may be
// called by several goroutines.
func (o *Outline) Read(part iter.Seq2[int, jsonstream.Value]) any {
	var read outlineResult
	for index, v := range part {
		read.starts = append(read.starts, uint32(len(read.ids)))
		read.traits = append(read.traits, o.readElement(&read, index, v))
	}
	return read
}

// readElement reads an element. An element that holds several turns has no side, so that no stretch ends
// among them.
func (o *Outline) readElement(to *outlineResult, index int, v jsonstream.Value) (found trait) {
	if o.layout.Known != nil && o.layout.Known.Within != nil {
		if turns := o.layout.Known.Within(v); turns != nil {
			for _, turn := range turns {
				found |= o.read(to, index, conversation.NewTurn(turn, index)) &^ (ofUser | ofAssistant)
			}
			return found
		}
	}
	return o.read(to, index, conversation.Turn{Value: v, Index: index, Role: conversation.Role(v)})
}

// read reads an element as a turn.
func (o *Outline) read(to *outlineResult, index int, turn conversation.Turn) trait {
	var found trait
	var media []medium
	id := func(kind byte, text string) {
		var h maphash.Hash
		h.SetSeed(o.seed)
		_ = h.WriteByte(kind)      // hash.Hash.Write
		_, _ = h.WriteString(text) // never fails
		to.ids = append(to.ids, h.Sum64())
	}
	role, has := roleOf(turn), [conversation.ApprovalResponse + 1]bool{}
	silent := turn.Role == "" // an item without parts, such as a compaction, is not sent everywhere
	for p := range conversation.Parts(turn.Value) {
		silent = false
		if p.Kind != conversation.Other || p.Value.Get("type").Text() == "step-start" { // see reader.add
			has[p.Kind] = true
		}
		media = appendMedia(media, p.Value, p.Kind == conversation.Media)
		switch text := p.ID.Text(); p.Kind {
		case conversation.Call, conversation.Result:
			if text != "" {
				id('c', text)
			} else if !p.Hosted {
				found |= hasNameless
			} else if kind := p.Value.Get("type").Text(); kind == "tool_search_call" {
				found |= searches
			} else if kind == "tool_search_output" {
				found |= finds
			}
		case conversation.ApprovalRequest, conversation.ApprovalResponse:
			if text != "" {
				id('a', text)
			}
		}
	}
	if text := turn.Item().Get("id").Text(); text != "" && o.layout.Provider == string(OpenAIResponses) {
		id('i', text)
	}
	if turn.IsContext() && turn.Role != user { // see checker.read
		return found
	}
	var count tally
	for _, m := range media {
		if count.add(m); m.document && m.name.Exists() {
			id('d', m.name.Text())
		}
	}
	if len(media) > 0 {
		if to.media == nil {
			to.media = map[int]tally{}
		}
		count.addAll(to.media[index])
		to.media[index] = count
	}
	switch {
	case silent, has[conversation.Other], has[conversation.ApprovalRequest], has[conversation.ApprovalResponse]: // and neither are approvals
	case role == assistant && !has[conversation.Result]:
		found |= ofAssistant
	case (role == user || role == tool) && !has[conversation.Call] && !has[conversation.Reasoning]:
		found |= ofUser
	}
	if role == assistant && has[conversation.Call] {
		found |= hasCalls
	}
	return found
}

// Add adds the results of Read, in the order of the elements.
func (o *Outline) Add(read any) {
	more := read.(outlineResult)
	for _, start := range more.starts {
		o.starts = append(o.starts, start+uint32(len(o.ids)))
	}
	o.traits = append(o.traits, more.traits...)
	o.ids = append(o.ids, more.ids...)
	for index, count := range more.media {
		o.media[index] = count
	}
}

// idsOf returns the ids in an element.
func (o *Outline) idsOf(index int) []uint64 {
	end := len(o.ids)
	if index+1 < len(o.starts) {
		end = int(o.starts[index+1])
	}
	return o.ids[o.starts[index]:end]
}

// Stretches cuts a history whose turns are the elements of a path. least is the minimum weight of a
// stretch, where possible. A stretch is longer if calls are far from their results, or if other turns share
// an id.
func (o *Outline) Stretches(path []format.Spot, weight func(index int) int64, least int64) []Stretch {
	last := make(map[uint64]int32, len(path)) // the last turn with an id
	all := Stretch{}
	calls, medium := -1, -1
	for at, spot := range path {
		index := int(spot.Index)
		for _, id := range o.idsOf(index) {
			last[id] = int32(at)
		}
		if o.traits[index]&hasCalls != 0 {
			calls = at
		}
		if count, ok := o.media[index]; ok {
			medium = at
			if at == 0 || path[at-1].Index != spot.Index {
				all.total.addAll(count)
			}
		}
	}
	var list []Stretch
	end := func(at int) {
		s := all
		if len(list) > 0 {
			s.Begin = list[len(list)-1].End
		}
		s.End, s.goesOn, s.more = at, s.Begin > 0, at < len(path)
		s.lastCalls = s.Begin <= calls && calls < at
		s.lastMedium = s.Begin <= medium && medium < at
		list = append(list, s)
	}
	reach, size, searching := 0, int64(0), false
	for at, spot := range path {
		index := int(spot.Index)
		for _, id := range o.idsOf(index) {
			reach = max(reach, int(last[id]))
		}
		if o.traits[index]&hasNameless != 0 { // calls without ids are paired by their tools
			reach = len(path)
		}
		if o.traits[index]&(searches|finds) != 0 {
			searching = o.traits[index]&searches != 0
		}
		if size += weight(index); size < least || reach > at || searching || at+1 == len(path) {
			continue
		}
		const sides = ofUser | ofAssistant
		if next := o.traits[path[at+1].Index]; next&finds == 0 && (o.traits[index]|next)&sides == sides {
			end(at + 1)
			size = 0
		}
	}
	end(len(path))
	return list
}

// Faults is like the function [Faults], for the turns of the stretch.
func (s Stretch) Faults(p Provider, d *format.Descriptor, turns []conversation.Turn) []Fault {
	return newChecker(p, d, s).check(turns)
}

func newChecker(p Provider, d *format.Descriptor, s Stretch) *checker {
	return &checker{
		provider: p, rules: byID(), native: d.Provider == string(p), client: d.Client, divided: d.Divided, resultsOnly: d.ResultsOnly, replaces: d.Replaces, stretch: s,
		asked: map[string]string{}, decided: map[string]bool{}, unsent: map[string]bool{},
	}
}

func (c *checker) check(turns []conversation.Turn) []Fault {
	c.messages = c.read(turns)
	c.checkPairs()
	c.checkOrder()
	c.checkContent()
	c.checkReasoning()
	c.checkIDs(turns)
	c.checkMedia()
	c.checkShape(turns)
	c.checkMembers(turns)
	c.checkFailed(turns)
	c.checkCachePoints(turns)
	c.checkRequest()
	return c.found
}
