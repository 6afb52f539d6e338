package build

import (
	"fmt"

	"github.com/eaapl/handoff/pkg/jsonstream"
)

// extensions returns the state's extensions, with where values of the message came from
// if the options ask for that: excerpts are from documents, and subtasks of the parent
// from another agent. What the state says of them itself comes first.
func (b *builder) extensions() []byte {
	if !b.o.Provenance {
		return b.copied("extensions", "")()
	}
	own := b.state.get("extensions", jsonstream.Object)
	said := own.Get("provenance")
	if said.Exists() {
		b.state.expect("/extensions/provenance", said, jsonstream.Object)
	}
	marks := []byte{'{'}
	for name, v := range said.Members() {
		marks = appendMember(marks, name, v.Raw())
	}
	mark := func(origin, format string, args ...any) {
		if pointer := fmt.Sprintf(format, args...); !said.Get(pointer).Exists() {
			marks = appendMember(marks, pointer, b.quote(origin))
		}
	}
	for i := range b.state.root.Get("relevantContext").Elements() {
		mark("document", "/relevantContext/%d", i)
	}
	for i := range b.carriedSubtasks() {
		mark("agent", "/completedSubtasks/%d", i)
	}
	all := []byte{'{'}
	for name, v := range own.Members() {
		if name != "provenance" {
			all = appendMember(all, name, v.Raw())
		}
	}
	return append(appendMember(all, "provenance", append(marks, '}')), '}')
}
