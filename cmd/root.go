// Package cmd implements the command line of handoff. Its subpackages have the flags, input and output of the
// commands, by kind; the packages under pkg do the work. Package relay/cmd has the commands that deliver and
// record messages.
package cmd

import (
	"github.com/spf13/cobra"

	"github.com/eaapl/handoff/cmd/a2a"
	"github.com/eaapl/handoff/cmd/about"
	"github.com/eaapl/handoff/cmd/chain"
	"github.com/eaapl/handoff/cmd/check"
	"github.com/eaapl/handoff/cmd/create"
	"github.com/eaapl/handoff/cmd/diff"
	"github.com/eaapl/handoff/cmd/edit"
	"github.com/eaapl/handoff/cmd/inspect"
	"github.com/eaapl/handoff/cmd/look"
	"github.com/eaapl/handoff/cmd/macp"
	"github.com/eaapl/handoff/cmd/openai"
	"github.com/eaapl/handoff/cmd/pack"
	"github.com/eaapl/handoff/cmd/relay"
	"github.com/eaapl/handoff/cmd/schema"
	"github.com/eaapl/handoff/cmd/session"
	"github.com/eaapl/handoff/cmd/sw4rm"
	"github.com/eaapl/handoff/cmd/trim"
	"github.com/eaapl/handoff/cmd/vectors"
	"github.com/eaapl/handoff/internal/cli"
	"github.com/eaapl/handoff/internal/program"
)

// Main runs the command line of the process and returns the exit code.
func Main() int { return New().Main() }

// New returns the program handoff.
func New() *program.Program {
	p := &program.Program{Others: relay.Commands, RunOther: relay.Run}
	p.Make = map[string]func(*cli.Globals) *cobra.Command{
		"new":          create.NewNew,
		"build":        create.NewBuild,
		"canonicalize": edit.NewCanonicalize,
		"redact":       edit.NewRedact,
		"trim":         trim.New,
		"repair":       edit.NewRepair,
		"patch":        edit.NewPatch,
		"convert":      create.NewConvert,
		"stream":       create.NewStream,
		"compress":     pack.NewCompress,
		"decompress":   pack.NewDecompress,
		"validate":     check.NewValidate,
		"sign":         check.NewSign,
		"verify":       check.NewVerify,
		"keygen":       check.NewKeygen,
		"scan":         check.NewScan,
		"check-claims": check.NewCheckClaims,
		"hook":         check.NewHook,
		"vectors":      vectors.New,
		"chain":        chain.New,
		"inspect":      inspect.New,
		"report":       look.NewReport,
		"count":        look.NewCount,
		"diff":         diff.New,
		"render":       look.NewRender,
		"sw4rm":        func(g *cli.Globals) *cobra.Command { return sw4rm.New(g, trim.NewPrepare(g)) },
		"macp":         macp.New,
		"openai":       openai.New,
		"a2a":          a2a.New,
		"schema":       schema.New,
		"session":      session.New,
		"example":      about.NewExample,
		"explain":      about.NewExplain,
		"config":       func(g *cli.Globals) *cobra.Command { return about.NewConfig(g, p.Settings()) },
		"doctor":       func(g *cli.Globals) *cobra.Command { return about.NewDoctor(g, p) },
		"install":      about.NewInstall,
		"commands":     about.NewCommands,
		"version":      about.NewVersion,
		"completion":   about.NewCompletion,
		"man":          about.NewMan,
		"help":         about.NewHelp,
	}
	return p
}
