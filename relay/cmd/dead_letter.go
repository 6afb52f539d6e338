package cmd

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"github.com/eaapl/handoff/internal/cli"
	"github.com/eaapl/handoff/internal/report"
	"github.com/eaapl/handoff/internal/term"
	"github.com/eaapl/handoff/pkg/finding"
	"github.com/eaapl/handoff/pkg/jsonstream"
	"github.com/eaapl/handoff/relay/audit"
	"github.com/eaapl/handoff/relay/audit/personal"
	"github.com/eaapl/handoff/relay/cmd/letters"
	"github.com/eaapl/handoff/relay/internal/relayflags"
	"github.com/eaapl/handoff/relay/receiver"
)

func newDeadLetter(g *cli.Globals) *cobra.Command {
	c := &cobra.Command{
		Use:   "dead-letter",
		Short: "Release or discard messages that wait for a person",
		Long: `Dead-letter works with messages that are never tried again, because they are unsafe, not
signed as required, or reuse the id of another message: they wait in the audit log for a
person (EAAPL-MAG006, sections 6.1, 8.1 and 11). release accepts a message after all,
discard ends its wait; both record the person and the reason.

A dead letter is identified by its handoffId or by the number of its record; list prints
both.`,
		Example: `  handoff dead-letter list
  handoff dead-letter show 17
  handoff dead-letter release 17 --by "Ada Byron" --reason "quotes an attack, orders nothing" | agent`,
		Args: cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error { return c.Help() },
	}
	c.AddCommand(newDeadLetterList(g), newDeadLetterShow(g), newDeadLetterRelease(g), newDeadLetterDiscard(g))
	for _, sub := range c.Commands() {
		cli.OnlyForCall(sub, "by", "reason", "allow")
	}
	return c
}

// withLetters calls use with the dead letters of the audit log.
func withLetters(c *cobra.Command, f *relayflags.AuditLogFlag, keys relayflags.SubjectKeysFlag, use func(receiver.Letters) error) error {
	return keys.With(c.Context(), f, func(log *audit.Log, sealer *personal.Sealer) error {
		return letterAnswer(c, use(receiver.NewLetters(log, sealer)))
	})
}

// letterAnswer prints an error that is a result: there is no such letter, it has other errors, another
// message comes first, or its sender has revoked it.
func letterAnswer(c *cobra.Command, err error) error {
	none, invalid, erased, pending := (*receiver.LetterError)(nil), (*receiver.StillInvalidError)(nil), (*personal.ErasedError)(nil), (*receiver.PendingError)(nil)
	revoked := (*receiver.RevokedError)(nil)
	if errors.As(err, &none) || errors.As(err, &invalid) || errors.As(err, &erased) || errors.As(err, &pending) || errors.As(err, &revoked) {
		if pending != nil {
			err = term.WithHint(err, "handoff accept --resume hands over the remaining messages")
		}
		term.PrintError(c.ErrOrStderr(), err)
		return cli.ErrNo
	}
	return err
}

// completeLetter offers the record numbers of the waiting letters, newest first.
func completeLetter(log *relayflags.AuditLogFlag) cobra.CompletionFunc {
	return relayflags.OneID(func(ctx context.Context, _ func(string) bool, offer func(string, string) bool) error {
		decided := map[int64]bool{}
		return log.EachNewest(ctx, []audit.Event{audit.DeadLettered, audit.Released, audit.Discarded}, func(s audit.Stored) bool {
			switch {
			case s.Event != audit.DeadLettered:
				if s.Details.Concerns != nil {
					decided[*s.Details.Concerns] = true
				}
			case !decided[s.Sequence]:
				return offer(fmt.Sprint(s.Sequence), fmt.Sprintf("%s %s %s -> %s", s.Reason, cmp.Or(s.HandoffID, "(no handoffId)"), cmp.Or(s.Sender, "?"), cmp.Or(s.Receiver, "?")))
			}
			return true
		})
	})
}

func newDeadLetterList(g *cli.Globals) *cobra.Command {
	var log relayflags.AuditLogFlag
	var facts cli.FactsFlags
	var quiet bool
	c := &cobra.Command{
		Use:   "list",
		Short: "List the messages that wait; exit with 1 if there are any",
		Example: `  handoff dead-letter list
  handoff dead-letter list -q || echo "somebody has to look"`,
		Args: cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			return withLetters(c, &log, relayflags.SubjectKeysFlag{}, func(letters receiver.Letters) error {
				waiting, err := letters.List(c.Context())
				if err != nil {
					return err
				}
				if !quiet {
					if err := printLetters(g, c, waiting, facts); err != nil {
						return err
					}
				}
				return cli.Answer(nil, 0, len(waiting) > 0)
			})
		},
	}
	log.Register(g, c)
	facts.Register(c, "output format: text, json", "write the output to `FILE`")
	c.Flags().BoolVarP(&quiet, "quiet", "q", false, "print nothing, only set the exit code")
	return c
}

