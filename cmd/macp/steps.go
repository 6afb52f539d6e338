package macp

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/google/uuid"
	"github.com/spf13/cobra"

	"github.com/eaapl/handoff/cmd/internal/cli"
	"github.com/eaapl/handoff/cmd/internal/input"
	"github.com/eaapl/handoff/cmd/internal/term"
	"github.com/eaapl/handoff/pkg/formats/macp"
	"github.com/eaapl/handoff/pkg/jsonstream"
)

func newMACPOffer(g *cli.Globals) *cobra.Command {
	f := &stepFlags{transcriptInput: transcriptInput{Globals: g}}
	var p macp.HandoffOffer
	c := &cobra.Command{
		Use:   "offer FILE",
		Short: "Append a HandoffOffer to a transcript",
		Long: `Offer appends a HandoffOffer and prints its message id. The sender is the initiator
of the session, the handoff id the first of h1, h2, … that is free, and the target
may be left out if there is only one other participant.` + stepLong,
		Example: `  handoff macp offer s.json --target bob --scope frontend --reason 'moving to backend'`,
		Args:    cobra.ExactArgs(1),
		RunE: func(c *cobra.Command, args []string) error {
			return f.append(c, args[0], func(s *macp.Session) (macp.Payload, string, error) {
				if p.HandoffID == "" {
					p.HandoffID = freeHandoffID(s.Handoffs())
				}
				others := without(s.Start().Participants, s.Initiator())
				if p.TargetParticipant == "" && len(others) == 1 {
					p.TargetParticipant = others[0]
				}
				if p.TargetParticipant == "" && len(others) > 1 {
					return nil, "", fmt.Errorf("--target: say who is to take over: %s", term.Visible(strings.Join(others, ", ")))
				}
				return &p, s.Initiator(), nil
			})
		},
	}
	f.register(c)
	flags := c.Flags()
	flags.StringVar(&p.HandoffID, "handoff-id", "", "the `ID` of the handoff")
	flags.StringVar(&p.TargetParticipant, "target", "", "the `PARTICIPANT` that is to take over")
	flags.StringVar(&p.Scope, "scope", "", "what is handed over")
	flags.StringVar(&p.Reason, "reason", "", "why")
	return c
}

// freeHandoffID returns the first of h1, h2, … that no offer has.
func freeHandoffID(taken []macp.Handoff) string {
	used := map[string]bool{}
	for _, h := range taken {
		used[h.ID] = true
	}
	for n := 1; ; n++ {
		if id := fmt.Sprintf("h%d", n); !used[id] {
			return id
		}
	}
}

func without(list []string, one string) []string {
	var rest []string
	for _, s := range list {
		if s != one {
			rest = append(rest, s)
		}
	}
	return rest
}

// addressed returns the handoff that a message is about: the one with an id, or else
// the one that waits for an answer, or else the latest. Of one that is not there only
// the id is known: the rules reject it.
func addressed(s *macp.Session, id string) macp.Handoff {
	all := s.Handoffs()
	if id != "" {
		for _, h := range all {
			if h.ID == id {
				return h
			}
		}
		return macp.Handoff{ID: id, OfferedBy: s.Initiator(), Target: s.Initiator()}
	}
	if h, ok := s.Outstanding(); ok {
		return h
	}
	if len(all) > 0 {
		return all[len(all)-1]
	}
	return macp.Handoff{OfferedBy: s.Initiator(), Target: s.Initiator()}
}

func registerHandoffID(c *cobra.Command, id *string) {
	c.Flags().StringVar(id, "handoff-id", "", "the `ID` of the handoff; the one that waits for an answer if there is none")
}

