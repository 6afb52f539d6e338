// Package edit implements the commands that change messages: canonicalize, patch, redact and repair.
package edit

import (
	"errors"
	"slices"

	"github.com/spf13/cobra"

	"github.com/eaapl/handoff/internal/cli"
	"github.com/eaapl/handoff/internal/input"
	"github.com/eaapl/handoff/internal/report"
	"github.com/eaapl/handoff/internal/term"
	"github.com/eaapl/handoff/pkg/redact"
)

// redactFlags are the flags of redact.
type redactFlags struct {
	cli.Rewriting
	cli.Layout
	cli.FormatFlag
	keys       cli.KeyFlags
	policy     string
	secret     string
	vault      string
	restore    bool
	forget     bool
	keepFormat bool
	format     string
	quiet      bool
}

func NewRedact(g *cli.Globals) *cobra.Command {
	f := &redactFlags{Rewriting: cli.Rewriting{Globals: g}}
	c := &cobra.Command{
		Use:   "redact [FILE|DIR|-]...",
		Short: "Replace personal data in messages, or put it back",
		Long: `Redact replaces personal data in messages of any format and in any other JSON: in
strings and names of members, in JSON within strings, and in what a message carries in
base64. It finds e-mail addresses, telephone numbers, accounts, cards, the ids of many
states, network addresses, dates of birth, postal addresses, names of people, and
what --policy adds (handoff example privacy). docs/privacy.md says how well.

A value has the same replacement everywhere in a message, such as <PERSON_1>. With
--secret-file it is the same in all messages, such as <PERSON_4f7kq2m9xw>, and only whoever
has the secret can tell whose it is. --keep-format uses replacements of the same form,
so that schemas still hold.

--vault keeps what was replaced, encrypted under the secret, and with --restore puts it
back: byte for byte if the message is unchanged; in one that has changed, or an answer,
wherever a replacement is. Exit code 1: the vault has no value for some replacements, or
several; 2: lines of the vault are damaged, and a message is not back as it was. --forget keeps nothing, nor what could be derived from the
secret. A signature is removed, since it no longer holds; with --key-file, a canonical
message is signed again. Ids of messages, agents and tool calls stay, and are reported.`,
		Example: `  handoff redact message.json > redacted.json
  handoff redact --secret-file secret.key --vault vault.jsonl message.json > redacted.json
  handoff redact --secret-file secret.key --vault vault.jsonl --restore redacted.json
  handoff redact --forget --keep-format -i fixtures/`,
		RunE: func(c *cobra.Command, args []string) error {
			if err := f.check(); err != nil {
				return err
			}
			if err := input.OneStdin(args, append(slices.Clone(f.keys.Files), f.policy, f.secret)...); err != nil {
				return err
			}
			key, err := f.key(c)
			if err != nil {
				return err
			}
			if f.restore {
				return f.runRestore(c, args, key)
			}
			return f.runRedact(c, args, key)
		},
	}
	flags := c.Flags()
	flags.StringVar(&f.policy, "policy", "", "what is personal data, a YAML or JSON `FILE` (handoff example privacy)")
	flags.StringVar(&f.secret, "secret-file", "", "`FILE` with the secret that replacements and the vault depend on, 16 bytes or more")
	flags.StringVar(&f.vault, "vault", "", "keep what is replaced in `FILE`, encrypted")
	flags.BoolVar(&f.restore, "restore", false, "put back what the vault has")
	flags.BoolVar(&f.forget, "forget", false, "keep nothing by which a value could be found again")
	flags.BoolVar(&f.keepFormat, "keep-format", false, "replace values by others of their form")
	f.FormatFlag.Register(c)
	f.keys.Register(c)
	cli.RegisterFormat(c, &f.format, "format of the report on stderr: text, json", report.PlainFormats)
	flags.BoolVarP(&f.quiet, "quiet", "q", false, "no report")
	f.RegisterOutput(c)
	f.RegisterInPlace(c)
	f.Layout.Register(c)
	return c
}

// check returns an error for an invalid combination of flags.
func (f *redactFlags) check() error {
	switch {
	case f.forget && (f.vault != "" || f.secret != ""):
		return errors.New("--forget keeps nothing: leave out --vault and --secret-file")
	case f.restore && f.vault == "":
		return errors.New("--restore: name the vault with --vault")
	case f.restore && f.keepFormat:
		return errors.New("--restore and --keep-format: the vault has what was there; use one of them")
	case f.vault != "" && f.secret == "":
		return term.WithHint(errors.New("--vault: it is encrypted, name the secret with --secret-file"), "handoff keygen -o FILE makes one")
	case f.InPlace && !f.restore && f.vault == "" && !f.forget:
		return errors.New("--in-place: what is replaced would be lost; name a --vault, or say --forget")
	}
	return nil
}

// key returns the key of the secret, nil without one.
func (f *redactFlags) key(c *cobra.Command) (*redact.Key, error) {
	if f.secret == "" {
		return nil, nil
	}
	secret, err := cli.LoadSecret(f.Globals, c, f.secret)
	if err != nil {
		return nil, err
	}
	key, err := redact.NewKey(secret)
	if err != nil {
		return nil, input.InFile(f.secret, err)
	}
	return key, nil
}
