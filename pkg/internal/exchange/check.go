package exchange

import (
	"fmt"

	"github.com/eaapl/handoff/pkg/finding"
	"github.com/eaapl/handoff/pkg/internal/tree"
	"github.com/eaapl/handoff/pkg/jsonstream"
)

// A Checker collects violations of the rules of a source's format. Its findings have a pointer and
// a message that includes the rule.
type Checker struct{ Findings []finding.Finding }

// Add adds a finding at a pointer.
func (c *Checker) Add(pointer, problem string, args ...any) {
	c.Findings = append(c.Findings, finding.Finding{
		Layer: finding.Protocol, Severity: finding.Error, Pointer: pointer, Message: fmt.Sprintf(problem, args...),
	})
}

// Need checks that a required member is present and of a kind.
func (c *Checker) Need(n tree.Node, at, name string, kind jsonstream.Kind, rule string) tree.Node {
	v := n.Get(name)
	pointer := jsonstream.AppendPointer(at, name)
	switch {
	case v == tree.None:
		c.Add(pointer, "is missing: %s", rule)
	case !v.Is(kind) && !(kind == jsonstream.True && v.Is(jsonstream.False)):
		c.Add(pointer, "expected %s, found %s: %s", kind, v.Kind(), rule)
	default:
		return v
	}
	return tree.None
}

// Optional checks the kind of an optional member.
func (c *Checker) Optional(n tree.Node, at, name string, kind jsonstream.Kind, rule string) {
	if n.Get(name) != tree.None {
		c.Need(n, at, name, kind, rule)
	}
}
