package cmd

import (
	"fmt"

	"github.com/spf13/cobra"

	"github.com/eaapl/handoff/internal/cli"
	"github.com/eaapl/handoff/pkg/format"
	"github.com/eaapl/handoff/pkg/sign"
	"github.com/eaapl/handoff/pkg/validate"
)

// receptionChecks are the flags for the checks of messages.
type receptionChecks struct {
	receiver cli.ReceiverFlags
	scanner  cli.ScannerFlags
	privacy  cli.PolicyFlag
	fresh    sign.Freshness
	matters  cli.SeverityFlags
	options  validate.Options // set by validator from the other flags
	as       string           // the receiver's own agentType, set by validator; "" if not given
}

func (f *receptionChecks) register(c *cobra.Command) {
	f.receiver.Register(c)
	f.scanner.Register(c)
	f.privacy.Register(c)
	cli.RegisterFreshness(c, &f.fresh)
	f.matters.Register(c, "warning", cli.WarningRules)
}

// files returns the files that flags name; one of them may be standard input.
func (f *receptionChecks) files() []string {
	return append(f.receiver.Keys.Files, f.receiver.Profile, f.scanner.Rules)
}

// validator returns the validator of the flags, and the scanner, which the caller closes.
func (f *receptionChecks) validator(g *cli.Globals, c *cobra.Command, all bool) (*validate.Validator, *cli.Scanner, error) {
	o := validate.Options{Formats: []format.Format{format.EAAPL}, Limits: g.Limits, Strict: f.matters.Strict, All: all, Received: true}
	err := cli.CheckFreshness(f.fresh)
	if err != nil {
		return nil, nil, err
	}
	if o.Severities, err = f.matters.Load(c); err != nil {
		return nil, nil, err
	}
	if o.Receiver, err = f.receiver.Load(g, c.InOrStdin()); err != nil {
		return nil, nil, err
	}
	if o.Receiver != nil {
		o.Formats = nil
		f.as = o.Receiver.AgentType
	}
	if o.Verifier, err = f.receiver.Verifier(g, c, o.Receiver); err != nil {
		return nil, nil, err
	}
	if o.Verifier == nil && f.fresh.MaxAge > 0 {
		return nil, nil, fmt.Errorf("--max-age: anyone can change an unsigned timestamp: %w", cli.ErrNoKey)
	}
	if o.Privacy, err = f.privacy.Load(g, c); err != nil {
		return nil, nil, err
	}
	scanner, err := f.scanner.Load(g, c)
	if err != nil {
		return nil, nil, err
	}
	o.Freshness = f.fresh
	o.Scanner, o.Allow = scanner.Scanner, scanner.Allow
	f.options = o
	return validate.New(o), scanner, nil
}
