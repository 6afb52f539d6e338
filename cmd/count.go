package cmd

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/eaapl/handoff/cmd/internal/cli"
	"github.com/eaapl/handoff/cmd/internal/input"
	"github.com/eaapl/handoff/cmd/internal/report"
	"github.com/eaapl/handoff/cmd/internal/term"
	"github.com/eaapl/handoff/pkg/conversation"
	"github.com/eaapl/handoff/pkg/format"
	"github.com/eaapl/handoff/pkg/history"
	"github.com/eaapl/handoff/pkg/jsonstream"
	"github.com/eaapl/handoff/pkg/tokens"
)

// countFlags are the flags of count.
type countFlags struct {
	*cli.Globals
	cli.FormatFlag
	counter cli.CounterFlags
	window  int
	format  string
	output  string
}

func newCount(g *cli.Globals) *cobra.Command {
	f := &countFlags{Globals: g}
	c := &cobra.Command{
		Use:   "count [FILE|DIR|-]...",
		Short: "Count the tokens of messages",
		Long: `Count shows where the tokens of a message go: by member, by role and by turn, the
largest first, and which turns say again what was said. It counts as the tokenizers
of models do, with what providers add for every turn; ≈ marks an estimate, for
models whose tokenizer is not public.

It reads canonical messages, SW4RM contexts, MACP transcripts and OpenAI input data.
Of an SW4RM request the context in its snapshot is counted, of a transcript the last
context that holds turns.`,
		Example: `  handoff count message.json
  handoff count --model gpt-5 message.json
  handoff count -f json archive.jsonl | jq .total`,
		RunE: func(c *cobra.Command, args []string) error { return f.run(c, args) },
	}
	f.FormatFlag.Register(c)
	f.counter.Register(c)
	flags := c.Flags()
	flags.IntVar(&f.window, "context-window", 0, "the `TOKENS` that the model can read (default: what --model can)")
	flags.StringVarP(&f.format, "format", "f", "text", "format: "+strings.Join(report.PlainFormats, ", "))
	flags.StringVarP(&f.output, "output", "o", "", "write to `FILE`")
	cli.Complete(c, "format", report.PlainFormats...)
	return c
}

func (f *countFlags) run(c *cobra.Command, args []string) error {
	if !slices.Contains(report.PlainFormats, f.format) {
		return report.UnknownFormat(f.format, report.PlainFormats)
	}
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
	out, err := f.Open(f.output, c.OutOrStdout())
	if err != nil {
		return err
	}
	width, colors := term.WidthOf(c.OutOrStdout()), term.NewPalette(out.Stdout && term.UseColor(f.Color, c.OutOrStdout()))
	unread := 0
	p := f.NewProgress(c.ErrOrStderr(), !term.IsTerminal(c.OutOrStdout()))
	work := func(batch []input.Document) []countOutcome {
		var outcomes []countOutcome
		for _, d := range batch {
			outcomes = append(outcomes, f.count(d, counter))
		}
		return outcomes
	}
	err = input.Process(f.Sources(args, c.InOrStdin(), c.ErrOrStderr()), f.Limits, p, work, func(outcomes []countOutcome) error {
		for _, o := range outcomes {
			p.Message()
			switch {
			case o.err != nil:
				unread++
				p.Fail(o.err)
			case f.format == "json":
				if err := report.WriteJSON(out, o.countRecord); err != nil {
					return err
				}
			default:
				if err := o.WriteText(out, width, colors); err != nil {
					return err
				}
			}
		}
		return nil
	}, out.Flush)
	if err := out.Close(err); err != nil {
		return err
	}
	return cli.Answer(unread, false)
}

type countOutcome struct {
	countRecord
	err error
}

// A countRecord is what count says of one message. All sizes are in tokens.
type countRecord struct {
	Source     string        `json:"source"`
	Index      int           `json:"index"`
	Format     format.Format `json:"format"`
	Tokenizer  string        `json:"tokenizer"`
	Estimate   bool          `json:"estimate"` // the model's own tokenizer is not public
	Total      int           `json:"total"`
	Window     int           `json:"contextWindow,omitzero"`
	Share      float64       `json:"share,omitzero"` // of the window
	Members    []countedPart `json:"members"`        // largest first
	Roles      []countedPart `json:"roles"`          // largest first
	Turns      []countedTurn `json:"turns"`          // largest first
	Duplicates []duplicate   `json:"duplicates"`     // in order
}

type countedPart struct {
	Name   string `json:"name"`
	Turns  int    `json:"turns,omitzero"`
	Tokens int    `json:"tokens"`
}

type countedTurn struct {
	Pointer string `json:"pointer"` // in the context, where a message carries one
	Role    string `json:"role"`
	Tokens  int    `json:"tokens"`
	turn    int    // its index in the history
	text    string // its beginning, where it is shown
}

// A duplicate is a turn that says what an earlier one said.
type duplicate struct {
	Pointer string `json:"pointer"`
	Of      string `json:"of"`
	Tokens  int    `json:"tokens"`
}

