package look

import (
	"fmt"

	"github.com/spf13/cobra"

	"github.com/eaapl/handoff/internal/cli"
	"github.com/eaapl/handoff/internal/input"
	"github.com/eaapl/handoff/internal/inspect"
	"github.com/eaapl/handoff/internal/term"
	"github.com/eaapl/handoff/pkg/history"
	"github.com/eaapl/handoff/pkg/tokens"
)

// countFlags are the flags of count.
type countFlags struct {
	*cli.Globals
	cli.FormatFlag
	counter cli.CounterFlags
	facts   cli.FactsFlags
	window  int
	verbose bool
}

func NewCount(g *cli.Globals) *cobra.Command {
	f := &countFlags{Globals: g}
	c := &cobra.Command{
		Use:   "count [FILE|DIR|-]...",
		Short: "Count the tokens of messages",
		Long: `Count shows the tokens of a message by member, role and turn, the largest first, and the
turns that repeat earlier ones. It uses the tokenizers of models and adds the provider's
overhead per turn; ≈ marks an estimate, for models without a public tokenizer. Several
messages are shown as a table with totals (--verbose: each in full).

It reads canonical messages, SW4RM contexts, MACP transcripts, OpenAI input data, and
the messages of chat APIs and frameworks. For an SW4RM request, it counts the context in
the snapshot; for a transcript, the last context with turns.`,
		Example: `  handoff count message.json
  handoff count --model gpt-5 message.json
  handoff count -f json archive.jsonl | jq .total`,
		RunE: func(c *cobra.Command, args []string) error { return f.run(c, args) },
	}
	f.FormatFlag.Register(c)
	f.counter.Register(c)
	flags := c.Flags()
	flags.IntVar(&f.window, "context-window", 0, "context window of the model, in `TOKENS` (default: the window of --model)")
	cli.RegisterVerbose(c, &f.verbose)
	f.facts.Register(c, "output format: text, json", "write the output to `FILE`")
	return c
}

func (f *countFlags) run(c *cobra.Command, args []string) error {
	if f.window < 0 || f.window == 0 && c.Flags().Changed("context-window") {
		return fmt.Errorf("--context-window %d: write a number above 0", f.window)
	}
	counter, err := f.counter.Load()
	if err != nil {
		return err
	}
	if f.window == 0 && f.counter.Model != "" {
		f.window, _ = tokens.Window(f.counter.Model)
	}
	out, err := f.facts.Open(f.Globals, c)
	if err != nil {
		return err
	}
	text := newCountTable(out, f.window)
	text.Verbose = f.verbose
	show := text.Print
	if out.JSON {
		show = func(r countRecord) error { return out.Print(r) }
	}
	p := f.NewProgress(c.ErrOrStderr())
	unread, err := cli.Each(f.Globals, c, args, p, func(d input.Document) (countRecord, error) { return f.count(d, counter) }, show, out.Unreadable, out.Flush)
	if err == nil {
		err = text.Close()
	}
	return cli.Answer(out.Close(err), unread, false)
}

func (f *countFlags) count(d input.Document, counter cli.Counter) (countRecord, error) {
	doc, err := d.Parse(f.Limits)
	if err != nil {
		return countRecord{}, err
	}
	h, err := history.Of(doc, f.From, f.Limits)
	if err != nil {
		return countRecord{}, cli.InDocument(d, err)
	}
	r := countRecord{
		Source: d.Source.Name, Index: d.Index, Format: h.Format,
		Tokenizer: string(counter.Encoding()), Estimate: counter.Estimate, Window: f.window,
	}
	r.Breakdown, r.Total = inspect.BreakDown(h, counter.Meter())
	if f.window > 0 {
		r.Share = float64(r.Total) / float64(f.window)
	}
	if f.facts.Format == "text" {
		for _, t := range r.Turns[:min(len(r.Turns), maxTurns)] {
			r.texts = append(r.texts, term.Clip(h.Turns[t.Turn].Text(), 200))
		}
	}
	return r, nil
}
