package diff

import (
	"slices"

	"github.com/eaapl/handoff/internal/equal"
	"github.com/eaapl/handoff/pkg/internal/align"
)

// A matching maps the elements of one array to the elements of another.
type matching struct {
	*comparison
	keys       keys
	olds, news []equal.Child
	to, from   []int32 // the index in news of each of olds, and the reverse; or -1
	same       []bool  // of olds: equal to its new element
	stays      []bool  // of olds: in the same order as all other elements that stay

	named      [2][]string // the identities of olds and news, nil if there are none
	sketchesOf [2][]*sketch
	sampler    sampler
}

func newMatching(c *comparison, olds, news []equal.Child, k keys) *matching {
	m := &matching{
		comparison: c, keys: k, olds: olds, news: news,
		to: make([]int32, len(olds)), from: make([]int32, len(news)),
		same: make([]bool, len(olds)), stays: make([]bool, len(olds)),
	}
	for i := range m.to {
		m.to[i] = -1
	}
	for j := range m.from {
		m.from[j] = -1
	}
	return m
}

func (m *matching) pair(i, j int) { m.to[i], m.from[j] = int32(j), int32(i) }

func (m *matching) byIndex() {
	for i := range min(len(m.olds), len(m.news)) {
		m.pair(i, i)
		m.stays[i] = true
	}
}

func (m *matching) match() {
	if len(m.olds)+len(m.news) > 2 { // one of each is known to differ
		m.byHash(m.hashes(m.olds), m.hashes(m.news))
	}
	m.byKey()
	m.stay()
	m.alike()
	m.moved()
	m.stay()
}

// byHash matches equal elements, first the elements that keep their order. Equal hashes only
// suggest equal elements.
func (m *matching) byHash(olds, news []uint64) {
	for _, p := range align.Pairs(olds, news) {
		m.pairIfSame(p.A, p.B)
	}
	queues := newQueues[uint64](len(news))
	for j, hash := range slices.Backward(news) {
		if m.from[j] < 0 {
			queues.push(hash, j)
		}
	}
	for i, hash := range olds {
		if m.to[i] < 0 {
			if j, ok := queues.take(hash); ok {
				m.pairIfSame(i, j)
			}
		}
	}
}

func (m *matching) pairIfSame(i, j int) {
	if equal.Same(m.olds[i], m.news[j]) {
		m.pair(i, j)
		m.same[i] = true
	}
}

func (m *matching) hashes(list []equal.Child) []uint64 {
	hashes := make([]uint64, len(list))
	for i, c := range list {
		hashes[i] = c.Relation.Hash(m.seed, c.Value)
	}
	return hashes
}

// byKey matches the remaining elements that have a key: the first old element with a key to the
// first new one with it, and so on.
func (m *matching) byKey() {
	here := m.keys.here()
	if len(here) == 0 {
		return
	}
	m.named = [2][]string{make([]string, len(m.olds)), make([]string, len(m.news))}
	queues := newQueues[string](len(m.news))
	for j, c := range slices.Backward(m.news) {
		if name := identity(c, here); m.from[j] < 0 && name != "" {
			m.named[1][j] = name
			queues.push(name, j)
		}
	}
	for i, c := range m.olds {
		if name := identity(c, here); m.to[i] < 0 && name != "" {
			m.named[0][i] = name
			if j, ok := queues.take(name); ok {
				m.pair(i, j)
			}
		}
	}
}

// stay marks the largest set of elements that kept their order, preferring elements that kept
// their index. Two scalars that differ match only by their place.
func (m *matching) stay() {
	var places, which []int
	var weights []int64
	for i, j := range m.to {
		if m.stays[i] = false; j >= 0 {
			weight := int64(len(m.to)) + 1
			if m.olds[i].Value.Index() == m.news[j].Value.Index() {
				weight++
			}
			places, which, weights = append(places, int(j)), append(which, i), append(weights, weight)
		}
	}
	for _, k := range align.Increasing(places, weights) {
		m.stays[which[k]] = true
	}
	for _, i := range which {
		if !m.stays[i] && !m.same[i] && isScalar(m.olds[i].Value.Kind()) {
			m.to[i], m.from[m.to[i]] = -1, -1
		}
	}
}

// queues hold indices by a common property, in their order.
type queues[K comparable] struct {
	first map[K]int32
	next  []int32
}

func newQueues[K comparable](size int) queues[K] {
	return queues[K]{make(map[K]int32), make([]int32, size)}
}

// push puts an index before the others of a key: indices are pushed from the last to the first.
func (q queues[K]) push(key K, index int) {
	q.next[index] = -1
	if first, ok := q.first[key]; ok {
		q.next[index] = first
	}
	q.first[key] = int32(index)
}

func (q queues[K]) take(key K) (int, bool) {
	index, ok := q.first[key]
	if !ok || index < 0 {
		return 0, false
	}
	q.first[key] = q.next[index]
	return int(index), true
}
