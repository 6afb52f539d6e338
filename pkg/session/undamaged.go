package session

import (
	"io"

	"github.com/eaapl/handoff/pkg/jsonstream"
)

// Undamaged returns the records of a session of an agent in JSON Lines, each on a line of its own, without the
// damaged lines, which are in [Session].Damage after [Read]. The error is that of text.
func Undamaged(text io.ReaderAt, size int64, agent Agent, limits jsonstream.Limits) ([]byte, error) {
	src := &source{text: text, size: size, limits: limits, agent: func() Agent { return agent }}
	var out []byte
	_, err := src.lines(func(_ place, root jsonstream.Value) {
		out = append(jsonstream.AppendCompact(out, root.Raw()), '\n')
	}, func(Damage) {})
	return out, err
}
