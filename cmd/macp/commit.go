package macp

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/google/uuid"
	"github.com/spf13/cobra"

	"github.com/eaapl/handoff/internal/cli"
	"github.com/eaapl/handoff/internal/term"
	"github.com/eaapl/handoff/pkg/formats/macp"
)

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
		Long: `Commit appends a Commitment and prints its message id. The sender is the initiator of
the session, and the versions are the session's. By default, the action is
handoff.accepted or handoff.declined, according to the answer to the latest offer; the
authority scope is the scope of the offer, or else its handoff id; the reason is that of
the answer; and the outcome follows from the last word of the action.` + stepLong,
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
	flags.StringVar(&p.CommitmentID, "commitment-id", "", "`ID` of the commitment (default: a random UUID)")
	flags.StringVar(&p.Action, "action", "", "action that is committed to")
	flags.StringVar(&p.AuthorityScope, "authority-scope", "", "scope of the commitment")
	flags.StringVar(&p.Reason, "reason", "", "reason for the commitment")
	flags.StringVar(&p.ModeVersion, "mode-version", "", "`VERSION` of the mode")
	flags.StringVar(&p.ConfigurationVersion, "configuration-version", "", "`VERSION` of the configuration")
	flags.StringVar(&p.PolicyVersion, "policy-version", "", "`VERSION` of the policy")
	flags.StringVar(&f.outcome, "outcome", "", "outcome of the session: positive or negative")
	flags.StringVar(&f.supersedes, "supersedes", "", "commitment of another session that this one replaces, as `SESSION=HASH`")
	cli.Complete(c, "outcome", outcomes...)
	return c
}

var outcomes = []string{"positive", "negative"}

// make builds the commitment from the session.
func (f *commitFlags) make(s *macp.Session) (macp.Payload, string, error) {
	if f.outcome != "" && !slices.Contains(outcomes, f.outcome) {
		return nil, "", fmt.Errorf("--outcome %q: use %s", f.outcome, strings.Join(outcomes, " or "))
	}
	p := f.payload
	if p.CommitmentID == "" {
		p.CommitmentID = uuid.NewString()
	}
	if s.Complete(&p); p.Action == "" {
		return nil, "", fmt.Errorf("--action: the offer %s has no answer yet: name the action that is committed to, such as handoff.declined", term.Visible(s.Addressed("").ID))
	}
	var clear bool
	if p.OutcomePositive, clear = macp.Outcome(p.Action); !clear && f.outcome == "" {
		return nil, "", fmt.Errorf("--outcome: the action %q implies none: use positive or negative", p.Action)
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
		return nil, "", errors.New("--authority-scope: the offer has no scope: name the scope of the commitment")
	}
	if strings.TrimSpace(p.Reason) == "" {
		return nil, "", errors.New("--reason: the answer has no reason: write one for the commitment")
	}
	return &p, s.Initiator(), nil
}