func newMACPContext(g *cli.Globals) *cobra.Command {
	f := &stepFlags{transcriptInput: transcriptInput{Globals: g}}
	var p macp.HandoffContext
	var from string
	c := &cobra.Command{
		Use:   "context FILE --context CONTEXT",
		Short: "Append a HandoffContext to a transcript",
		Long: `Context appends a HandoffContext with the bytes of a file, as they are, and prints
its message id. The sender is who made the offer. The content type is
application/json, text/plain or application/octet-stream, going by the bytes.` + stepLong,
		Example: `  handoff macp context s.json --context notes.md --content-type text/markdown`,
		Args:    cobra.ExactArgs(1),
		RunE: func(c *cobra.Command, args []string) error {
			if from == "" {
				return errors.New(`--context "": name a file, or - for standard input`)
			}
			err := input.OneStdin(args, from)
			if err == nil {
				err = input.OneStdin([]string{from}, f.path)
			}
			if err != nil {
				return err
			}
			if p.Context, err = readBytes(g, from, c.InOrStdin()); err != nil {
				return err
			}
			if p.ContentType == "" {
				p.ContentType = contentType(p.Context, g.Limits)
			}
			return f.append(c, args[0], func(s *macp.Session) (macp.Payload, string, error) {
				h := addressed(s, p.HandoffID)
				p.HandoffID = h.ID
				return &p, h.OfferedBy, nil
			})
		},
	}
	f.register(c)
	registerHandoffID(c, &p.HandoffID)
	c.Flags().StringVar(&from, "context", "", "the `FILE` with the context, or - for standard input")
	c.Flags().StringVar(&p.ContentType, "content-type", "", "the media `TYPE` of the context")
	if err := c.MarkFlagRequired("context"); err != nil {
		panic(err) // the flag is not defined
	}
	return c
}

// readBytes returns a file's content, or standard input's, as it is.
func readBytes(g *cli.Globals, path string, stdin io.Reader) ([]byte, error) {
	s, err := g.File(path, stdin)
	if err != nil {
		return nil, err
	}
	in, closeFile, err := s.Raw()
	if err != nil {
		return nil, fmt.Errorf("%s: %w", term.Visible(s.Name), err)
	}
	defer closeFile() // read only: nothing can be lost
	data, err := io.ReadAll(io.LimitReader(in, g.Limits.MaxBytes+1))
	if err != nil {
		return nil, fmt.Errorf("%s: %w", term.Visible(s.Name), term.PlainError(err))
	}
	if int64(len(data)) > g.Limits.MaxBytes {
		return nil, fmt.Errorf("%s: longer than %d bytes: raise --max-message-bytes", term.Visible(s.Name), g.Limits.MaxBytes)
	}
	return data, nil
}

