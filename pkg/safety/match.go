package safety

import "regexp"

// A probe is an expression with the literals that announce it, for credentials: their
// expressions may take in text before their literals and go on for long, so they search
// windows.
type probe struct {
	literals []string
	reach    int // bytes a window goes on after its literals; 0 means 160
	expr     func() *regexp.Regexp
	// accept, if set, has the last word on a match; loc is as FindSubmatchIndex gives it.
	accept func(text string, loc []int) bool
}

const lead = 128 // bytes a window starts before its literals

// A matcher runs probes over text in one pass. It is safe for concurrent use.
type matcher struct {
	probes []probe
	index  *index
}

func newMatcher(probes []probe) *matcher {
	m := &matcher{probes: probes, index: newIndex(len(probes), false)}
	for i := range probes {
		if probes[i].reach == 0 {
			probes[i].reach = 160
		}
		for _, s := range probes[i].literals {
			m.index.add(s, i, announces)
		}
	}
	return m
}

// A window is the part of the text one probe has yet to search.
type window struct{ start, end int }

// scan calls found with each accepted match, probe by probe in the order of the text.
// Time is linear in len(text): the windows of one probe never overlap.
func (m *matcher) scan(text string, found func(probe int, loc []int)) {
	var windows []window
	m.index.find(text, func(l *literal, at int) {
		if windows == nil {
			windows = make([]window, len(m.probes))
		}
		w := &windows[l.probe]
		if start := max(0, at-lead); start > w.end {
			m.run(text, int(l.probe), *w, found)
			w.start = start
		}
		w.end = min(len(text), at+len(l.text)+m.probes[l.probe].reach)
	})
	for p, w := range windows {
		m.run(text, p, w, found)
	}
}

func (m *matcher) run(text string, probe int, w window, found func(int, []int)) {
	p := &m.probes[probe]
	for at := w.start; at < w.end; {
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
			found(probe, loc)
		}
		at = max(loc[1], at+1)
	}
}
