package schema

import (
	"sync"

	"github.com/eaapl/handoff/pkg/internal/ecmascript"
)

// A pattern is a regular expression, compiled on first use.
type pattern struct {
	expr     string
	once     sync.Once
	compiled *ecmascript.Pattern // nil if invalid
}

// match reports whether text has a match; ok is false if matching did not finish.
func (p *pattern) match(text []byte) (matched, ok bool) {
	p.once.Do(func() { p.compiled, _ = ecmascript.Compile(p.expr) })
	if p.compiled == nil {
		return false, false
	}
	matched, err := p.compiled.Match(text)
	return matched, err == nil
}