// recordedForm is the displayed form of the times of records, which are UTC.
const recordedForm = "2006-01-02T15:04:05Z"

func printLetters(g *cli.Globals, c *cobra.Command, waiting []audit.Stored, facts cli.FactsFlags) error {
	out, err := g.Open(facts.Output, c.OutOrStdout())
	if err != nil {
		return err
	}
	if len(waiting) == 0 && facts.Format == "text" {
		fmt.Fprintln(out, "no message waits")
	}
	for _, w := range waiting {
		if facts.Format == "json" {
			text, err := w.AppendJSON(nil)
			if err != nil {
				return out.Close(err)
			}
			fmt.Fprintf(out, "%s\n", text)
			continue
		}
		fmt.Fprintf(out, "%d  %s  %s  %s  %s -> %s\n", w.Sequence, w.RecordedAt.Format(recordedForm), w.Reason,
			term.Visible(cmp.Or(w.HandoffID, "(no handoffId)")), term.Visible(cmp.Or(w.Sender, "?")), term.Visible(cmp.Or(w.Receiver, "?")))
	}
	return out.Close(nil)
}

func newDeadLetterShow(g *cli.Globals) *cobra.Command {
	var log relayflags.AuditLogFlag
	var keys relayflags.SubjectKeysFlag
	var message bool
	c := &cobra.Command{
		Use:   "show LETTER",
		Short: "Show the cause of a dead letter, or its message",
		Example: `  handoff dead-letter show 17
  handoff dead-letter show 17 --message | handoff inspect`,
		Args: cobra.ExactArgs(1),
		RunE: func(c *cobra.Command, args []string) error {
			return withLetters(c, &log, keys, func(letters receiver.Letters) error {
				letter, err := letters.Find(c.Context(), args[0])
				switch {
				case err != nil:
					return err
				case message && letter.Missing != nil:
					return letter.Missing
				}
				out, err := g.OpenData("", c.OutOrStdout())
				if err != nil {
					return err
				}
				if message {
					fmt.Fprintf(out, "%s\n", letter.Raw)
				} else {
					describeLetter(out, letter)
				}
				return out.Close(nil)
			})
		},
	}
	c.ValidArgsFunction = completeLetter(&log)
	log.Register(g, c)
	keys.Register(g, c)
	c.Flags().BoolVar(&message, "message", false, "print the message unchanged")
	return c
}

func describeLetter(w io.Writer, letter receiver.Letter) {
	r := letter.Rejected
	line := func(name, value string) {
		if value != "" {
			fmt.Fprintf(w, "%-10s %s\n", name, term.Visible(value))
		}
	}
	line("letter", fmt.Sprint(letter.DeadLettered.Sequence))
	line("handoff", r.HandoffID)
	line("task", r.TaskID)
	line("from", r.Sender)
	line("to", r.Receiver)
	line("rejected", r.RecordedAt.Format(recordedForm)+", "+string(r.Reason)+", attempt "+fmt.Sprint(r.Attempt))
	line("message", fmt.Sprintf("%d bytes", r.MessageBytes))
	switch {
	case errors.As(letter.Missing, new(*personal.ErasedError)):
		line("erased", letter.Missing.Error())
	case letter.Missing != nil:
		line("missing", letter.Missing.Error())
	}
	for _, f := range r.Details.Findings {
		if f.Severity == finding.Error {
			line("because", f.Rule+": "+cmp.Or(f.Pointer, "the message")+": "+f.Message)
		}
	}
	if n := r.Details.MoreFindings; n > 0 {
		line("", fmt.Sprintf("and %d more", n))
	}
}

// decisionFlags are the flags for a person's name and reason.
type decisionFlags struct{ receiver.Decision }

func (f *decisionFlags) register(c *cobra.Command) {
	c.Flags().StringVar(&f.By, "by", "", "`NAME` of the person who decides")
	c.Flags().StringVar(&f.Explanation, "reason", "", "reason, as `TEXT`")
	for _, name := range []string{"by", "reason"} {
		_ = c.MarkFlagRequired(name) // the flag exists
	}
}

