package gram

import (
	"cmp"
	"slices"
	"sync"
)

// Best returns the margin of the window of text that is most like an injection. ok is false if the gate
// rejects the whole text or it has no words.
func (m *Model) Best(text string) (margin float64, ok bool) {
	if len(text) <= chunkLen && !m.gate.Opens(text) {
		return 0, false
	}
	c := counters.Get().(*counter)
	r := &c.reader
	r.Reset(text, &m.gate)
	for r.Next() {
		if s := c.add(m, r); !ok || s > margin {
			margin, ok = s, true
		}
	}
	r.Reset("", nil)
	c.clear(0)
	c.clear(1)
	counters.Put(c)
	return margin, ok
}

// A Feature is a feature found in a text.
type Feature struct {
	Start, End int // the bytes of the text it covers
	Weight     float64
}

// Features returns the features of the best window of text, in descending order of weight.
func (m *Model) Features(text string) []Feature {
	var best, window []Feature
	margin, blockStart := 0.0, 0
	var c counter
	r := &c.reader
	r.Reset(text, &m.gate)
	for r.Next() {
		if r.First {
			blockStart = len(window)
		}
		window = slices.Delete(window, 0, blockStart)
		blockStart = len(window)
		s := c.add(m, r)
		window = append(window, m.features(r)...)
		if best == nil || s > margin {
			margin, best = s, slices.Clone(window)
		}
	}
	slices.SortStableFunc(best, func(a, b Feature) int { return cmp.Compare(b.Weight, a.Weight) })
	return best
}

// counters holds cleared counters: they are too large to allocate for each text.
var counters = sync.Pool{New: func() any { return new(counter) }}

// A counter adds up the weights of each window, counting each feature once.
type counter struct {
	reader Reader
	seen   [2][slots / 64]uint64 // the slots of the last block and of this one
	hits   [2][blockLen * PerToken]int32
	n, sum [2]int // number of hits; sum of the weights of each block
	tokens [2]int
	this   int // the index of the current block
}

// add returns the margin of the window that ends with the block of r.
func (c *counter) add(m *Model, r *Reader) float64 {
	c.this = 1 - c.this
	this, last := c.this, 1-c.this
	c.clear(this)
	if r.First {
		c.clear(last)
	}
	var keys [PerToken]uint64
	stream := r.Before
	sum := c.sum[last]
	for i := range r.Tokens {
		for _, key := range keys[:stream.Add(&r.Tokens[i], &keys)] {
			slot, weight := m.lookup(key)
			word, bit := slot/64, uint64(1)<<(slot%64)
			if weight == 0 || c.seen[this][word]&bit != 0 {
				continue
			}
			c.seen[this][word] |= bit
			c.hits[this][c.n[this]] = int32(slot)
			c.n[this]++
			c.sum[this] += weight
			if c.seen[last][word]&bit == 0 {
				sum += weight
			}
		}
	}
	c.tokens[this] = len(r.Tokens)
	return float64(sum)*m.scale*Value(c.tokens[0]+c.tokens[1]) + m.bias
}

// clear clears one of the two blocks.
func (c *counter) clear(block int) {
	for _, slot := range c.hits[block][:c.n[block]] {
		c.seen[block][slot/64] = 0
	}
	c.n[block], c.sum[block], c.tokens[block] = 0, 0, 0
}

// features returns the features of the current block of r that have a weight.
func (m *Model) features(r *Reader) []Feature {
	var found []Feature
	var keys [PerToken]uint64
	stream := r.Before
	for i := range r.Tokens {
		t := &r.Tokens[i]
		for k, key := range keys[:stream.Add(t, &keys)] {
			_, weight := m.lookup(key)
			if weight == 0 {
				continue
			}
			start := t.Start
			if k == pair || k == triple {
				start = r.Tokens[max(0, i-k)].Start
			}
			found = append(found, Feature{start, t.End, float64(weight) * m.scale})
		}
	}
	return found
}
