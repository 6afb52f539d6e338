// Package cmd is the command line of handoff: the flags, inputs and output of the commands that work on
// messages. The packages under pkg do the work. Package relay/cmd has the commands that deliver and record.
package cmd

import (
	"github.com/spf13/cobra"

	"github.com/eaapl/handoff/cmd/a2a"
	"github.com/eaapl/handoff/cmd/chain"
	"github.com/eaapl/handoff/cmd/macp"
	"github.com/eaapl/handoff/cmd/openai"
	"github.com/eaapl/handoff/cmd/relay"
	"github.com/eaapl/handoff/cmd/schema"
	"github.com/eaapl/handoff/cmd/session"
	"github.com/eaapl/handoff/cmd/sw4rm"
	"github.com/eaapl/handoff/internal/cli"
	"github.com/eaapl/handoff/internal/program"
)

// Main runs the command line of the process and returns the exit code.
func Main() int { return New().Main() }

// New returns handoff.
func New() *program.Program {
	p := &program.Program{Others: relay.Commands, RunOther: relay.Run}
	p.Make = map[string]func(*cli.Globals) *cobra.Command{
		"new":          newNew,
		"build":        newBuild,
		"canonicalize": newCanonicalize,
		"redact":       newRedact,
		"trim":         newTrim,
		"repair":       newRepair,
		"patch":        newPatch,
		"convert":      newConvert,
		"stream":       newStream,
		"compress":     newCompress,
		"decompress":   newDecompress,
		"validate":     newValidate,
		"sign":         newSign,
		"verify":       newVerify,
		"keygen":       newKeygen,
		"scan":         newScan,
		"chain":        chain.New,
		"inspect":      newInspect,
		"report":       newReport,
		"count":        newCount,
		"diff":         newDiff,
		"render":       newRender,
		"sw4rm":        func(g *cli.Globals) *cobra.Command { return sw4rm.New(g, newSW4RMPrepare(g)) },
		"macp":         macp.New,
		"openai":       openai.New,
		"a2a":          a2a.New,
		"schema":       schema.New,
		"session":      session.New,
		"example":      newExample,
		"explain":      newExplain,
		"config":       func(g *cli.Globals) *cobra.Command { return newConfig(g, p.Settings()) },
		"doctor":       func(g *cli.Globals) *cobra.Command { return newDoctor(g, p) },
		"commands":     newCommands,
		"version":      newVersion,
		"completion":   newCompletion,
		"man":          newMan,
		"help":         newHelp,
	}
	return p
}
