package chain

import (
	"hash/maphash"
	"slices"
	"strings"
	"sync"

	"github.com/eaapl/handoff/internal/secrets"
	"github.com/eaapl/handoff/pkg/conversation"
	"github.com/eaapl/handoff/pkg/jsonstream"
	"github.com/eaapl/handoff/pkg/summarize"
)

// A part is a piece of a message, such as a turn. The messages of a task share most parts.
// A part is immutable, and packed because there are many.
type part struct {
	sum   uint64 // the hash of its identity
	texts string // of the facts, one after the other
	// data holds the sums of its words, mostly without repeats; then the sums of its facts;
	// then, for each fact, the end of its text, and twice the end of its sums, plus one for
	// a sentence.
	data         []uint32
	words, facts int32
}

// An identity is the input of a part's sum.
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

// A reader is reused from one call of Read to the next. It remembers the parts that it has
// read, since a message shares most of them with its parent.
type reader struct {
	kept   map[string]string
	known  map[uint64]*part
	before map[uint64]*part // the previous known, set aside when it was full
	parts  []*part          // of the message that is read
	text   []byte
	data   []uint32 // of the last part
	ends   []uint32
	recent [1 << recentBits]uint32 // sums by their low bits, while words are collected
}

var readers = sync.Pool{New: func() any {
	return &reader{kept: make(map[string]string), known: make(map[uint64]*part), before: make(map[uint64]*part)}
}}

// release returns the reader to the pool, without the memory that a large message needed.
func (r *reader) release() {
	if cap(r.text) > largestText || cap(r.data) > largestText/4 || cap(r.parts) > largestText/8 {
		r.text, r.data, r.ends, r.parts = nil, nil, nil, nil
	}
	readers.Put(r)
}

const (
	largestText = 1 << 20

	maxKept  = 1 << 12 // strings of at most maxKeptLength bytes
	maxKnown = 1 << 13 // parts of at most maxKnownLength bytes, and as many before

	maxKeptLength  = 128
	maxKnownLength = 16 << 10

	recentBits = 9
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
	if len(s) <= maxKeptLength {
		if len(r.kept) >= maxKept {
			clear(r.kept)
		}
		r.kept[s] = s
	}
	return s
}

// envelope has the members with no information about the task. A fact that is only in one of
// them is lost.
var envelope = []string{
	"schemaVersion", "handoffId", "taskId", "parentHandoffId", "timestamp", "traceparent",
	"signature", "signatureKeyId", "conversationHistoryVerbatim",
}

// learn splits the message into parts: first the turns, then the elements and members of
// all other members.
func (r *reader) learn(m *Message, root jsonstream.Value) {
	r.parts = r.parts[:0]
	for _, v := range root.Get("conversationHistoryVerbatim").Elements() {
		r.parts = append(r.parts, r.part(v, true))
	}
	m.turns = len(r.parts)
	for name, v := range root.Members() {
		if slices.Contains(envelope, name) {
			continue
		}
		switch v.Kind() {
		case jsonstream.Array:
			for _, element := range v.Elements() {
				r.parts = append(r.parts, r.part(element, false))
			}
		case jsonstream.Object:
			for _, member := range v.Members() {
				if name != "fromAgent" || member.Name() != "executionId" {
					r.parts = append(r.parts, r.part(member, false))
				}
			}
		default:
			r.parts = append(r.parts, r.part(v, false))
		}
	}
	m.parts = slices.Clone(r.parts)
	clear(r.parts) // else they would stay in memory
}

func (r *reader) part(v jsonstream.Value, isTurn bool) *part {
	sum := maphash.Comparable(seed, identity{isTurn, maphash.String(seed, v.Name()), maphash.Bytes(seed, v.Raw())})
	if p, ok := r.known[sum]; ok {
		return p
	}
	p, ok := r.before[sum]
	if !ok {
		p = r.newPart(v, isTurn)
		p.sum = sum
	}
	if len(v.Raw()) <= maxKnownLength {
		if len(r.known) == maxKnown {
			r.known, r.before = r.before, r.known
			clear(r.known)
		}
		r.known[sum] = p
	}
	return p
}

func (r *reader) newPart(v jsonstream.Value, isTurn bool) *part {
	p := &part{}
	r.data = r.data[:0]
	var text string
	if isTurn {
		text = secrets.Hide(conversation.Turn{Value: v}.Text())
		r.data = summarize.AppendSums(r.data, text)
	} else {
		r.appendWords(v)
	}
	r.dropRepeated()
	p.words = int32(len(r.data))
	if isTurn {
		r.appendFacts(p, text)
	}
	p.data = slices.Clone(r.data)
	return p
}

// dropRepeated removes most repeated sums. A repeat may stay if another sum took its slot in
// between; that only costs space.
func (r *reader) dropRepeated() {
	clear(r.recent[:])
	kept := r.data[:0]
	for _, sum := range r.data {
		if at := &r.recent[sum%(1<<recentBits)]; *at != sum || sum == 0 {
			*at = sum
			kept = append(kept, sum)
		}
	}
	r.data = kept
}

// appendWords adds the sums of the words in all names, strings and numbers of a value.
func (r *reader) appendWords(v jsonstream.Value) {
	for at := range v.All() {
		name, text := at.Name(), at.Text()
		if at.Kind() == jsonstream.Number {
			text = string(at.Raw())
		}
		if mayHoldJSON(name) || mayHoldJSON(text) {
			// The text may contain JSON with escapes, and its end depends on the whole
			// text.
			r.data = summarize.AppendSums(r.data[:0], r.textOf(v))
			return
		}
		r.data = summarize.AppendSums(summarize.AppendSums(r.data, name), text)
	}
}

func mayHoldJSON(text string) bool {
	return strings.IndexByte(text, '{') >= 0 || strings.IndexByte(text, '[') >= 0
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
		if strings.Contains(fact.Text, "****") { // redacted: no credential is shorter
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
