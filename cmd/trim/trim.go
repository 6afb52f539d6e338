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
		Short: "Trim message histories to fit the receiver",
		Long: `Trim replaces the oldest turns of a conversation by a summary (section 6.4), if a
message exceeds the limit, and only as many as necessary. It works on canonical
messages, SW4RM contexts and requests, OpenAI input data, messages of chat APIs and
frameworks, and the last context with turns of a MACP transcript (which changes the hash
of macp freeze). The latest turns, the last user turn, and system and developer turns
are kept; a tool call, its results and the reasoning before it are kept or removed
together. --last N keeps the last N turns, and otherwise only protected ones.

The limit is --max-tokens, --last, --max-bytes, or --window-share of the context window
(--context-window, or that of --receiver or --model). Without a limit, SW4RM messages
keep 50 turns. A message that cannot fit is left out (exit code 1), and so is one whose
summarizer fails (exit code 2).

Changes are recorded in the message (extensions.trim; metadata.trim in SW4RM or a
carried context) and reported on stderr: several messages in a table or, with --verbose,
one line each. --archive stores removed data, and --restore restores it. Chat API
messages have no place for a record: --restore recognises them by the remaining text, if
it is unchanged. Signatures are removed because they are no longer valid; with a key,
canonical messages are signed again.

--check measures which facts survive trimming. Its file has one line
{"handoffId":"…","facts":[{"value":"…"}]} per message; the report counts the values that
were kept and lists the lost ones.`,
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
	flags.StringVar(&f.archive, "archive", "", "append removed data to `FILE`")
	flags.StringVar(&f.restore, "restore", "", "restore removed data from the archive `FILE`")
	flags.StringVar(&f.check, "check", "", "report the kept facts of the labels `FILE`")
	cli.RegisterFormat(c, &f.format, "report format: text, json", report.PlainFormats)
	cli.RegisterVerbose(c, &f.verbose)
	flags.BoolVarP(&f.quiet, "quiet", "q", false, "suppress the report")
	f.keys.Register(c)
	f.RegisterOutput(c)
	f.RegisterInPlace(c)
	f.Layout.Register(c)
}
