package cmd

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/eaapl/handoff/cmd/internal/term"
	"github.com/eaapl/handoff/pkg/history"
	"github.com/eaapl/handoff/pkg/tokens"
)

// counterFlags say how tokens are counted.
type counterFlags struct {
	tokenizer string
	model     string
}

func (f *counterFlags) register(c *cobra.Command) {
	c.Flags().StringVar(&f.tokenizer, "tokenizer", "", "count with `TOKENIZER`: "+strings.Join(tokenizerNames(), ", ")+" (default o200k_base)")
	c.Flags().StringVar(&f.model, "model", "", "count as this `MODEL` does")
	complete(c, "tokenizer", tokenizerNames()...)
}

func tokenizerNames() []string {
	var names []string
	for _, e := range tokens.Encodings() {
		names = append(names, string(e))
	}
	return names
}

// A counter counts tokens.
type counter struct {
	*tokens.Counter
	estimate bool // of a model whose tokenizer is not public
}

// load returns the counter. It counts with nothing loaded before the first text.
func (f *counterFlags) load() (counter, error) {
	encoding, exact := tokens.O200kBase, true
	if f.model != "" {
		var ok bool
		if encoding, exact, ok = tokens.ForModel(f.model); !ok && f.tokenizer == "" {
			return counter{}, fmt.Errorf("--model %s: its tokenizer is not known: name one with --tokenizer", term.Visible(f.model))
		}
	}
	if f.tokenizer != "" {
		encoding, exact = tokens.Encoding(f.tokenizer), true
	}
	c, err := tokens.New(encoding)
	if err != nil {
		return counter{}, err
	}
	return counter{c, !exact}, nil
}

// meter returns what measures a conversation: in tokens as providers count it, in
// bytes without what they add.
func (c counter) meter() history.Meter {
	if c.Encoding() == tokens.Bytes {
		return history.Meter{Count: c.Count}
	}
	return history.Meter{Count: c.Count, PerTurn: tokens.PerMessage, PerName: tokens.PerName, PerReply: tokens.PerReply}
}
