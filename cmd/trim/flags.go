package trim

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/eaapl/handoff/internal/cli"
	"github.com/eaapl/handoff/pkg/tokens"
	"github.com/eaapl/handoff/pkg/trim"
)

// Flags are the limits on the size of messages, and the ways to meet them.
type Flags struct {
	trim.Options
	summarizer summarizerFlags
	counter    cli.CounterFlags
	Profile    string // file of the receiver
	profiled   string // the flag that names the file
	window     int
	threshold  float64
	maxBytes   int64
	also       []string
}

// Register registers the flags. profile is the name of the flag for the receiver's profile.
func (f *Flags) Register(c *cobra.Command, profile string) {
	flags := c.Flags()
	f.profiled = profile
	flags.IntVar(&f.MaxTokens, "max-tokens", 0, "maximum number of `TOKENS` in a message")
	flags.IntVar(&f.window, "context-window", 0, "context window of the receiver's model, in `TOKENS`")
	flags.StringVar(&f.Profile, profile, "", "receiver profile `FILE` with the contextWindow")
	flags.Float64Var(&f.threshold, "window-share", 0.8, "maximum share of the context window that a message may fill")
	flags.Var(cli.SizeOrZero{ByteSize: cli.NewByteSize(&f.maxBytes, 0)}, "max-bytes", "maximum size of a message in `BYTES` (100KB, 1MiB)")
	flags.IntVar(&f.Last, "last", 0, "maximum number of `TURNS`")
	flags.IntVar(&f.KeepTurns, "keep-turns", trim.DefaultKeepTurns, "number of latest `TURNS` that are never removed")
	flags.IntVar(&f.SummaryTokens, "summary-tokens", 0, "maximum number of `TOKENS` in the summary (default: a tenth of the replaced text)")
	flags.StringSliceVar(&f.Roles, "roles", nil, "keep only turns with these `ROLES`")
	flags.BoolVar(&f.DropTools, "drop-tools", false, "remove tool calls, their results and reasoning")
	flags.StringSliceVar(&f.also, "also", nil, "further members to drop, in order, if trimming turns is not enough: `MEMBERS` of "+extraNames())
	f.counter.Register(c)
	f.summarizer.register(c)
	cli.Complete(c, "also", cli.Names(trim.Extras())...)
}

func extraNames() string { return strings.Join(cli.Names(trim.Extras()), ", ") }

// Asked reports whether a flag requires smaller messages.
func (f *Flags) Asked(c *cobra.Command) bool {
	return slices.ContainsFunc([]string{f.profiled, "max-tokens", "context-window", "max-bytes", "last", "roles", "drop-tools"}, c.Flags().Changed)
}

// Complete sets the options that the flags describe.
func (f *Flags) Complete(g *cli.Globals, c *cobra.Command) error {
	for _, limit := range []struct {
		flag  string
		value int
	}{{"max-tokens", f.MaxTokens}, {"context-window", f.window}, {"last", f.Last}, {"keep-turns", f.KeepTurns}, {"summary-tokens", f.SummaryTokens}, {"max-bytes", int(f.maxBytes)}} {
		if limit.value < 0 || limit.value == 0 && c.Flags().Changed(limit.flag) && limit.flag != "keep-turns" {
			return fmt.Errorf("--%s %d: write a number above 0", limit.flag, limit.value)
		}
	}
	for _, name := range f.also {
		extra := trim.Extra(name)
		if !slices.Contains(trim.Extras(), extra) {
			return fmt.Errorf("--also %s: use one of %s", name, extraNames())
		}
		if !slices.Contains(f.Also, extra) {
			f.Also = append(f.Also, extra)
		}
	}
	for i, role := range f.Roles {
		f.Roles[i] = strings.ToLower(strings.TrimSpace(role))
	}
	if f.Roles != nil && (len(f.Roles) == 0 || slices.Contains(f.Roles, "")) {
		return errors.New("--roles: a role is empty: name the roles to keep, such as user,assistant")
	}
	f.MaxBytes = int(f.maxBytes)
	counter, err := f.counter.Load()
	if err != nil {
		return err
	}
	f.Meter, f.Tokenizer = counter.Meter(), string(counter.Encoding())
	if err := f.limit(g, c); err != nil {
		return err
	}
	return f.summarizer.load(g, c, &f.Options)
}

// limit derives the maximum tokens of a message from the context window.
func (f *Flags) limit(g *cli.Globals, c *cobra.Command) error {
	if f.threshold <= 0 || f.threshold > 1 {
		return fmt.Errorf("--window-share %v: write a number above 0 and up to 1", f.threshold)
	}
	window := f.window
	if window == 0 && f.Profile != "" {
		receiver := cli.ReceiverFlags{Profile: f.Profile}
		profile, err := receiver.Load(g, c.InOrStdin())
		if err != nil {
			return err
		}
		if window = profile.ContextWindow; window == 0 {
			return fmt.Errorf("%s: the profile has no contextWindow: add it, or name one with --context-window", f.Profile)
		}
	}
	if window == 0 && f.MaxTokens == 0 && f.Last == 0 && f.MaxBytes == 0 && f.counter.Model != "" {
		window, _ = tokens.Window(f.counter.Model)
	}
	if window == 0 {
		return nil
	}
	if limit := trim.Share(window, f.threshold); f.MaxTokens == 0 || limit < f.MaxTokens {
		f.MaxTokens = limit
	}
	return nil
}
