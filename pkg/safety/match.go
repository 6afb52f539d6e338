package safety

import (
	"regexp"
	"sync"
)

// A probe is an expression with the literals that announce it. Expressions are
// slow beside a table look-up, so each runs only on windows around its literals.
type probe struct {
	// first and second are stems of at least four bytes, lower case. A window
	// opens where one of first lies within reach of one of second, or, without
	// second, at each of first.
	first, second []string
	reach         int // bytes a window goes on after its literals; 0 means 160
	expr          func() *regexp.Regexp
	// accept, if set, has the last word on a match; loc is as FindSubmatchIndex gives it.
	accept func(text string, loc []int) bool
}

const lead = 64 // bytes a window starts before its literals

// lazy defers compiling: clean text never needs most expressions.
func lazy(expr string) func() *regexp.Regexp {
	return sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(expr) })
}

// A matcher runs probes over text in one pass. It is safe for concurrent use.
type matcher struct {
	probes   []probe
	bits     [1 << 10]uint64 // hashes of the first four bytes of all literals
	literals map[uint32][]literal
}

type literal struct {
	text   string
	probe  int
	second bool
}

// fold4 maps ASCII letters to lower case, four at a time. It also merges some other
// bytes, which costs a few useless windows and never a match.
const fold4 = 0x20202020

func hash4(v uint32) uint32 { return v * 0x9E3779B1 >> 16 }

func newMatcher(probes []probe) *matcher {
	m := &matcher{probes: probes, literals: make(map[uint32][]literal)}
	for i := range probes {
		if probes[i].reach == 0 {
			probes[i].reach = 160
		}
		for j, group := range [][]string{probes[i].first, probes[i].second} {
			for _, s := range group {
				v := (uint32(s[0]) | uint32(s[1])<<8 | uint32(s[2])<<16 | uint32(s[3])<<24) | fold4
				m.literals[v] = append(m.literals[v], literal{s, i, j == 1})
				h := hash4(v)
				m.bits[h>>6] |= 1 << (h & 63)
			}
		}
	}
	return m
}

// scan calls found with each accepted match, probe by probe in the order of the
// text; when found returns false, that probe is done. Time is linear in len(text):
// the windows of one probe never overlap.
func (m *matcher) scan(text string, found func(probe int, loc []int) bool) {
	var windows []window
	var v uint32
	for i := 0; i < len(text); i++ {
		v = v>>8 | uint32(text[i])<<24
		h := hash4(v | fold4)
		if m.bits[h>>6]&(1<<(h&63)) == 0 || i < 3 {
			continue
		}
		for _, l := range m.literals[v|fold4] {
			if !hasPrefixFold(text[i-3:], l.text) {
				continue
			}
			if windows == nil {
				windows = make([]window, len(m.probes))
			}
			m.open(text, l, i-3, &windows[l.probe], found)
		}
	}
	for p := range windows {
		m.run(text, p, &windows[p], found)
	}
}

// A window is the part of the text one probe has yet to look at.
type window struct {
	start, end int
	seen       [2]int // where the last literal of each group ended; 0 means none
	done       bool
}

func (m *matcher) open(text string, l literal, at int, w *window, found func(int, []int) bool) {
	if w.done {
		return
	}
	p := &m.probes[l.probe]
	end := at + len(l.text)
	from := at
	if p.second != nil {
		mine, other := 0, 1
		if l.second {
			mine, other = 1, 0
		}
		w.seen[mine] = end
		if w.seen[other] == 0 || w.seen[other]+p.reach < at {
			return
		}
		from = min(from, w.seen[other])
	}
	start := max(0, from-lead)
	if start > w.end {
		m.run(text, l.probe, w, found)
		w.start = start
	}
	w.end = min(len(text), end+p.reach)
}

func (m *matcher) run(text string, probe int, w *window, found func(int, []int) bool) {
	p := &m.probes[probe]
	for at := w.start; at < w.end && !w.done; {
		loc := p.expr().FindStringSubmatchIndex(text[at:w.end])
		if loc == nil {
			return
		}
		for i := range loc {
			if loc[i] >= 0 {
				loc[i] += at
			}
		}
		if p.accept == nil || p.accept(text, loc) {
			w.done = !found(probe, loc)
		}
		at = max(loc[1], at+1)
	}
}

// hasPrefixFold compares as fold4 does.
func hasPrefixFold(s, prefix string) bool {
	if len(s) < len(prefix) {
		return false
	}
	for i := 0; i < len(prefix); i++ {
		if s[i]|0x20 != prefix[i]|0x20 {
			return false
		}
	}
	return true
}