func (f *countFlags) count(d input.Document, counter cli.Counter) countOutcome {
	if d.Err != nil {
		return countOutcome{err: input.InFile(d.Source.Name, d.Err)}
	}
	doc, err := jsonstream.Parse(d.Raw, f.Limits)
	if err != nil {
		return countOutcome{err: input.InFile(d.Source.Name, err)}
	}
	h, err := history.Of(doc, f.From, f.Limits)
	if err != nil {
		return countOutcome{err: failed(d, err)}
	}
	tally := h.Measure(counter.Meter())
	r := countRecord{
		Source: d.Source.Name, Index: d.Index, Format: h.Format,
		Tokenizer: string(counter.Encoding()), Estimate: counter.Estimate,
		Total: tally.Total, Window: f.window,
		Members: []countedPart{}, Roles: []countedPart{}, Turns: []countedTurn{}, Duplicates: []duplicate{},
	}
	if f.window > 0 {
		r.Share = float64(r.Total) / float64(f.window)
	}
	for _, m := range tally.Members {
		r.Members = append(r.Members, countedPart{Name: m.Name, Tokens: m.Size})
	}
	r.addTurns(h, tally)
	largestFirst(r.Members)
	largestFirst(r.Roles)
	slices.SortStableFunc(r.Turns, func(a, b countedTurn) int { return b.Tokens - a.Tokens })
	if f.format == "text" {
		for i, t := range r.Turns[:min(len(r.Turns), maxTurns)] {
			r.Turns[i].text = term.Clip(h.Turns[t.turn].Text(), 200)
		}
	}
	return countOutcome{countRecord: r}
}

// failed puts the place before an error of a document, or of what it carries.
func failed(d input.Document, err error) error {
	if e := (*history.CarrierError)(nil); errors.As(err, &e) {
		return fmt.Errorf("%s:%d:%d: %w", d.Source.Name, e.Line, e.Column, err)
	}
	return fmt.Errorf("%s: %w", d.Origin(), err)
}

func (r *countRecord) addTurns(h *history.History, tally history.Tally) {
	same := conversation.Duplicates(h.Turns)
	pointers := h.Pointers()
	roles := map[string]int{}
	for i, t := range h.Turns {
		role := cmp.Or(t.Role, t.Item().Get("type").Text(), "(none)")
		if _, ok := roles[role]; !ok {
			roles[role] = len(r.Roles)
			r.Roles = append(r.Roles, countedPart{Name: role})
		}
		r.Roles[roles[role]].Turns++
		r.Roles[roles[role]].Tokens += tally.Turns[i]
		r.Turns = append(r.Turns, countedTurn{Pointer: pointers[i], Role: role, Tokens: tally.Turns[i], turn: i})
		if same[i] != i {
			r.Duplicates = append(r.Duplicates, duplicate{pointers[i], pointers[same[i]], tally.Turns[i]})
		}
	}
}

func largestFirst(parts []countedPart) {
	slices.SortStableFunc(parts, func(a, b countedPart) int { return b.Tokens - a.Tokens })
}

// maxTurns is how many of the largest turns, and of the duplicates, are shown.
const maxTurns = 10

// WriteText draws the record within the columns, 80 at least.
func (r countRecord) WriteText(w io.Writer, columns int, colors term.Palette) error {
	p := countPicture{term.NewPicture(columns, colors)}
	total := fmt.Sprintf("%s (%s)", term.Plural(r.Total, "token"), r.Tokenizer)
	if r.Estimate {
		total = "≈ " + total
	}
	if r.Window > 0 {
		total += fmt.Sprintf(", %.1f%% of %s", r.Share*100, term.Grouped(int64(r.Window)))
	}
	p.Heading(r.Source, r.Index, total, fmt.Sprint)
	p.countedParts("By member", r.Members, r.Total)
	p.countedParts("By role", r.Roles, r.Total)
	p.largestTurns(r.Turns)
	p.duplicates(r.Duplicates)
	p.Line()
	_, err := w.Write(p.Text.Bytes())
	return err
}

type countPicture struct{ term.Picture }

func (p *countPicture) countedParts(title string, parts []countedPart, total int) {
	var rows []term.Row
	for _, part := range parts[:min(len(parts), term.MaxRows)] {
		figures := []string{term.Grouped(int64(part.Tokens)), fmt.Sprintf("%.1f%%", 100*float64(part.Tokens)/float64(max(total, 1)))}
		if part.Turns > 0 {
			figures = append([]string{term.Plural(part.Turns, "turn")}, figures...)
		}
		rows = append(rows, term.Row{Name: part.Name, Figures: figures, Quantity: float64(part.Tokens)})
	}
	if len(rows) > 0 {
		p.Section(title, "")
		p.Rows(rows)
		p.More(len(parts) - term.MaxRows)
	}
}

func (p *countPicture) largestTurns(turns []countedTurn) {
	if len(turns) == 0 {
		return
	}
	p.Section("Largest turns", "")
	shown := turns[:min(len(turns), maxTurns)]
	places, roles := 0, 0
	for _, t := range shown {
		places, roles = max(places, term.Width(term.Clip(t.Pointer, 40))), max(roles, term.Width(term.Clip(t.Role, 20)))
	}
	for _, t := range shown {
		line := fmt.Sprintf("  %s  %s  %s  ", term.Right(term.Grouped(int64(t.Tokens)), 7), term.Left(t.Role, roles), term.Left(t.Pointer, places))
		p.Line(line, p.Dim(term.Clip(t.text, p.Width-term.Width(line))))
	}
	p.More(len(turns) - len(shown))
}

func (p *countPicture) duplicates(list []duplicate) {
	if len(list) == 0 {
		return
	}
	could := 0
	for _, d := range list {
		could += d.Tokens
	}
	p.Section("Said before", term.Plural(could, "token")+" could go")
	for _, d := range list[:min(len(list), maxTurns)] {
		p.Line(fmt.Sprintf("  %s  ", term.Right(term.Grouped(int64(d.Tokens)), 7)), term.Clip(d.Pointer+" is "+d.Of+" again", p.Width-11))
	}
	p.More(len(list) - maxTurns)
}
