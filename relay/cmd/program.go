package cmd

import (
	_ "embed"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/eaapl/handoff/internal/cli"
)

// messageCommands describes the commands of handoff; go test ./cmd -run Generated -update makes it.
//
//go:embed commands.json
var messageCommands []byte

// notHere is the error of a command that handoff has.
func notHere(_ *cli.Globals, _ *cobra.Command, args []string) error {
	return fmt.Errorf("handoff-relay delivers and records: run handoff %s", args[0])
}
