package build

import (
	"errors"
	"fmt"

	"github.com/eaapl/handoff/pkg/jsonstream"
	"github.com/eaapl/handoff/pkg/message"
)

// extensions returns the state's extensions, with the origins of the message's values if the
// options ask for them, and with the digest of the parent if there is one.
func (b *builder) extensions() []byte {
	if !b.o.Provenance && b.isFirst() {
		return b.copied("extensions", "")()
	}
	own := b.state.get("extensions", jsonstream.Object)
	all := []byte{'{'}
	for name, v := range own.Members() {
		if !(b.o.Provenance && name == "provenance" || !b.isFirst() && name == message.ParentDigestMember) {
			all = appendMember(all, name, v.Raw())
		}
	}
	if b.o.Provenance {
		all = appendMember(all, "provenance", b.provenance(own))
	}
	if !b.isFirst() {
		all = appendMember(all, message.ParentDigestMember, b.parentDigest())
	}
	return append(all, '}')
}

// parentDigest binds the message to its parent, so that a replaced parent is detected.
func (b *builder) parentDigest() []byte {
	digest, err := b.o.Parent.Digest()
	if number := (*jsonstream.NumberError)(nil); errors.As(err, &number) {
		b.parent.fail(number.Pointer, "no digest of the parent can be recorded: %v", err)
	}
	return b.quote(digest.String())
}

// provenance returns the origins of the message's values: excerpts are from documents, and
// subtasks of the parent from another agent. The state's own provenance comes first.
func (b *builder) provenance(own jsonstream.Value) []byte {
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
	return append(marks, '}')
}
