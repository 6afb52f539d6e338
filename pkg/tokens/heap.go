package tokens

// A merger merges the bytes of a text in O(n log n). It is reused to save allocations.
type merger struct {
	parts  []part // by the byte at which they start; the last one is the end of the text
	heap   []candidate
	starts []int
}

// A part is a range of bytes merged so far, in a list. Its rank is the rank of the token that it
// would form with the next part.
type part struct {
	prev, next int32
	rank       uint32
}

// A candidate is a part with its rank at the time of insertion. It is stale once the part has
// another rank.
type candidate struct {
	rank uint32
	at   int32
}

func (a candidate) before(b candidate) bool {
	return a.rank < b.rank || a.rank == b.rank && a.at < b.at
}

// merge returns the start offsets of the tokens of s, followed by len(s). The result is valid until
// the next call.
func merge(m *merger, v *vocabulary, s string) []int {
	n := int32(len(s))
	m.parts, m.heap, m.starts = m.parts[:0], m.heap[:0], m.starts[:0]
	for i := range n + 1 {
		p := part{i - 1, i + 1, none}
		if i+1 < n {
			p.rank = v.pairs[int(s[i])<<8|int(s[i+1])]
		}
		if p.rank != none {
			m.heap = append(m.heap, candidate{p.rank, i})
		}
		m.parts = append(m.parts, p)
	}
	for i := len(m.heap)/2 - 1; i >= 0; i-- {
		m.down(i)
	}
	for len(m.heap) > 0 {
		c := m.pop()
		p := &m.parts[c.at]
		if p.rank != c.rank {
			continue
		}
		m.parts[p.next].rank = none
		p.next = m.parts[p.next].next
		m.parts[p.next].prev = c.at
		weigh(m, v, s, c.at)
		if p.prev >= 0 {
			weigh(m, v, s, p.prev)
		}
	}
	for i := int32(0); i <= n; i = m.parts[i].next {
		m.starts = append(m.starts, int(i))
	}
	return m.starts
}

// weigh sets the rank of the part at i.
func weigh(m *merger, v *vocabulary, s string, i int32) {
	p := &m.parts[i]
	p.rank = none
	if int(p.next) < len(s) {
		p.rank = rankOf(v, s[i:m.parts[p.next].next])
	}
	if p.rank != none {
		m.push(candidate{p.rank, i})
	}
}

// staysTwo reports whether merging s leaves a token boundary at i.
func staysTwo(m *merger, v *vocabulary, s string, i int) bool {
	for _, start := range merge(m, v, s) {
		if start == i {
			return true
		}
	}
	return false
}

func (m *merger) push(c candidate) {
	m.heap = append(m.heap, c)
	for i := len(m.heap) - 1; i > 0; {
		parent := (i - 1) / 2
		if !m.heap[i].before(m.heap[parent]) {
			return
		}
		m.heap[i], m.heap[parent] = m.heap[parent], m.heap[i]
		i = parent
	}
}

func (m *merger) pop() candidate {
	top, last := m.heap[0], len(m.heap)-1
	m.heap[0] = m.heap[last]
	m.heap = m.heap[:last]
	m.down(0)
	return top
}

// down moves the candidate at i below all that order before it.
func (m *merger) down(i int) {
	for {
		child := 2*i + 1
		if child >= len(m.heap) {
			return
		}
		if child+1 < len(m.heap) && m.heap[child+1].before(m.heap[child]) {
			child++
		}
		if !m.heap[child].before(m.heap[i]) {
			return
		}
		m.heap[i], m.heap[child] = m.heap[child], m.heap[i]
		i = child
	}
}
