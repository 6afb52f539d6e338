package cli

import (
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/eaapl/handoff/internal/inspect"
	"github.com/eaapl/handoff/internal/term"
	"github.com/eaapl/handoff/pkg/history"
	"github.com/eaapl/handoff/pkg/tokens"
)

// CounterFlags select the tokenizer.
type CounterFlags struct {
	tokenizer string
	Model     string
}

func (f *CounterFlags) Register(c *cobra.Command) {
	c.Flags().StringVar(&f.tokenizer, "tokenizer", "", "`TOKENIZER` to count with: "+strings.Join(tokenizerNames(), ", ")+" (default o200k_base)")
	c.Flags().StringVar(&f.Model, "model", "", "`MODEL` to count for")
	Complete(c, "tokenizer", tokenizerNames()...)
}

func tokenizerNames() []string { return Names(tokens.Encodings()) }

// A Counter counts tokens.
type Counter struct {
	*tokens.Counter
	Estimate bool // the model's tokenizer is not public
}

// Load returns the counter. It loads its data with the first text.
func (f *CounterFlags) Load() (Counter, error) {
	c, exact, err := tokens.Choose(f.Model, tokens.Encoding(f.tokenizer))
	if errors.As(err, new(*tokens.UnknownModelError)) {
		return Counter{}, fmt.Errorf("--model %s: its tokenizer is unknown: name one with --tokenizer", term.Visible(f.Model))
	}
	if err != nil {
		return Counter{}, err
	}
	return Counter{c, !exact}, nil
}

// Meter returns the meter of the counter: see [inspect.MeterOf].
func (c Counter) Meter() history.Meter { return inspect.MeterOf(c.Counter) }
