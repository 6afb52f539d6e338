package build

import (
	"crypto/sha256"
	"errors"
	"fmt"

	"github.com/eaapl/handoff/pkg/jsonstream"
)

// toolCallHistory returns the state's toolCalls, with each input replaced by its hash.
func (b *builder) toolCallHistory() []byte {
	text := []byte{'['}
	for _, call := range b.state.list("toolCalls") {
		b.state.expect(call.Pointer(), call, jsonstream.Object)
		if call.Get("input").Exists() && call.Get("inputHash").Exists() {
			b.state.fail(call.Pointer(), "has input and inputHash: give one of them").bySchema = true
		}
		text = append(jsonstream.AppendComma(text), '{')
		for name, v := range call.Members() {
			if name == "input" {
				text = appendMember(text, "inputHash", b.inputHash(v))
			} else {
				text = appendMember(text, name, v.Raw())
			}
		}
		text = append(text, '}')
	}
	return append(text, ']')
}

// inputHash returns the hash of an input over its canonical form (RFC 8785), as a JSON string.
func (b *builder) inputHash(v jsonstream.Value) []byte {
	canonical, err := jsonstream.AppendCanonical(nil, v, jsonstream.CanonicalOptions{})
	if err != nil {
		pointer := v.Pointer()
		if number := (*jsonstream.NumberError)(nil); errors.As(err, &number) {
			pointer = number.Pointer
		}
		b.state.fail(pointer, "has no canonical form to hash: %v, or give inputHash in place of input", err).Err = err
	}
	return fmt.Appendf(nil, `"sha256:%x"`, sha256.Sum256(canonical))
}
