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
		Short: "Replace personal data in messages, or restore it",
		Long: `Redact replaces personal data in messages of any format and in any other JSON: in
strings and names of members, in JSON within strings, and in base64 data that a message
carries. It finds e-mail addresses, telephone numbers, bank accounts, cards, government
ids of many countries, network addresses, dates of birth, postal addresses, names of
people, and the classes that --policy adds (see handoff example privacy).
docs/privacy.md has the detection rates.

Each value has one replacement, such as <PERSON_1>, throughout a message. With
--secret-file, the replacement is the same in all messages, such as <PERSON_4f7kq2m9xw>,
and only owners of the secret can identify the person. --keep-format chooses
replacements of the same form, so that messages remain valid.

--vault stores the replaced values, encrypted under the secret. --restore puts them
back: an unchanged message becomes the original, as one line of JSON (--pretty indents
it); in a changed message or an answer, each replacement is restored. An answer in plain
text has to become a JSON string first, as in the example. Exit code 1: the vault has no
value, or several, for some replacements; 2: lines of the vault are damaged, and a
message was not fully restored.

--forget stores nothing, and nothing can be derived from the secret. A signature is
removed because it is no longer valid; with --key-file, canonical messages are signed
again. Ids of messages, agents and tool calls are kept and reported.`,
		Example: `  handoff redact message.json > redacted.json
  handoff redact --secret-file secret.key --vault vault.jsonl message.json > redacted.json
  handoff redact --secret-file secret.key --vault vault.jsonl --restore redacted.json
  agent | jq -Rs . | handoff redact --secret-file secret.key --vault vault.jsonl --restore | jq -j .
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
	flags.StringVar(&f.policy, "policy", "", "policy `FILE` that defines personal data, YAML or JSON (see handoff example privacy)")
	flags.StringVar(&f.secret, "secret-file", "", "`FILE` with the secret for replacements and the vault, at least 16 bytes")
	flags.StringVar(&f.vault, "vault", "", "vault `FILE` for the replaced values, encrypted")
	flags.BoolVar(&f.restore, "restore", false, "restore the values in the vault")
	flags.BoolVar(&f.forget, "forget", false, "keep no data from which a value could be recovered")
	flags.BoolVar(&f.keepFormat, "keep-format", false, "use replacements of the same form")
	f.FormatFlag.Register(c)
	f.keys.Register(c)
	cli.RegisterFormat(c, &f.format, "report format: text, json", report.PlainFormats)
	flags.BoolVarP(&f.quiet, "quiet", "q", false, "suppress the report")
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
		return errors.New("--restore and --keep-format: use one of them: --restore puts the original values back")
	case f.vault != "" && f.secret == "":
		return term.WithHint(errors.New("--vault: the vault is encrypted: name its secret with --secret-file"), "handoff keygen -o FILE makes one")
	case f.InPlace && !f.restore && f.vault == "" && !f.forget:
		return errors.New("--in-place: the replaced values would be lost: name a vault with --vault, or use --forget")
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
