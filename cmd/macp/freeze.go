package macp

import (
	"fmt"

	"github.com/spf13/cobra"

	"github.com/eaapl/handoff/internal/cli"
	"github.com/eaapl/handoff/internal/input"
	"github.com/eaapl/handoff/pkg/formats/macp"
)

// macpFreezeFlags are the flags of macp freeze.
type macpFreezeFlags struct {
	transcriptInput
	policyFlag
}

func newMACPFreeze(g *cli.Globals) *cobra.Command {
	f := &macpFreezeFlags{transcriptInput: transcriptInput{Globals: g}}
	c := &cobra.Command{
		Use:   "freeze [FILE|-]",
		Short: "Print a hash of the context that a session binds",
		Long: `Freeze prints a hash of the SessionStart bindings and all HandoffContext messages of a
session. A replay is deterministic in the handoff mode if its hash is the same: "handoff
macp check --frozen HASH" compares them. Rejected messages are excluded; the rejections
can depend on --policy.

A file with several sessions produces one hash per line.`,
		Example: `  handoff macp freeze session.json
  handoff macp check --frozen "$(handoff macp freeze session.json)" replay.json`,
		Args: cobra.MaximumNArgs(1),
		RunE: func(c *cobra.Command, args []string) error { return f.run(c, args) },
	}
	f.transcriptInput.register(c)
	f.policyFlag.register(c)
	return c
}

func (f *macpFreezeFlags) run(c *cobra.Command, args []string) error {
	if err := input.OneStdin(args, f.path); err != nil {
		return err
	}
	policy, err := f.load(f.Globals, c)
	if err != nil {
		return err
	}
	work := func(t transcript) (string, error) {
		hash, err := macp.Freeze(t.doc, macp.Options{Policy: policy})
		if err != nil {
			err = fmt.Errorf("%s: %w", t.origin, err)
		}
		return hash, err
	}
	unread, err := readTranscripts(c, &f.transcriptInput, args, work, func(_ transcript, hash string) error {
		_, err := fmt.Fprintln(c.OutOrStdout(), hash)
		return err
	}, func() error { return nil })
	return cli.Answer(err, unread, false)
}
