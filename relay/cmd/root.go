// Package cmd is the command line of handoff-relay: the commands that deliver and record messages. It is run
// by handoff, so that users need only one program.
package cmd

import (
	"context"
	"encoding/json"
	"io"
	"os"

	"github.com/spf13/cobra"

	"github.com/eaapl/handoff/internal/cli"
	"github.com/eaapl/handoff/internal/program"
	"github.com/eaapl/handoff/internal/webpost"
	"github.com/eaapl/handoff/relay/cmd/audit"
	"github.com/eaapl/handoff/relay/post"
)

// Main runs the command line of the process and returns the exit code.
func Main() int {
	if err := program.CheckCaller(); err != nil {
		return program.Fail(os.Stderr, err)
	}
	if len(os.Args) == 2 && os.Args[1] == webpost.Command {
		return Post(os.Stdin, os.Stdout, os.Stderr)
	}
	return New().Main()
}

// Post reads a [webpost.Request], sends it and writes the [webpost.Answer]. It returns the exit code. It is no command
// for users, but for handoff, which ends this process when it no longer needs the answer.
func Post(stdin io.Reader, stdout, stderr io.Writer) int {
	var request webpost.Request
	err := json.NewDecoder(stdin).Decode(&request)
	if err == nil {
		var answer webpost.Answer
		if answer, err = post.Do(context.Background(), request); err == nil {
			err = json.NewEncoder(stdout).Encode(answer)
		}
	}
	return program.Fail(stderr, err)
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
