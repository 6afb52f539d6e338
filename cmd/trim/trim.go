// Package trim implements the command "handoff trim", the flags of all commands that shorten a history to fit
// its receiver, and "handoff sw4rm prepare", the form of trim that SW4RM defines.
package trim

import (
	"github.com/spf13/cobra"

	"github.com/eaapl/handoff/internal/cli"
	"github.com/eaapl/handoff/internal/input"
	"github.com/eaapl/handoff/internal/report"
)

// trimFlags are the flags of trim.
type trimFlags struct {
	cli.Rewriting
	cli.Layout
	cli.FormatFlag
	Flags
	keys    cli.KeyFlags
	archive string
	restore string
	check   string
	labels  labels
	facts   factCheck // of all messages
	format  string
	quiet   bool
	verbose bool
	listing *cli.Listing[Record] // of the changed messages
}

func New(g *cli.Globals) *cobra.Command {
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
together. --last N keeps the last N turns, and beyond that only what has to stay.

The limit is --max-tokens, or --window-share of --context-window (or of the window of
the receiver's profile, or of --model), or --last, or --max-bytes. SW4RM messages
without any are cut to their last 50 turns. A message that cannot be made to fit is
left out, with exit code 1, and so is one whose summariser fails, with exit code 2.

What was done is recorded in the message (extensions.trim, or metadata.trim in SW4RM;
of the context, where a message carries one) and reported on stderr: of several messages
in a table with totals, or with --verbose a line for each. --archive keeps
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
			if err := input.OneStdin(args, append(f.keys.Files, f.Profile, f.check)...); err != nil {
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
	f.Flags.Register(c, "receiver")
	f.FormatFlag.Register(c)
	flags.StringVar(&f.archive, "archive", "", "append what is removed to `FILE`")
	flags.StringVar(&f.restore, "restore", "", "put back what was removed, from the archive `FILE`")
	flags.StringVar(&f.check, "check", "", "report how many of the facts in the `FILE` of labels are kept")
	cli.RegisterFormat(c, &f.format, "format of the report on stderr: text, json", report.PlainFormats)
	cli.RegisterVerbose(c, &f.verbose)
	flags.BoolVarP(&f.quiet, "quiet", "q", false, "no report")
	f.keys.Register(c)
	f.RegisterOutput(c)
	f.RegisterInPlace(c)
	f.Layout.Register(c)
}
