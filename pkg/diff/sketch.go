package diff

import (
	"slices"
	"strings"
	"unicode"

	"github.com/eaapl/handoff/internal/equal"
	"github.com/eaapl/handoff/pkg/jsonstream"
)

// A sketch is a sample of the content of an element, to measure the likeness of two elements
// (A. Z. Broder, "On the resemblance and containment of documents", 1997).
type sketch struct {
	kind     jsonstream.Kind
	features []uint64 // the smallest ones, ascending
	all      bool     // features is complete
	id       uint64   // hash of the element's identifiers, 0 if it has none
}

// The limits of a sketch.
const (
	maxFeatures = 64
	maxValues   = 256
	maxText     = 8 << 10 // bytes of a string
	manyWords   = 8       // minimum number for pairs of adjacent words to count
	longWord    = 40      // bytes of a text without white space that is treated as one word
)

// alikeEnough is the minimum likeness, in thousandths, for an element to be a change of another.
const alikeEnough = 500

// likeness returns the share of common features, in thousandths (Dice's coefficient). A common
// identifier makes up half of it.
func (s *sketch) likeness(t *sketch) int {
	if s.kind != t.kind {
		return 0
	}
	limit := len(s.features) + len(t.features)
	if !(s.all && t.all) {
		limit = maxFeatures
	}
	shared, union, i, j := 0, 0, 0, 0
	for i < len(s.features) && j < len(t.features) && union < limit {
		// The processor cannot predict which is smaller, so steps without branches are faster.
		a, b := s.features[i], t.features[j]
		if a <= b {
			i++
		}
		if b <= a {
			j++
		}
		if a == b {
			shared++
		}
		union++
	}
	union = min(union+len(s.features)-i+len(t.features)-j, limit)
	n := 2000 * shared / (union + shared)
	if s.id != 0 && s.id == t.id {
		n = 500 + n/2
	}
	return n
}

// sketch returns the sketch of an element: of olds, or of news if side is 1. It is nil for
// scalars other than texts, for elements with a key, and beyond maxSketches.
func (m *matching) sketch(side, i int) *sketch {
	list := m.olds
	if side == 1 {
		list = m.news
	}
	if m.sketchesOf[side] == nil {
		m.sketchesOf[side] = make([]*sketch, len(list))
	}
	known := &m.sketchesOf[side][i]
	if *known == nil {
		*known = unlike
		if m.sketches > 0 && (m.named[side] == nil || m.named[side][i] == "") {
			*known = m.sampler.sketch(list[i])
			m.sketches--
		}
	}
	if *known == unlike {
		return nil
	}
	return *known
}

// unlike is the sketch of an element without likeness to any other.
var unlike = &sketch{}

// sketch returns the sketch of an element.
func (p *sampler) sketch(element equal.Child) *sketch {
	s := sketch{kind: element.Value.Kind(), all: true}
	p.features, p.values = p.features[:0], 0
	switch s.kind {
	case jsonstream.Object, jsonstream.Array:
		p.add(element)
		s.id = idOf(element.Value)
	case jsonstream.String:
		p.text(element.Value.Text(), 0)
	}
	if len(p.features) == 0 || s.kind == jsonstream.String && len(p.features) == 1 {
		return unlike
	}
	least := p.least()
	if len(least) > maxFeatures {
		least, s.all = least[:maxFeatures], false
	}
	s.features = slices.Clone(least)
	return &s
}

// least returns the smallest features without duplicates, ascending: all of them, or if there
// are more than maxFeatures, at least one more than maxFeatures. They are valid until the next
// call.
func (p *sampler) least() []uint64 {
	if len(p.features) <= maxFeatures {
		slices.Sort(p.features)
		return slices.Compact(p.features)
	}
	// Hashes are evenly distributed over their top bytes: sorting the few with the same top
	// byte, from the lowest on, can stop as soon as there are enough.
	var starts [1<<8 + 1]int
	for _, f := range p.features {
		starts[f>>56+1]++
	}
	for i := range 1 << 8 {
		starts[i+1] += starts[i]
	}
	p.spread = slices.Grow(p.spread[:0], len(p.features))[:len(p.features)]
	next := starts
	for _, f := range p.features {
		p.spread[next[f>>56]] = f
		next[f>>56]++
	}
	p.features = p.features[:0]
	for i := 0; i < 1<<8 && len(p.features) <= maxFeatures; i++ {
		if bucket := p.spread[starts[i]:starts[i+1]]; len(bucket) > 0 {
			slices.Sort(bucket)
			p.features = append(p.features, slices.Compact(bucket)...)
		}
	}
	return p.features
}

// idNames are the names of members that identify an object among others of its kind.
var idNames = []string{"id", "call_id", "tool_call_id", "callId", "toolCallId", "subtaskId"}

// idOf returns a hash of an object's identifiers, and of its type, since a call and its
// result share an identifier.
func idOf(object jsonstream.Value) uint64 {
	id, found := uint64(0), false
	for name, member := range object.Members() {
		isID := slices.Contains(idNames, name) && isScalar(member.Kind()) && member.Kind() != jsonstream.Null
		if isID || name == "type" || name == "role" {
			id += mix(hash(name), hash(member.Raw()))
			found = found || isID
		}
	}
	if !found {
		return 0
	}
	return id
}

// A sampler collects the features of values.
type sampler struct {
	features []uint64
	values   int
	spread   []uint64
}

// add adds the features of a value. Only the name of the member counts, not the rest of its
// place in the element.
func (p *sampler) add(c equal.Child) {
	if p.values++; p.values > maxValues {
		return
	}
	v := c.Value
	name := hash(v.Name())
	switch kind := v.Kind(); kind {
	case jsonstream.Object, jsonstream.Array:
		children := c.Relation.Children(v)
		if len(children) == 0 {
			p.features = append(p.features, mix(name, uint64(kind)))
		}
		for _, child := range children {
			p.add(child)
		}
	case jsonstream.String:
		if text := v.Text(); len(text) > longWord || strings.ContainsAny(text, " \t\r\n") {
			p.text(text, name)
		} else {
			p.features = append(p.features, mix(name, hash(text)))
		}
	case jsonstream.Number:
		p.features = append(p.features, mix(name, uint64(kind)), mix(name, hash(jsonstream.AppendNormal(nil, v.Raw()))))
	default:
		p.features = append(p.features, mix(name, 0), mix(name, uint64(kind)))
	}
}

// text adds the words of a text and, if it has many, the pairs of adjacent words.
func (p *sampler) text(text string, name uint64) {
	text = text[:min(len(text), maxText)]
	first := len(p.features)
	for word := range strings.FieldsFuncSeq(text, isBetweenWords) {
		p.features = append(p.features, mix(name, hash(word)))
	}
	if last := len(p.features) - 1; last-first >= manyWords {
		for i := first; i < last; i++ {
			p.features = append(p.features, mix(p.features[i], p.features[i+1]))
		}
	}
}

func isBetweenWords(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) && r != '_' }

// hash is FNV-1a, because likeness must not depend on a seed.
func hash[T string | []byte](text T) uint64 {
	h := uint64(14695981039346656037)
	for i := range len(text) {
		h = (h ^ uint64(text[i])) * 1099511628211
	}
	return h
}

// mix returns a number whose every bit depends on both numbers and their order.
func mix(a, b uint64) uint64 {
	h := a*0x9e3779b97f4a7c15 + b
	h = (h ^ h>>32) * 0xd6e8feb86659fd93
	h = (h ^ h>>32) * 0xd6e8feb86659fd93
	return h ^ h>>32
}
