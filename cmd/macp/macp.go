// Package macp implements the commands of "handoff macp".
package macp

import (
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/eaapl/handoff/internal/cli"
	"github.com/eaapl/handoff/internal/term"
	"github.com/eaapl/handoff/pkg/finding"
	"github.com/eaapl/handoff/pkg/formats/macp"
)

func New(g *cli.Globals) *cobra.Command {
	c := &cobra.Command{
		Use:   "macp",
		Short: "Check, show and write transcripts of MACP's handoff mode",
		Long: `Macp works with sessions of MACP's handoff mode (macp.mode.handoff.v1). A transcript is
a JSON object with the messages of a session, or with --wire a stream of
length-delimited protobuf envelopes.

start begins a transcript. offer, context, accept, decline and commit each append one
message to it, if the 22 rules of the mode allow it.`,
		Example: `  handoff macp start s.json --participant alice --participant bob
  handoff macp offer s.json --scope frontend
  handoff macp accept s.json
  handoff macp show s.json`,
		Args: cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error { return c.Help() },
	}
	c.AddCommand(
		newMACPCheck(g), newMACPShow(g), newMACPFreeze(g),
		newMACPStart(g), newMACPOffer(g), newMACPContext(g), newMACPAccept(g), newMACPDecline(g), newMACPCommit(g),
		newMACPEncode(g), newMACPDecode(g),
	)
	for _, sub := range c.Commands() {
		cli.OnlyForCall(sub, "frozen", "session-id", "message-id", "timestamp", "intent", "context-id", "handoff-id", "target", "scope", "reason",
			"context", "context-of", "content-type", "accepted-by", "declined-by", "commitment-id", "action", "handoff", "accepted", "declined", "outcome", "supersedes")
	}
	return c
}

// A policyFlag is the flag for the policy of sessions.
type policyFlag struct{ path string }

func (f *policyFlag) register(c *cobra.Command) {
	c.Flags().StringVar(&f.path, "policy", "", "`FILE` of the policy that sessions are bound to")
}

// load reads the policy, nil if there is none.
func (f *policyFlag) load(g *cli.Globals, c *cobra.Command) (*macp.Policy, error) {
	if f.path == "" {
		if c.Flags().Changed("policy") {
			return nil, errors.New(`--policy "": name a file, or leave the flag out`)
		}
		return nil, nil
	}
	doc, name, err := g.LoadSettings(f.path, c.InOrStdin(), g.Limits)
	if err != nil {
		return nil, err
	}
	p, err := macp.ReadPolicy(doc.Root())
	if e := (*macp.PolicyError)(nil); errors.As(err, &e) {
		placed := finding.Finding{Pointer: e.Pointer, Message: e.Problem}
		return nil, fmt.Errorf("%s:%d:%d: %s", name, e.Line, e.Column, term.Visible(placed.PlacedMessage()))
	}
	return p, err
}
