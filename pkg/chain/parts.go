package chain

import (
	"hash/maphash"
	"slices"
	"strings"
	"sync"

	"github.com/eaapl/handoff/pkg/history"
	"github.com/eaapl/handoff/pkg/jsonstream"
	"github.com/eaapl/handoff/pkg/summarize"
)

// A part is a piece of a message, such as a turn. Messages of a task share most of
// theirs. It is immutable, and packed: there are many.
type part struct {
	sum   uint64 // the hash of its identity
	texts string // of the facts, one after the other
	// data are the sums of its words, sorted and each once; then those of its facts; then,
	// for each fact, where its text ends, and twice where its sums end, plus one for a
	// sentence.
	data         []uint32
	words, facts int32
}

// An identity is what the sum of a part is made of.
type identity struct {
	isTurn      bool
	name, value uint64 // their hashes
}

// fact returns one of the facts of a turn.
func (p *part) fact(i int32) summarize.Fact {
	ends := p.data[len(p.data)-2*int(p.facts):]
	text, sums := uint32(0), uint32(0)
	if i > 0 {
		text, sums = ends[2*i-2], ends[2*i-1]/2
	}
	kind := summarize.Figure
	if ends[2*i+1]%2 == 1 {
		kind = summarize.Warning
	}
	all := p.data[p.words:]
	return summarize.Fact{Kind: kind, Text: p.texts[text:ends[2*i]], Sums: all[sums : ends[2*i+1]/2]}
}

// A reader is what one call of Read after the other works with. It remembers what
// messages have in common, since most of what a message says its parent has said.
type reader struct {
	kept  map[string]string
	known map[uint64]*part
	text  []byte
	data  []uint32 // of the last part
	ends  []uint32
}

var readers = sync.Pool{New: func() any {
	return &reader{kept: make(map[string]string), known: make(map[uint64]*part)}
}}

// release lets others use the reader, without what a large message has left behind.
func (r *reader) release() {
	if cap(r.text) > largestText {
		r.text, r.data, r.ends = nil, nil, nil
	}
	readers.Put(r)
}

const (
	largestText = 1 << 20

	mostKept  = 1 << 12 // strings of at most longestKept bytes
	mostKnown = 1 << 12 // parts of at most longestKnown bytes

	longestKept  = 128
	longestKnown = 16 << 10
)

// keep returns a string that does not keep the document in memory.
func (r *reader) keep(s string) string {
	if s == "" {
		return ""
	}
	if kept, ok := r.kept[s]; ok {
		return kept
	}
	s = strings.Clone(s)
	if len(s) <= longestKept {
		if len(r.kept) >= mostKept {
			clear(r.kept)
		}
		r.kept[s] = s
	}
	return s
}

// envelope are the members that say nothing about the task. A fact that stands in
// one of them only is lost.
var envelope = []string{
	"schemaVersion", "handoffId", "taskId", "parentHandoffId", "timestamp", "traceparent",
	"signature", "signatureKeyId", "conversationHistoryVerbatim",
}

// learn takes the message apart: the turns first, then the elements and members of
// all other members.
func (r *reader) learn(m *Message, root jsonstream.Value) {
	for _, v := range root.Get("conversationHistoryVerbatim").Elements() {
		m.parts = append(m.parts, r.part(v, true))
	}
	m.turns = len(m.parts)
	for name, v := range root.Members() {
		if slices.Contains(envelope, name) {
			continue
		}
		switch v.Kind() {
		case jsonstream.Array:
			for _, element := range v.Elements() {
				m.parts = append(m.parts, r.part(element, false))
			}
		case jsonstream.Object:
			for _, member := range v.Members() {
				if name != "fromAgent" || member.Name() != "executionId" {
					m.parts = append(m.parts, r.part(member, false))
				}
			}
		default:
			m.parts = append(m.parts, r.part(v, false))
		}
	}
}

func (r *reader) part(v jsonstream.Value, isTurn bool) *part {
	sum := maphash.Comparable(seed, identity{isTurn, maphash.String(seed, v.Name()), maphash.Bytes(seed, v.Raw())})
	if p, ok := r.known[sum]; ok {
		return p
	}
	p := &part{sum: sum}
	var text string
	if isTurn {
		text = withoutSecrets(history.Turn{Value: v}.Text())
	} else {
		text = r.textOf(v)
	}
	r.data = summarize.AppendSums(r.data[:0], text)
	slices.Sort(r.data)
	r.data = slices.Compact(r.data)
	p.words = int32(len(r.data))
	if isTurn {
		r.appendFacts(p, text)
	}
	p.data = slices.Clone(r.data)
	if len(v.Raw()) <= longestKnown {
		if len(r.known) >= mostKnown {
			clear(r.known)
		}
		r.known[sum] = p
	}
	return p
}

// textOf returns all names, strings and numbers of a value, one a line.
func (r *reader) textOf(v jsonstream.Value) string {
	r.text = r.text[:0]
	for v := range v.All() {
		if name := v.Name(); name != "" {
			r.text = append(append(r.text, name...), '\n')
		}
		switch v.Kind() {
		case jsonstream.String:
			r.text = append(append(r.text, v.Text()...), '\n')
		case jsonstream.Number:
			r.text = append(append(r.text, v.Raw()...), '\n')
		}
	}
	return string(r.text)
}

// appendFacts adds the facts of a turn to its part.
func (r *reader) appendFacts(p *part, text string) {
	r.text, r.ends = r.text[:0], r.ends[:0]
	for fact := range summarize.Facts(text) {
		if isBlotted(fact.Text) {
			continue
		}
		r.text = append(r.text, fact.Text...)
		r.data = append(r.data, fact.Sums...)
		end := 2 * (uint32(len(r.data)) - uint32(p.words))
		if fact.Kind != summarize.Figure && fact.Kind != summarize.Identifier {
			end++
		}
		r.ends = append(r.ends, uint32(len(r.text)), end)
		p.facts++
	}
	r.data = append(r.data, r.ends...)
	p.texts = string(r.text)
}