// A discardRecord lists the data removed by a decision.
type discardRecord struct {
	Record int64 `json:"record"`
	letters.Reach
}

func newDeadLetterDiscard(g *cli.Globals) *cobra.Command {
	var log relayflags.AuditLogFlag
	var queues letters.Flags
	var format string
	var decision decisionFlags
	c := &cobra.Command{
		Use:   "discard LETTER --by NAME --reason TEXT",
		Short: "Discard a message, but keep its record",
		Long: `Discard records the final rejection of a message, with the person and the reason. Record
and message stay in the audit log until audit erase or audit prune removes them. With
--queue, the dead letters of a transport are also removed, which are complete messages
unless receive --personal-data wrote them; with --claim-check, also the body of a
message that was too long for the transport. Discard lists the places that it cannot
reach.

Exit code 0: discarded, and removed from all stores listed as reached; 1: no such
message waits; 2: a store could not be reached.`,
		Example: `  handoff dead-letter discard 17 --by "Ada Byron" --reason "an attack"`,
		Args:    cobra.ExactArgs(1),
		RunE: func(c *cobra.Command, args []string) error {
			if err := queues.Check(); err != nil {
				return err
			}
			return withLetters(c, &log, relayflags.SubjectKeysFlag{}, func(waiting receiver.Letters) error {
				letter, _ := waiting.Find(c.Context(), args[0]) // errors of its message do not matter here
				stored, err := waiting.Discard(c.Context(), args[0], decision.Decision)
				if err != nil {
					return err
				}
				done := discardRecord{Record: stored.Sequence}
				var transports []string
				if by := letter.Rejected.Transport; by != "" {
					transports = []string{by}
				}
				err = queues.Remove(c.Context(), &done.Reach, []string{stored.HandoffID}, transports)
				if format == "json" {
					return errors.Join(err, report.WriteJSON(c.OutOrStdout(), &done))
				}
				fmt.Fprintf(c.ErrOrStderr(), "discarded: record %d\n", stored.Sequence)
				return errors.Join(err, done.WriteText(c.ErrOrStderr(), 0, term.Palette{}))
			})
		},
	}
	c.ValidArgsFunction = completeLetter(&log)
	log.Register(g, c)
	queues.Register(c)
	cli.OnlyForCall(c, "claim-check") // another receiver may still need the body
	cli.RegisterFormat(c, &format, "format of the result: text (on standard error) or json", report.PlainFormats)
	decision.register(c)
	return c
}

func newDeadLetterRelease(g *cli.Globals) *cobra.Command {
	f := &receptionFlags{Globals: g, appeal: true}
	var decision decisionFlags
	c := &cobra.Command{
		Use:   "release LETTER --by NAME --reason TEXT",
		Short: "Accept a rejected message, and print it",
		Long: `Release is the appeal in section 11: it accepts a rejected message and records the
person, the reason and the permitted findings. The message is checked again: the
findings for which it was rejected are permitted, or with --allow only the findings of
the named rules; if there is any other error, the message continues to wait (exit code
1). The message goes to standard output, as from accept.`,
		Example: `  handoff dead-letter release 17 --by "Ada Byron" --reason "quotes an attack, orders nothing" | agent`,
		Args:    cobra.ExactArgs(1),
		RunE: func(c *cobra.Command, args []string) error {
			return f.withReceiver(c, false, func(r *receiver.Receiver) error {
				return letterAnswer(c, f.release(c, r, args[0], decision.Decision))
			})
		},
	}
	c.ValidArgsFunction = completeLetter(&f.log)
	c.Flags().StringSliceVar(&decision.Allow, "allow", nil, "permit only findings of this `RULE`, such as safety/override-instructions; may be repeated (default: all findings of the rejection)")
	f.checks.register(c)
	f.log.Register(g, c)
	f.personal.Register(g, c)
	decision.register(c)
	return c
}

// release accepts a letter and hands it over.
func (f *receptionFlags) release(c *cobra.Command, r *receiver.Receiver, name string, decision receiver.Decision) error {
	out, err := f.OpenData("", c.OutOrStdout())
	if err != nil {
		return err
	}
	left, err := r.Release(c.Context(), name, decision)
	if err != nil {
		return out.Close(err)
	}
	fmt.Fprintf(out, "%s\n", jsonstream.Line(left.Raw))
	if err := out.FlushDurably(); err != nil {
		return out.Close(err)
	}
	return out.Close(r.HandedOver(context.WithoutCancel(c.Context()), []receiver.Handover{{Accepted: left.Answer.Record}}))
}
