package session

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"runtime/debug"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/eaapl/handoff/internal/cli"
	"github.com/eaapl/handoff/internal/term"
	"github.com/eaapl/handoff/pkg/build"
	"github.com/eaapl/handoff/pkg/finding"
	"github.com/eaapl/handoff/pkg/jsonstream"
	"github.com/eaapl/handoff/pkg/message"
	"github.com/eaapl/handoff/pkg/session"
	"github.com/eaapl/handoff/pkg/trim"
)

// handoffFlags are the flags of session handoff.
type handoffFlags struct {
	search
	cli.Layout
	scanner   cli.ScannerFlags
	counter   cli.CounterFlags
	to        string
	window    int
	keepTurns int
	budget    string
	set       []string
	include   []string
	output    string
	quiet     bool
	now       func() time.Time
}

func newHandoff(g *cli.Globals) *cobra.Command {
	f := &handoffFlags{search: search{Globals: g}, now: time.Now}
	c := &cobra.Command{
		Use:   "handoff SESSION --to TYPE[@RANGE]",
		Short: "Create a handoff message from a session",
		Long: `Handoff creates the canonical message with which another agent takes over the work of a
session. The same session and flags always produce the same message, except for its
timestamp; docs/sessions.md has the source of each member.

The message fills at most 0.8 of the receiver's --context-window: older turns become a
summary and, if that is not enough, long tool results are cut in the middle. Credentials
are masked. Tool results that contain instructions to the agent, according to the
scanner, are withheld, and so is any other such text except the task; --allow permits
findings. Masked, withheld and omitted content is reported on stderr.`,
		Example: `  handoff session handoff 5f0c --to codex > message.json
  handoff session handoff 5f0c --to reviewer --context-window 32000 --budget 2.50 -o message.json`,
		Args: cobra.ExactArgs(1),
		RunE: func(c *cobra.Command, args []string) error { return f.run(c, args[0]) },
	}
	f.register(c)
	flags := c.Flags()
	flags.StringVar(&f.to, "to", "", "receiving agent type, as `TYPE[@RANGE]`")
	flags.IntVar(&f.window, "context-window", 200_000, "context window of the receiver's model, in `TOKENS`")
	flags.IntVar(&f.keepTurns, "keep-turns", trim.DefaultKeepTurns, "number of latest `TURNS` to keep unchanged if they fit")
	flags.StringVar(&f.budget, "budget", "5", "budget of the receiver in `USD`, which sessions do not record")
	flags.StringArrayVar(&f.include, "include", nil, "also hand over `TURNS`: before-compaction, or branch=ID for the branch with the line ID of a session of Claude Code; may be repeated")
	flags.StringArrayVar(&f.set, "set", nil, "member to set, as `POINTER=JSON`; may be repeated")
	f.counter.Register(c)
	f.scanner.Register(c)
	flags.StringVarP(&f.output, "output", "o", "", "write the message to `FILE`")
	flags.BoolVarP(&f.quiet, "quiet", "q", false, "suppress the report on stderr")
	f.Layout.Register(c)
	cli.OnlyForCall(c, "to", "budget")
	return c
}

// options returns the options for building the message, except its IDs.
func (f *handoffFlags) options() (o build.Options, budget message.Decimal, err error) {
	if err := f.check(); err != nil {
		return o, budget, err
	}
	o.To.AgentType, o.To.AgentVersion, _ = strings.Cut(f.to, "@")
	if f.to == "" {
		return o, budget, errors.New("--to: name the receiving agent type, as TYPE or TYPE@RANGE, such as codex")
	}
	if o.To.AgentType == "" {
		return o, budget, fmt.Errorf("--to %q: write the receiving agent type as TYPE or TYPE@RANGE, such as codex", f.to)
	}
	if f.window <= 0 {
		return o, budget, fmt.Errorf("--context-window %d: write a number above 0", f.window)
	}
	if f.keepTurns < 0 {
		return o, budget, fmt.Errorf("--keep-turns %d: write 0 or more", f.keepTurns)
	}
	if budget, err = message.Number(f.budget).Decimal(); err != nil || budget.Sign() <= 0 {
		return o, budget, fmt.Errorf("--budget %s: write an amount above 0 in US dollars, such as 2.50", term.Visible(f.budget))
	}
	for _, text := range f.set {
		pointer, value, ok := strings.Cut(text, "=")
		if !ok {
			return o, budget, fmt.Errorf("--set %q: write it as POINTER=JSON, such as /taskDescription='\"text\"'", text)
		}
		o.Set = append(o.Set, build.Override{Pointer: pointer, Value: []byte(value)})
	}
	o.Now, o.Traceparent = f.now(), os.Getenv("TRACEPARENT")
	return o, budget, nil
}

