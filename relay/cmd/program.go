package cmd

import (
	_ "embed"
	"fmt"

	"github.com/spf13/cobra"
)

// messageCommands describes the commands of handoff; go test ./cmd -run Generated -update makes it.
//
//go:embed commands.json
var messageCommands []byte

// notHere returns the error for a command that only handoff has.
func notHere(_ *cobra.Command, args []string) error {
	return fmt.Errorf("handoff-relay does not have this command: run handoff %s", args[0])
}