// contentType returns the media type of some bytes.
func contentType(data []byte, limits jsonstream.Limits) string {
	if _, err := jsonstream.Parse(jsonstream.NewRaw(data), limits); err == nil {
		return "application/json"
	}
	if utf8.Valid(data) {
		return "text/plain"
	}
	return "application/octet-stream"
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

// newMACPAnswer returns the command that does one of the two things that the target of
// an offer can do, and the word for having done it.
func newMACPAnswer(g *cli.Globals, do, done, reason string, payload func(id, by, reason string) macp.Payload) *cobra.Command {
	f := &stepFlags{transcriptInput: transcriptInput{Globals: g}}
	var id, by, why string
	what := payload("", "", "").MessageType()
	c := &cobra.Command{
		Use:   do + " FILE",
		Short: "Append a " + what + " to a transcript",
		Long: strings.ToUpper(do[:1]) + do[1:] + " appends a " + what + ` and prints its message id. The sender is the target
of the offer, and has ` + done + " it." + stepLong,
		Example: "  handoff macp " + do + " s.json --reason '" + reason + "'",
		Args:    cobra.ExactArgs(1),
		RunE: func(c *cobra.Command, args []string) error {
			return f.append(c, args[0], func(s *macp.Session) (macp.Payload, string, error) {
				h := addressed(s, id)
				return payload(h.ID, cmp.Or(by, f.sender, h.Target), why), h.Target, nil
			})
		},
	}
	f.register(c)
	registerHandoffID(c, &id)
	c.Flags().StringVar(&by, done+"-by", "", "the `PARTICIPANT` that has "+done)
	c.Flags().StringVar(&why, "reason", "", "why")
	return c
}

// commitFlags are the flags of macp commit.
type commitFlags struct {
	stepFlags
	payload    macp.Commitment
	outcome    string
	supersedes string
}

func newMACPCommit(g *cli.Globals) *cobra.Command {
	f := &commitFlags{stepFlags: stepFlags{transcriptInput: transcriptInput{Globals: g}}}
	c := &cobra.Command{
		Use:   "commit FILE",
		Short: "Append a Commitment to a transcript, which ends the session",
		Long: `Commit appends a Commitment and prints its message id. The sender is the initiator,
and the versions are the session's. The action is handoff.accepted or
handoff.declined, as the latest offer was answered, the authority scope is that of
the offer, and the reason that of the answer; the outcome is the one that the action's
last word means.` + stepLong,
		Example: `  handoff macp commit s.json --authority-scope frontend --reason 'bob has taken over'
  handoff macp commit s.json --action handoff.cancelled --outcome negative --reason 'not needed'`,
		Args: cobra.ExactArgs(1),
		RunE: func(c *cobra.Command, args []string) error {
			return f.append(c, args[0], f.make)
		},
	}
	f.register(c)
	flags := c.Flags()
	p := &f.payload
	flags.StringVar(&p.CommitmentID, "commitment-id", "", "the `ID` of the commitment; a random UUID if there is none")
	flags.StringVar(&p.Action, "action", "", "what is committed to")
	flags.StringVar(&p.AuthorityScope, "authority-scope", "", "what the commitment covers")
	flags.StringVar(&p.Reason, "reason", "", "why")
	flags.StringVar(&p.ModeVersion, "mode-version", "", "the `VERSION` of the mode")
	flags.StringVar(&p.ConfigurationVersion, "configuration-version", "", "the `VERSION` of the configuration")
	flags.StringVar(&p.PolicyVersion, "policy-version", "", "the `VERSION` of the policy")
	flags.StringVar(&f.outcome, "outcome", "", "how it ends: positive or negative")
	flags.StringVar(&f.supersedes, "supersedes", "", "the commitment of another session that this one replaces, as `SESSION=HASH`")
	cli.Complete(c, "outcome", outcomes...)
	return c
}

var outcomes = []string{"positive", "negative"}

// make completes the commitment from the session.
func (f *commitFlags) make(s *macp.Session) (macp.Payload, string, error) {
	if f.outcome != "" && !slices.Contains(outcomes, f.outcome) {
		return nil, "", fmt.Errorf("--outcome %q: use %s", f.outcome, strings.Join(outcomes, " or "))
	}
	p, h := f.payload, addressed(s, "")
	fill := func(field *string, value string) {
		if *field == "" {
			*field = value
		}
	}
	fill(&p.CommitmentID, uuid.NewString())
	fill(&p.ModeVersion, s.Start().ModeVersion)
	fill(&p.ConfigurationVersion, s.Start().ConfigurationVersion)
	fill(&p.PolicyVersion, s.PolicyVersion())
	fill(&p.AuthorityScope, h.Scope)
	fill(&p.Reason, h.AnswerReason)
	if p.Action == "" {
		if h.Pending() && len(s.Handoffs()) > 1 {
			return nil, "", fmt.Errorf("--action: the offer %s waits for an answer: say what is committed to, such as handoff.declined", term.Visible(h.ID))
		}
		p.Action = "handoff.accepted" // by the passing of time, if the rules allow it
		if h.Status == macp.Declined {
			p.Action = "handoff.declined"
		}
	}
	var clear bool
	if p.OutcomePositive, clear = macp.Outcome(p.Action); !clear && f.outcome == "" {
		return nil, "", fmt.Errorf("--outcome: the action %q does not say whether it is positive or negative", p.Action)
	}
	if f.outcome != "" {
		p.OutcomePositive = f.outcome == outcomes[0]
	}
	if f.supersedes != "" {
		session, hash, ok := strings.Cut(f.supersedes, "=")
		if !ok {
			return nil, "", fmt.Errorf("--supersedes %q: write it as SESSION=HASH", f.supersedes)
		}
		p.Supersedes = &macp.Supersedes{SessionID: session, CommitmentHash: hash}
	}
	if strings.TrimSpace(p.AuthorityScope) == "" {
		return nil, "", errors.New("--authority-scope: say what the commitment covers, as the offer has no scope")
	}
	if strings.TrimSpace(p.Reason) == "" {
		return nil, "", errors.New("--reason: say why, as the answer has no reason")
	}
	return &p, s.Initiator(), nil
}
