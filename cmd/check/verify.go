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
		Long: `Verify checks the signature of every message (section 10.2). Exit code 0: all signatures
are valid; 1: at least one is invalid or missing; 2: an input could not be read. No
option accepts unsigned messages.

If signatureKeyId names a key, only that key is tried, otherwise all keys. A shared
secret never verifies an Ed25519 signature, nor a public key an HMAC. The profile of
--receiver can contain keys, with the agents and the period for which each may sign. A
valid message can be a replay of an old one: --max-age rejects old messages, --seen
handoffIds that were accepted before.`,
		Example: `  handoff verify --key-file team.key message.json
  producer | handoff verify --key-file keys.jwks --max-age 15m --seen accepted.ids --pass | consumer
  handoff verify --receiver receiver.yaml message.json
  handoff verify --diagnose --against sent.json --key-file team.key received.json`,
		RunE: func(c *cobra.Command, args []string) error { return f.run(c, args) },
	}
	flags := c.Flags()
	f.signers.RegisterKeys(c)
	cli.RegisterFreshness(c, &f.policy.Freshness)
	flags.StringVar(&f.seen, "seen", "", "reject the handoff ids in `FILE`, and add the accepted ones")
	flags.BoolVar(&f.explain, "diagnose", false, "search for the cause of an invalid signature")
	flags.StringVar(&f.against, "against", "", "with --diagnose: `FILE` of the original messages, to show the changes")
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
		return cli.ErrNoKeyOfSender
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

// originals reads the messages to compare with, by handoffId. If there is only one, it is the original of
// every message.
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
