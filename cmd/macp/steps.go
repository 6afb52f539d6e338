package macp

import (
	"cmp"
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/eaapl/handoff/internal/cli"
	"github.com/eaapl/handoff/internal/input"
	"github.com/eaapl/handoff/internal/term"
	"github.com/eaapl/handoff/pkg/formats/macp"
)

func newMACPOffer(g *cli.Globals) *cobra.Command {
	f := &stepFlags{transcriptInput: transcriptInput{Globals: g}}
	var p macp.HandoffOffer
	c := &cobra.Command{
		Use:   "offer FILE",
		Short: "Append a HandoffOffer to a transcript",
		Long: `Offer appends a HandoffOffer and prints its message id. The sender is the initiator of
the session, the handoff id is the first unused one of h1, h2, …, and the target can be
omitted if there is only one other participant.` + stepLong,
		Example: `  handoff macp offer s.json --target bob --scope frontend --reason 'moving to backend'`,
		Args:    cobra.ExactArgs(1),
		RunE: func(c *cobra.Command, args []string) error {
			return f.append(c, args[0], func(s *macp.Session) (macp.Payload, string, error) {
				if targets := s.CompleteOffer(&p); len(targets) > 0 {
					return nil, "", fmt.Errorf("--target: name the participant to take over, one of %s", term.Visible(strings.Join(targets, ", ")))
				}
				return &p, s.Initiator(), nil
			})
		},
	}
	f.register(c)
	flags := c.Flags()
	flags.StringVar(&p.HandoffID, "handoff-id", "", "`ID` of the handoff")
	flags.StringVar(&p.TargetParticipant, "target", "", "`PARTICIPANT` to take over")
	flags.StringVar(&p.Scope, "scope", "", "scope of the handoff")
	flags.StringVar(&p.Reason, "reason", "", "reason for the offer")
	return c
}

func registerHandoffID(c *cobra.Command, id *string) {
	c.Flags().StringVar(id, "handoff-id", "", "`ID` of the handoff (default: the one that waits for an answer)")
}

func newMACPContext(g *cli.Globals) *cobra.Command {
	f := &stepFlags{transcriptInput: transcriptInput{Globals: g}}
	var p macp.HandoffContext
	var from string
	c := &cobra.Command{
		Use:   "context FILE --context CONTEXT",
		Short: "Append a HandoffContext to a transcript",
		Long: `Context appends a HandoffContext with the unchanged bytes of a file, and prints its
message id. The sender is the participant that made the offer. The content type is
application/json, text/plain or application/octet-stream, detected from the bytes.` + stepLong,
		Example: `  handoff macp context s.json --context notes.md --content-type text/markdown`,
		Args:    cobra.ExactArgs(1),
		RunE: func(c *cobra.Command, args []string) error {
			if from == "" {
				return errors.New(`--context "": name a file, or - for standard input`)
			}
			err := input.OneStdin(args, from, f.path)
			if err != nil {
				return err
			}
			if p.Context, err = readBytes(g, from, c.InOrStdin()); err != nil {
				return err
			}
			if p.ContentType == "" {
				p.ContentType = macp.ContentType(p.Context, g.Limits)
			}
			return f.append(c, args[0], func(s *macp.Session) (macp.Payload, string, error) {
				h := s.Addressed(p.HandoffID)
				p.HandoffID = h.ID
				return &p, h.OfferedBy, nil
			})
		},
	}
	f.register(c)
	registerHandoffID(c, &p.HandoffID)
	c.Flags().StringVar(&from, "context", "", "context `FILE`, or - for standard input")
	c.Flags().StringVar(&p.ContentType, "content-type", "", "media `TYPE` of the context")
	if err := c.MarkFlagRequired("context"); err != nil {
		panic(err) // the flag is not defined
	}
	return c
}

func newMACPAccept(g *cli.Globals) *cobra.Command {
	return newMACPAnswer(g, "accept", "accepted", "ready to take over", func(id, by, reason string) macp.Payload {
		return &macp.HandoffAccept{HandoffID: id, AcceptedBy: by, Reason: reason}
	})
}

func newMACPDecline(g *cli.Globals) *cobra.Command {
	return newMACPAnswer(g, "decline", "declined", "no bandwidth this quarter", func(id, by, reason string) macp.Payload {
		return &macp.HandoffDecline{HandoffID: id, DeclinedBy: by, Reason: reason}
	})
}

// newMACPAnswer returns the command for one of the two answers of an offer's target. done is the past
// participle of do.
func newMACPAnswer(g *cli.Globals, do, done, reason string, payload func(id, by, reason string) macp.Payload) *cobra.Command {
	f := &stepFlags{transcriptInput: transcriptInput{Globals: g}}
	var id, by, why string
	what := payload("", "", "").MessageType()
	c := &cobra.Command{
		Use:   do + " FILE",
		Short: "Append a " + what + " to a transcript",
		Long: strings.ToUpper(do[:1]) + do[1:] + " appends a " + what + ` and prints its message id. By default, the
target of the offer is the sender and the participant that has ` + done + " it." + stepLong,
		Example: "  handoff macp " + do + " s.json --reason '" + reason + "'",
		Args:    cobra.ExactArgs(1),
		RunE: func(c *cobra.Command, args []string) error {
			return f.append(c, args[0], func(s *macp.Session) (macp.Payload, string, error) {
				h := s.Addressed(id)
				return payload(h.ID, cmp.Or(by, f.sender, h.Target), why), h.Target, nil
			})
		},
	}
	f.register(c)
	registerHandoffID(c, &id)
	c.Flags().StringVar(&by, done+"-by", "", "`PARTICIPANT` that has "+done)
	c.Flags().StringVar(&why, "reason", "", "reason for the answer")
	return c
}
