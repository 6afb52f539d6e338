package check

import (
	"bytes"
	"slices"
	"time"

	"github.com/spf13/cobra"

	"github.com/eaapl/handoff/internal/cli"
	"github.com/eaapl/handoff/internal/input"
	"github.com/eaapl/handoff/internal/report"
	"github.com/eaapl/handoff/pkg/message"
	"github.com/eaapl/handoff/pkg/sign"
)

// verifyFlags are the flags of verify.
type verifyFlags struct {
	*cli.Globals
	signers cli.ReceiverFlags // only keys and trust are used
	policy  sign.Policy
	seen    string
	explain bool
	against string
	reports cli.ReportFlags
}

func NewVerify(g *cli.Globals) *cobra.Command {
	f := &verifyFlags{Globals: g}
	c := &cobra.Command{
		Use:   "verify --key-file FILE... [FILE|DIR|-]...",
		Short: "Verify the signatures of messages",
		Long: `Verify checks the signature of every message (section 10.2). Exit code 0: all
signatures hold; 1: at least one does not, or is not there; 2: something could not
be read. Nothing makes it accept an unsigned message.

A message that names its key by signatureKeyId is checked with that key, any other
with all keys; a shared secret never verifies an Ed25519 signature, nor a public key an
HMAC. The profile of --receiver can have keys, and say which of them may sign for
which agents, and when. A valid message can be an old one that was sent again:
--max-age rejects old ones, --seen those whose handoffId was accepted before.`,
		Example: `  handoff verify --key-file team.key message.json
  producer | handoff verify --key-file keys.jwks --max-age 15m --seen accepted.ids --pass | consumer
  handoff verify --receiver receiver.yaml message.json
  handoff verify --diagnose --against sent.json --key-file team.key received.json`,
		RunE: func(c *cobra.Command, args []string) error { return f.run(c, args) },
	}
	flags := c.Flags()
	f.signers.RegisterKeys(c)
	cli.RegisterFreshness(c, &f.policy.Freshness)
	flags.StringVar(&f.seen, "seen", "", "reject handoff ids that are in `FILE`, and add those accepted")
	flags.BoolVar(&f.explain, "diagnose", false, "look for the cause where a signature does not hold")
	flags.StringVar(&f.against, "against", "", "with --diagnose: the original messages, a `FILE`, to show what was changed")
	f.reports.Register(c, report.Formats)
	f.reports.RegisterFilter(c, "verified")
	return c
}

func (f *verifyFlags) run(c *cobra.Command, args []string) error {
	if err := input.OneStdin(args, append(slices.Clone(f.signers.Keys.Files), f.against, f.signers.Profile)...); err != nil {
		return err
	}
	if err := cli.CheckFreshness(f.policy.Freshness); err != nil {
		return err
	}
	profile, err := f.signers.Load(f.Globals, c.InOrStdin())
	if err != nil {
		return err
	}
	if f.policy.Verifier, err = f.signers.Verifier(f.Globals, c, profile); err != nil {
		return err
	}
	if f.policy.Verifier == nil {
		return cli.ErrNoKey
	}
	run := verification{verifyFlags: f, now: time.Now()}
	if run.originals, err = f.originals(c); err != nil {
		return err
	}
	if f.seen != "" {
		if err := f.ClaimAppended("--seen", f.seen); err != nil {
			return err
		}
		f.policy.Once = true
		run.accepted = newSeenFile(f.seen, f.Files.Claims)
	}
	return run.all(c, args)
}

// originals reads the messages to compare with, by handoffId. A single one is the original of every message.
func (f *verifyFlags) originals(c *cobra.Command) (map[string]*message.Message, error) {
	if f.against == "" {
		return nil, nil
	}
	f.explain = true
	text, err := f.ReadAll(f.against, c.InOrStdin(), f.Limits)
	if err != nil {
		return nil, err
	}
	originals := map[string]*message.Message{}
	var last *message.Message
	decoder := message.NewDecoder(bytes.NewReader(text), message.Options{Limits: f.Limits})
	for m, err := range decoder.All() {
		if err != nil {
			return nil, input.InFile(f.against, err)
		}
		originals[m.HandoffID()] = m
		last = m
	}
	if len(originals) == 1 {
		originals[""] = last
	}
	return originals, nil
}
