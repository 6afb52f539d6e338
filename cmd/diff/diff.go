// Package diff implements the command "handoff diff".
package diff

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/eaapl/handoff/internal/cli"
	"github.com/eaapl/handoff/internal/difftext"
	"github.com/eaapl/handoff/internal/term"
	"github.com/eaapl/handoff/pkg/diff"
	"github.com/eaapl/handoff/pkg/jsonstream"
)

// diffFormats are the formats of diff's output.
var diffFormats = []string{"text", "json", "jsonpatch", "mergepatch"}

// volatile are the members that differ between two runs of the same agents.
var volatile = []string{"/handoffId", "/timestamp", "/traceparent", "/signature", "/fromAgent/executionId", "/handoff_id"}

// diffFlags are the flags of diff.
type diffFlags struct {
	*cli.Globals
	diff.Options // completed from the fields below
	cli.FormatFlag

	ignore, only, keys []string
	at                 []string
	messages           []string
	ignoreVolatile     bool
	byOrder            bool
	text               difftext.Options
	invertible         bool
	git                bool
	format             string
	output             string
	quiet              bool
}

func New(g *cli.Globals) *cobra.Command {
	f := &diffFlags{Globals: g}
	c := &cobra.Command{
		Use:   "diff OLD [NEW]",
		Short: "Compare messages by their meaning",
		Long: `Diff compares two messages, or any two JSON documents, by meaning: it matches subtasks
by subtaskId, tool calls by tool and time, contexts by source, MACP messages by
message_id, and turns by their longest common subsequence; it compares numbers by their
decimal value, and ignores the order of members. Moves are not reported. Data that a
message carries in base64 is decoded and compared.

OLD and NEW are files (one may be "-"), or directories, whose files are paired by
relative path. In files with several messages, messages are paired by handoffId, or in
other formats by handoff_id, request_id or session_id. With one file, its two messages
are compared, or the two with the numbers --messages.

Exit code 0: no differences, no output; 1: differences; 2: the comparison failed.`,
		Example: `  handoff diff before.json after.json
  handoff diff --stat fixtures/ generated/
  handoff diff --messages 3,5 relay.jsonl
  handoff diff --ignore-volatile --ignore '/toolCallHistory/*/calledAt' a.json b.json
  handoff diff -f jsonpatch --invertible a.json b.json > change.json`,
		Args: f.checkArgs,
		RunE: func(c *cobra.Command, args []string) error { return f.run(c, args) },
	}
	flags := c.Flags()
	f.FormatFlag.Register(c)
	flags.StringArrayVar(&f.ignore, "ignore", nil, "`POINTER` to ignore, may be repeated; * matches one token, ** any number")
	flags.BoolVar(&f.ignoreVolatile, "ignore-volatile", false, "ignore handoffId, timestamp, traceparent, signature and executionId")
	flags.StringArrayVar(&f.only, "only", nil, "`POINTER` to compare, ignoring all others; may be repeated")
	flags.StringArrayVar(&f.at, "at", nil, "`POINTER` to compare, the same as --only")
	flags.StringSliceVar(&f.messages, "messages", nil, "with one file: the `NUMBERS` of the two messages to compare, from 1, as in 3,5")
	cli.OnlyForCall(c, "at", "messages")
	flags.StringArrayVar(&f.keys, "key", nil, "members that identify the elements of an array, as `POINTER=MEMBER`, separated by commas")
	flags.BoolVar(&f.Exact, "exact", false, "compare numbers by their text: 1.0 differs from 1")
	flags.BoolVar(&f.byOrder, "by-order", false, "pair the messages of two files by order, not by handoffId")
	flags.BoolVar(&f.text.Stat, "stat", false, "print only one line per member")
	flags.BoolVar(&f.text.SideBySide, "side-by-side", false, "show old and new side by side, if the terminal is wide enough")
	flags.BoolVar(&f.text.Full, "full", false, "print values in full")
	flags.BoolVar(&f.invertible, "invertible", false, "with -f jsonpatch: add the tests that make the patch reversible")
	flags.BoolVar(&f.git, "git", false, "accept the arguments of a git external diff")
	cli.RegisterFormat(c, &f.format, "format: "+strings.Join(diffFormats, ", "), diffFormats)
	flags.StringVarP(&f.output, "output", "o", "", "write the output to `FILE`")
	flags.BoolVarP(&f.quiet, "quiet", "q", false, "print nothing, only set the exit code")
	return c
}

