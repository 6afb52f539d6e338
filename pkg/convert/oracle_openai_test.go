package convert

import (
	"flag"
	"math/rand/v2"
	"testing"

	"github.com/eaapl/handoff/pkg/format"
	"github.com/eaapl/handoff/pkg/internal/chatgen"
	"github.com/eaapl/handoff/pkg/internal/oracle"
	"github.com/eaapl/handoff/pkg/internal/tree"
)

var histories = flag.Int("histories", 60, "how many histories are converted for each SDK")

// The SDKs of OpenAI take the histories of other formats once they are converted: as their types
// say, and when they are sent.
func TestOpenAIOracles(t *testing.T) {
	for _, tt := range []struct {
		oracle string
		to     format.Format
		// bare returns the turns without what is carried, which no API takes.
		bare func(t *testing.T, text []byte) []byte
	}{
		{"openai-chat", format.OpenAIChat, withoutHandoff},
		{"openai-responses", format.OpenAIResponses, withoutHandoff},
		{"codex", format.Codex, withoutLine},
	} {
		t.Run(tt.oracle, func(t *testing.T) {
			sdk := oracle.Start(t, tt.oracle)
			var docs [][]byte
			for seed := range uint64(*histories) {
				r := rand.New(rand.NewPCG(seed, 6))
				for _, from := range madeUp() {
					if from != tt.to {
						docs = append(docs, tt.bare(t, converted(t, chatgen.History(r, from), from, tt.to)))
					}
				}
			}
			for i, answer := range sdk.Ask(docs...) {
				if !answer.OK {
					t.Errorf("%s\n%s", answer.Error, docs[i])
				}
			}
		})
	}
}

// withoutHandoff returns a message without its member handoff.
func withoutHandoff(t *testing.T, text []byte) []byte {
	return tree.Of(parsed(t, text)).With("handoff", tree.None).Compact()
}

// withoutLine returns the lines of a session, as an array, without the one that holds what is
// carried: Codex leaves it out.
func withoutLine(t *testing.T, text []byte) []byte {
	lines := tree.Elements(tree.Of(parsedIn(t, text, format.Codex)))
	return tree.Array(lines[:len(lines)-1]...).Compact()
}
