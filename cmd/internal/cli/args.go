package cli

import (
	"fmt"

	"github.com/spf13/cobra"

	"github.com/eaapl/handoff/cmd/internal/term"
)

// ExactArgs is [cobra.ExactArgs] with an error that shows what the arguments are.
func ExactArgs(n int) cobra.PositionalArgs {
	return func(c *cobra.Command, args []string) error {
		if len(args) == n {
			return nil
		}
		return fmt.Errorf("found %s: write it as %s", term.Counted(len(args), "argument"), c.UseLine())
	}
}
