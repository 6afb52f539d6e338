package tree

import (
	"iter"

	"github.com/eaapl/handoff/pkg/jsonstream"
)

// Values yields the values of nodes for functions that read documents. The values of constructed nodes share
// one buffer: each is valid until the next one.
func Values(list []Node) iter.Seq2[int, jsonstream.Value] {
	return func(yield func(int, jsonstream.Value) bool) {
		var parser jsonstream.Parser
		var text []byte
		for i, n := range list {
			v, ok := n.Read()
			if !ok {
				text = n.Append(text[:0])
				doc, err := parser.Parse(jsonstream.NewRaw(text), jsonstream.Unlimited())
				if err != nil {
					continue
				}
				v = doc.Root()
			}
			if !yield(i, v) {
				return
			}
		}
	}
}
