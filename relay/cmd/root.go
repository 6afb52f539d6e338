// Package cmd is the command line of handoff-relay: the commands that deliver and record messages. It is run
// by handoff, so that users need only one program.
package cmd

import (
	"os"

	"github.com/spf13/cobra"

	"github.com/eaapl/handoff/internal/cli"
	"github.com/eaapl/handoff/internal/program"
	"github.com/eaapl/handoff/relay/cmd/audit"
)

// Main runs the command line of the process and returns the exit code.
func Main() int {
	if err := program.CheckCaller(); err != nil {
		return program.Fail(os.Stderr, err)
	}
	return New().Main()
}

// New returns handoff-relay.
func New() *program.Program {
	p := &program.Program{Others: messageCommands, RunOther: notHere}
	p.Make = map[string]func(*cli.Globals) *cobra.Command{
		"accept":      newAccept,
		"send":        newSend,
		"outbox":      newOutbox,
		"status":      newStatus,
		"rollback":    newRollback,
		"acks":        newAcks,
		"receive":     newReceive,
		"mcp":         newMCP,
		"dead-letter": newDeadLetter,
		"serve":       newServe,
		"audit":       func(g *cli.Globals) *cobra.Command { return audit.New(g, newAuditChain(g)) },
		"doctor":      func(g *cli.Globals) *cobra.Command { return newDoctor(g, p.Settings()) },
	}
	return p
}
