// Package audit implements the commands of "handoff audit".
package audit

import (
	"github.com/spf13/cobra"

	"github.com/eaapl/handoff/internal/cli"
)

// New returns the command with its subcommands, including chain, which is created elsewhere.
func New(g *cli.Globals, chain *cobra.Command) *cobra.Command {
	c := &cobra.Command{
		Use:   "audit",
		Short: "Read, prove and verify the audit log",
		Long: `Audit works with the audit log of handoff accept: the records of all events of handoffs
(EAAPL-MAG006, sections 6.2, 8, 10.3 and 12). docs/audit.md specifies its format.`,
		Args: cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error { return c.Help() },
	}
	c.AddCommand(newList(g), newShow(g), newTrace(g), newCost(g), newFind(g), newStats(g), chain)
	c.AddCommand(newInit(g), newCheckpoint(g), newProve(g), newVerify(g), newGrants(g), newArchive(g), newPrune(g), newReport(g))
	c.AddCommand(newErase(g), newSubject(g))
	return c
}
