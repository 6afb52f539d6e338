package openai

import (
	"context"
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"github.com/eaapl/handoff/cmd/internal/cli"
	"github.com/eaapl/handoff/pkg/child"
	"github.com/eaapl/handoff/pkg/jsonstream"
)

// programFlags are the flags of a command that reads JSON and writes JSON.
type programFlags struct {
	child   cli.ChildFlags
	timeout time.Duration
}

func (f *programFlags) register(c *cobra.Command) {
	c.Flags().DurationVar(&f.timeout, "cmd-timeout", time.Minute, "how long the command may take for one message")
	f.child.Register(c)
}

// maxOutput is how much a command may write for one message, in bytes, where no limit is given.
const maxOutput = 64 << 20

// exchange returns what runs a command once for each message: stdin is the message, stdout the new one.
func (f *programFlags) exchange(g *cli.Globals, c *cobra.Command, name, command string) (func(ctx context.Context, in []byte) ([]byte, error), error) {
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
	return func(ctx context.Context, in []byte) ([]byte, error) {
		out, err := g.Children.Exchange(ctx, o, append(in, '\n'), child.Bounds{Timeout: f.timeout, Output: output})
		if err != nil {
			return nil, fmt.Errorf("the %s %w", name, err)
		}
		return out, nil
	}, nil
}

// read reads what a command has written.
func read(name string, text []byte) (jsonstream.Value, error) {
	doc, err := jsonstream.Parse(jsonstream.NewRaw(text), jsonstream.Limits{})
	if err != nil {
		return jsonstream.Value{}, fmt.Errorf("the %s wrote what is no JSON: %w", name, err)
	}
	return doc.Root(), nil
}