// checkArgs requires two arguments, or git's 7 or 9.
func (f *diffFlags) checkArgs(c *cobra.Command, args []string) error {
	if f.messages != nil {
		if numbers, err := f.numbers(); err != nil || len(numbers) != 2 || min(numbers[0], numbers[1]) < 1 || len(args) != 1 {
			return errors.New("--messages: name one file, and two messages by their numbers from 1, as in --messages 3,5 relay.jsonl")
		}
		return nil
	}
	if !f.git {
		return cobra.RangeArgs(1, 2)(c, args)
	}
	if !slices.Contains(gitArgumentCounts, len(args)) {
		return fmt.Errorf("--git: expected the 7 or 9 arguments of an external diff, found %d: use it in diff.handoff.command of git's configuration", len(args))
	}
	return nil
}

// numbers returns the values of --messages.
func (f *diffFlags) numbers() (list []int, err error) {
	for _, text := range f.messages {
		n, err := strconv.Atoi(text)
		if err != nil {
			return nil, err
		}
		list = append(list, n)
	}
	return list, nil
}

// options returns the options that the flags describe.
func (f *diffFlags) options() (diff.Options, error) {
	o := f.Options
	o.Format, f.text.Format = f.From, f.From
	ignored := f.ignore
	if f.ignoreVolatile {
		ignored = slices.Concat(ignored, volatile)
	}
	var err error
	if o.Ignore, err = patterns("ignore", ignored); err != nil {
		return o, err
	}
	if o.Only, err = patterns("only", slices.Concat(f.only, f.at)); err != nil {
		return o, err
	}
	for _, text := range f.keys {
		i := strings.LastIndexByte(text, '=')
		members := strings.Split(text[i+1:], ",")
		if i < 0 || slices.Contains(members, "") {
			return o, fmt.Errorf("--key %q: write it as POINTER=MEMBER, such as /steps=id", text)
		}
		at, err := jsonstream.ParsePattern(text[:i])
		if err != nil {
			return o, fmt.Errorf("--key: %w", err)
		}
		o.Keys = append(o.Keys, diff.Key{Array: at, Members: members})
	}
	return o, nil
}

// patterns parses the values of a flag.
func patterns(flag string, texts []string) ([]jsonstream.Pattern, error) {
	var list []jsonstream.Pattern
	for _, text := range texts {
		p, err := jsonstream.ParsePattern(text)
		if err != nil {
			return nil, fmt.Errorf("--%s: %w", flag, err)
		}
		list = append(list, p)
	}
	return list, nil
}

func (f *diffFlags) run(c *cobra.Command, args []string) error {
	if f.invertible && f.format != "jsonpatch" {
		return fmt.Errorf("--invertible needs -f jsonpatch: found %s", f.format)
	}
	options, err := f.options()
	if err != nil {
		return err
	}
	out, err := f.Open(f.output, c.OutOrStdout())
	if err != nil {
		return err
	}
	r := comparison{
		flags:    f,
		options:  options,
		out:      out,
		width:    term.WidthOf(c.OutOrStdout()),
		colors:   term.NewPalette(out.Stdout && (term.UseColor(f.Color, c.OutOrStdout()) || f.git && f.Color == "auto" && gitPaging())),
		stdin:    c.InOrStdin(),
		stderr:   c.ErrOrStderr(),
		progress: f.NewProgress(c.ErrOrStderr()),
	}
	if f.git {
		return out.Close(r.git(args)) // always exit code 0: git takes any other for a crash
	}
	if len(args) == 1 {
		numbers, _ := f.numbers() // checkArgs has checked them
		err = r.within(args[0], numbers)
	} else {
		err = r.paths(args[0], args[1])
	}
	if f.output != "" && err == nil && r.unread > 0 {
		err = cli.ErrReported // there is no output file
	}
	return cli.Answer(out.Close(err), r.unread, r.different > 0)
}