func (f *handoffFlags) run(c *cobra.Command, name string) error {
	o, budget, err := f.options()
	if err != nil {
		return err
	}
	one, err := f.resolve(name)
	if err != nil {
		return err
	}
	source, err := f.File(one.path, c.InOrStdin()) // so that no output replaces it
	if err != nil {
		return err
	}
	counter, err := f.counter.Load()
	if err != nil {
		return err
	}
	scanner, err := f.scanner.Load(f.Globals, c)
	if err != nil {
		return err
	}
	fit := fitting{
		limit: max(int(float64(f.window)*0.8), 1), keepTurns: f.keepTurns,
		meter: counter.Meter(), tokenizer: string(counter.Encoding()), scanner: scanner, options: o, budget: budget,
	}
	defer f.atWork(c).Stop()
	read, err := f.included(session.Options{TailBytes: fit.tailBytes()})
	if err != nil {
		return scanner.Close(err)
	}
	s, _, err := f.read(one, read)
	if err != nil {
		return scanner.Close(err)
	}
	if s.RequestCount == 0 && len(s.Turns) == 0 {
		return scanner.Close(fmt.Errorf("%s: the session has no messages to hand over%s", term.Visible(source.Name), besides(s)))
	}
	if s.Bytes > 32<<20 { // its turns stay in memory: collect garbage before there is as much of it
		defer debug.SetGCPercent(debug.SetGCPercent(50))
	}
	result, err := fit.message(c.Context(), s)
	if err = scanner.Close(err); err != nil {
		var over *trim.OverError
		if errors.As(err, &over) {
			err = cli.Reject(fmt.Errorf("%w; raise --context-window", err))
		}
		return f.answer(c, fmt.Errorf("%s: %w", term.Visible(source.Name), err))
	}
	if !f.quiet {
		for _, note := range slices.Concat(damageNotes(s), unknownNotes(s), result.notes) {
			term.Warn(c.ErrOrStderr(), source.Name+": "+note)
		}
	}
	text, err := f.Layout.Append(nil, result.text)
	if err != nil {
		return err
	}
	out, err := f.Open(f.output, c.OutOrStdout())
	if err != nil {
		return err
	}
	_, err = out.Write(append(text, '\n'))
	return out.Close(err)
}

// included sets the options for --include.
func (f *handoffFlags) included(o session.Options) (session.Options, error) {
	for _, turns := range f.include {
		id, isBranch := strings.CutPrefix(turns, "branch=")
		switch {
		case turns == string(session.BeforeCompaction):
			o.BeforeCompaction = true
		case isBranch && id != "" && o.Branch == "":
			o.Branch = id
		case isBranch && id != "":
			return o, fmt.Errorf("--include %s: a conversation has one branch", term.Visible(turns))
		default:
			return o, fmt.Errorf("--include %q: write before-compaction, or branch=ID with the uuid of a line", turns)
		}
	}
	return o, nil
}

// answer prints an error that is a negative answer.
func (f *handoffFlags) answer(c *cobra.Command, err error) error {
	var no cli.Rejection
	if !errors.As(err, &no) {
		return err
	}
	term.PrintError(c.ErrOrStderr(), err)
	return cli.ErrNo
}

// besides lists the turns and lines of a session without a conversation.
func besides(s *session.Session) string {
	var list []string
	for _, o := range s.Omissions {
		list = append(list, fmt.Sprintf("%s %s, first in line %d", term.Plural(o.Turns, "turn"), o.Cause.Describe(), o.Lines[0]))
	}
	if s.Damaged > 0 {
		list = append(list, fmt.Sprintf("%s, first line %d: %s", term.Plural(s.Damaged, "damaged line"), s.Damage[0].Line, s.Damage[0].Problem))
	}
	if len(list) == 0 {
		return ""
	}
	return ": found only " + strings.Join(list, "; ")
}

// damageNotes lists the unreadable lines.
func damageNotes(s *session.Session) []string {
	var notes []string
	for _, d := range s.Damage {
		notes = append(notes, fmt.Sprintf("line %d, at byte %d: %s", d.Line, d.Offset, d.Problem))
	}
	if more := s.Damaged - len(s.Damage); more > 0 {
		notes = append(notes, fmt.Sprintf("%s more", term.Plural(more, "damaged line")))
	}
	return notes
}

// unknownNotes lists the types of records that the reader does not know.
func unknownNotes(s *session.Session) []string {
	var notes []string
	for _, u := range s.UnknownRecords() {
		notes = append(notes, fmt.Sprintf("%s of the unknown type %s, first in line %d: not part of the conversation; a newer handoff may know the type", term.Counted(u.Records, "record"), finding.Quote(u.Type), u.FirstLine))
	}
	return notes
}

// randomOf returns bytes for IDs, always the same for a seed.
func randomOf(seed [32]byte, purpose string) *bytes.Reader {
	return bytes.NewReader(stretch(append(seed[:], purpose...), 128))
}

// parsed parses a text that this program has written.
func parsed(text []byte) (*jsonstream.Document, error) {
	return jsonstream.Parse(jsonstream.NewRaw(text), jsonstream.Unlimited())
}
