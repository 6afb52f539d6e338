package exchange

import (
	"fmt"

	"github.com/eaapl/handoff/pkg/internal/tree"
	"github.com/eaapl/handoff/pkg/jsonstream"
)

// A Fault is a rule of the source's own format that it breaks.
type Fault struct {
	Pointer string `json:"pointer"`
	Problem string `json:"problem"` // what is wrong, what was found, and by which rule
}

// A Checker collects faults.
type Checker struct{ Faults []Fault }

// Add adds a fault at a place.
func (c *Checker) Add(pointer, problem string, args ...any) {
	c.Faults = append(c.Faults, Fault{pointer, fmt.Sprintf(problem, args...)})
}

// Need checks that a member is there and of a kind.
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

// Optional checks the kind of a member that may be missing.
func (c *Checker) Optional(n tree.Node, at, name string, kind jsonstream.Kind, rule string) {
	if n.Get(name) != tree.None {
		c.Need(n, at, name, kind, rule)
	}
}
