package cmd

import (
	"strings"

	"github.com/spf13/cobra"

	"github.com/eaapl/handoff/cmd/internal/cli"
	"github.com/eaapl/handoff/cmd/internal/input"
	"github.com/eaapl/handoff/cmd/internal/report"
	"github.com/eaapl/handoff/pkg/trim"
)

// trimFlags are the flags of trim.
type trimFlags struct {
	cli.Rewriting
	cli.Layout
	cli.FormatFlag
	trim.Options
	summarizer summarizerFlags
	counter    cli.CounterFlags
	keys       cli.KeyFlags
	receiver   string
	window     int
	threshold  float64
	maxBytes   int64
	also       []string
	archive    string
	restore    string
	check      string
	labels     labels
	facts      factCheck // of all messages
	format     string
	quiet      bool
}

func newTrim(g *cli.Globals) *cobra.Command {
	f := &trimFlags{Rewriting: cli.Rewriting{Globals: g, KeepsEnds: true}}
	c := &cobra.Command{
		Use:   "trim [FILE|DIR|-]...",
		Short: "Make the history of messages fit their receiver",
		Long: `Trim replaces the oldest turns of a conversation by a summary, as section 6.4 asks:
when a message exceeds the limit, and no more of them than it takes. It works on
canonical messages, SW4RM contexts and requests, OpenAI input data, the messages of
chat APIs and frameworks, and the last context with turns of a MACP transcript, whose
frozen hash (macp freeze) changes with it. The latest turns, the last one of the user, and what the system and the
developer say stay; a tool call, its results and the reasoning before it stay or go
together.

The limit is --max-tokens, or --threshold of --context-window (or of the window of
the receiver's profile, or of --model), or --last, or --max-bytes. SW4RM messages
without any are cut to their last 50 turns. A message that cannot be made to fit is
left out, with exit code 1, and so is one whose summariser fails, with exit code 2.

What was done is recorded in the message (extensions.trim, or metadata.trim in SW4RM;
of the context, where a message carries one) and reported on stderr. --archive keeps
what was removed, and --restore puts it back. A message of a chat API has no place
for a record: --restore knows it by what the trim left of it, as long as that is
unchanged. A signature is removed, since it no longer holds; with a key, a canonical
message is signed again.

--check measures on your own messages what the summaries keep. Its file has a line
{"handoffId":"…","facts":[{"value":"…"}]} for each message; the report says how many
of the values that are in the message are still in the trimmed one, which are lost,
and the sum.`,
		Example: `  handoff trim --context-window 128000 message.json > small.json
  handoff trim --max-tokens 8000 --archive removed.jsonl -i fixtures/
  handoff trim --last 50 --summarizer none context.json
  handoff trim --restore removed.jsonl small.json
  handoff trim --max-tokens 2000 --check labels.jsonl message.json > small.json`,
		RunE: func(c *cobra.Command, args []string) error {
			if err := input.OneStdin(args, append(f.keys.Files, f.receiver, f.check)...); err != nil {
				return err
			}
			if f.restore != "" {
				return f.runRestore(c, args)
			}
			return f.runTrim(c, args)
		},
	}
	f.register(c)
	return c
}

func (f *trimFlags) register(c *cobra.Command) {
	flags := c.Flags()
	flags.IntVar(&f.MaxTokens, "max-tokens", 0, "how many `TOKENS` a message may have")
	flags.IntVar(&f.window, "context-window", 0, "the `TOKENS` that the receiver's model can read")
	flags.StringVar(&f.receiver, "receiver", "", "receiver profile `FILE`, for its contextWindow")
	flags.Float64Var(&f.threshold, "threshold", 0.8, "the part of the context window that a message may fill")
	flags.Var(sizeOrZero{cli.NewByteSize(&f.maxBytes, 0)}, "max-bytes", "how many `BYTES` a message may have (100KB, 1MiB)")
	flags.IntVar(&f.Last, "last", 0, "how many `TURNS` may stay")
	flags.IntVar(&f.KeepTurns, "keep-turns", trim.DefaultKeepTurns, "the latest `TURNS`, which stay in any case")
	flags.IntVar(&f.SummaryTokens, "summary-tokens", 0, "how many `TOKENS` the summary may have (default: a tenth of what it replaces)")
	flags.StringSliceVar(&f.Roles, "roles", nil, "keep only turns of these `ROLES`")
	flags.BoolVar(&f.DropTools, "drop-tools", false, "drop tool calls, their results and reasoning")
	flags.StringSliceVar(&f.also, "also", nil, "what may go when the turns do not suffice, in this order: `MEMBERS` of "+extraNames())
	f.FormatFlag.Register(c)
	f.counter.Register(c)
	f.summarizer.register(c)
	flags.StringVar(&f.archive, "archive", "", "append what is removed to `FILE`")
	flags.StringVar(&f.restore, "restore", "", "put back what was removed, from the archive `FILE`")
	flags.StringVar(&f.check, "check", "", "report how many of the facts in the `FILE` of labels are kept")
	cli.RegisterFormat(c, &f.format, "format of the report on stderr: text, json", report.PlainFormats)
	flags.BoolVarP(&f.quiet, "quiet", "q", false, "no report")
	f.keys.Register(c)
	f.RegisterOutput(c)
	f.RegisterInPlace(c)
	f.Layout.Register(c)
	cli.Complete(c, "also", cli.Names(trim.Extras())...)
}

func extraNames() string { return strings.Join(cli.Names(trim.Extras()), ", ") }
