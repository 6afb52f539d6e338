package openai

import (
	"context"
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"github.com/eaapl/handoff/internal/child"
	"github.com/eaapl/handoff/internal/cli"
	"github.com/eaapl/handoff/pkg/jsonstream"
)

// programFlags are the flags of a command that reads JSON and writes JSON.
type programFlags struct {
	child   cli.ChildFlags
	timeout time.Duration
}

func (f *programFlags) register(c *cobra.Command) {
	c.Flags().DurationVar(&f.timeout, "cmd-timeout", time.Minute, "timeout of the command, per message")
	f.child.Register(c)
}

// maxOutput is the default limit on a command's output for one message, in bytes.
const maxOutput = 64 << 20

// A program runs a command for one message, which it writes to the command's stdin, and returns its stdout.
type program func(ctx context.Context, in []byte) (jsonstream.Value, error)

// program returns a function that runs a command.
func (f *programFlags) program(g *cli.Globals, c *cobra.Command, name, command string) (program, error) {
	if f.timeout <= 0 {
		return nil, fmt.Errorf("--cmd-timeout %s: write a duration above 0, like 30s", f.timeout)
	}
	o, err := f.child.Options(c, name, command)
	if err != nil {
		return nil, err
	}
	output := maxOutput
	if g.Limits.MaxBytes > 0 {
		output = int(g.Limits.MaxBytes)
	}
	return func(ctx context.Context, in []byte) (jsonstream.Value, error) {
		out, err := g.Children.Exchange(ctx, o, append(in, '\n'), child.Bounds{Timeout: f.timeout, Output: output})
		if err != nil {
			return jsonstream.Value{}, fmt.Errorf("the %s %w", name, err)
		}
		doc, err := jsonstream.Parse(jsonstream.NewRaw(out), jsonstream.Limits{})
		if err != nil {
			return jsonstream.Value{}, fmt.Errorf("the output of the %s is not JSON: %w", name, err)
		}
		return doc.Root(), nil
	}, nil
}
