package cmd

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/eaapl/handoff/cmd/internal/cli"
	"github.com/eaapl/handoff/pkg/sign"
	"github.com/eaapl/handoff/pkg/tokens"
	"github.com/eaapl/handoff/pkg/trim"
)

// complete fills the options that the flags describe.
func (f *trimFlags) complete(c *cobra.Command) error {
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
			return fmt.Errorf("--also %s: known are %s", name, extraNames())
		}
		if !slices.Contains(f.Also, extra) {
			f.Also = append(f.Also, extra)
		}
	}
	for i, role := range f.Roles {
		f.Roles[i] = strings.ToLower(strings.TrimSpace(role))
	}
	if f.Roles != nil && (len(f.Roles) == 0 || slices.Contains(f.Roles, "")) {
		return errors.New("--roles: a name is empty: name the roles that stay, as in user,assistant")
	}
	f.MaxBytes = int(f.maxBytes)
	counter, err := f.counter.Load()
	if err != nil {
		return err
	}
	f.Format = f.From
	f.Meter, f.Tokenizer = counter.Meter(), string(counter.Encoding())
	if err := f.limit(c); err != nil {
		return err
	}
	return f.summarizer.load(f.Globals, c, &f.Options)
}

// limit makes of the context window the maximal tokens of a message.
func (f *trimFlags) limit(c *cobra.Command) error {
	if f.threshold <= 0 || f.threshold > 1 {
		return fmt.Errorf("--threshold %v: write a number above 0 and up to 1", f.threshold)
	}
	window := f.window
	if window == 0 && f.receiver != "" {
		receiver := cli.ReceiverFlags{Profile: f.receiver}
		profile, err := receiver.Load(f.Globals, c.InOrStdin())
		if err != nil {
			return err
		}
		if window = profile.ContextWindow; window == 0 {
			return fmt.Errorf("%s: the profile has no contextWindow: add it, or name one with --context-window", f.receiver)
		}
	}
	if window == 0 && f.MaxTokens == 0 && f.Last == 0 && f.MaxBytes == 0 && f.counter.Model != "" {
		window, _ = tokens.Window(f.counter.Model)
	}
	if window == 0 {
		return nil
	}
	if limit := int(float64(window)*f.threshold + 1e-9); f.MaxTokens == 0 || limit < f.MaxTokens {
		f.MaxTokens = max(limit, 1)
	}
	return nil
}

// signingKey returns the key to sign trimmed messages with, nil if none is
// configured.
func (f *trimFlags) signingKey(c *cobra.Command) (*sign.Key, error) {
	keys, err := f.keys.Load(f.Globals, c)
	if err != nil || len(keys) == 0 {
		return nil, err
	}
	if len(keys) > 1 {
		return nil, errors.New("several keys: name the one that is to sign trimmed messages")
	}
	return &keys[0], keys[0].MaySign()
}
