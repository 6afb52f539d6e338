package schema

import (
	"regexp"
	"sync"

	"github.com/eaapl/handoff/pkg/internal/automaton"
)

// A pattern is a regular expression, compiled when it is first needed.
type pattern struct {
	expr  string
	once  sync.Once
	table interface{ Match(text []byte) bool } // nil if it is no regular expression
}

// match reports whether text has a match; ok is false where that is not known.
func (p *pattern) match(text []byte) (matched, ok bool) {
	p.once.Do(p.compile)
	if p.table == nil {
		return false, false
	}
	return p.table.Match(text), true
}

func (p *pattern) compile() {
	if table, err := automaton.Compile(p.expr); err == nil {
		p.table = table
	} else if expr, err := regexp.Compile(p.expr); err == nil { // too large for a table
		p.table = expr
	}
}
