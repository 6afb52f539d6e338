package check

import (
	"context"
	"errors"
	"fmt"
	"sync"

	"github.com/spf13/cobra"

	"github.com/eaapl/handoff/internal/cli"
	"github.com/eaapl/handoff/internal/input"
	"github.com/eaapl/handoff/pkg/finding"
	"github.com/eaapl/handoff/pkg/format"
	"github.com/eaapl/handoff/pkg/formats"
	"github.com/eaapl/handoff/pkg/jsonstream"
	"github.com/eaapl/handoff/pkg/message"
	"github.com/eaapl/handoff/pkg/sign"
	"github.com/eaapl/handoff/pkg/validate"
)

// signFlags are the flags of sign.
type signFlags struct {
	cli.Rewriting
	cli.Layout
	keys  cli.KeyFlags
	keyID string
	force bool

	parsers sync.Pool // of *message.Parser
}

func NewSign(g *cli.Globals) *cobra.Command {
	f := &signFlags{Rewriting: cli.Rewriting{Globals: g}}
	f.parsers.New = func() any { return new(message.Parser) }
	c := &cobra.Command{
		Use:   "sign --key-file FILE [FILE|DIR|-]...",
		Short: "Sign messages with a shared secret or a private key",
		Long: `Sign adds a signature (section 10.2) to each message, over the canonical form (RFC 8785)
of all other members: an HMAC-SHA-256 with a shared secret, or an Ed25519 signature with
a private key, which receivers cannot forge. If the key has an id, signatureKeyId
contains it.

A message is rejected, with exit code 1, if it fails the schema, if it is already signed
(--force overrides both), if it contains a number that the canonical form would change,
because a signature would not protect that number, or if it is in the format of another
system: only canonical messages have a signature.`,
		Example: `  handoff keygen --key-id team-1 -o team.key
  producer | handoff sign --key-file team.key > signed.jsonl
  handoff keygen --type ed25519 -o agent.key
  handoff sign --key-file agent.key message.json
  handoff sign -i --key-file team.key fixtures/`,
		RunE: func(c *cobra.Command, args []string) error {
			if err := input.OneStdin(args, f.keys.Files...); err != nil {
				return err
			}
			keys, err := f.keys.Load(g, c)
			if err != nil {
				return err
			}
			key, err := cli.ChooseSigner(keys, f.keyID)
			if err == nil {
				err = key.MaySign()
			}
			if err != nil {
				return err
			}
			validator := validate.New(validate.Options{Layers: []finding.Layer{finding.Schema}})
			f.Rewrite = func(dst []byte, d input.Document, _ func(any)) ([]byte, error) {
				return f.sign(c.Context(), dst, d, key, validator)
			}
			return f.Run(c, args)
		},
	}
	f.keys.Register(c)
	c.Flags().StringVar(&f.keyID, "key-id", "", "`ID` of the signing key; for a key without an ID, the ID to use")
	c.Flags().BoolVar(&f.force, "force", false, "replace signatures, and sign messages that fail the schema")
	f.RegisterOutput(c)
	f.RegisterInPlace(c)
	f.Layout.Register(c)
	return c
}

// otherFormat describes a document in the format of another system, which has no signature; "" for others.
func otherFormat(root jsonstream.Value) string {
	f, ok := formats.Detect(root)
	if !ok || f == format.EAAPL {
		return ""
	}
	return fmt.Sprintf("found the format %s (%s), which has no signature: convert it with handoff convert --format-out eaapl, and sign the result", f, formats.Named(f).Kind)
}

// sign appends the signed message.
func (f *signFlags) sign(ctx context.Context, dst []byte, d input.Document, key sign.Key, validator *validate.Validator) ([]byte, error) {
	parser := f.parsers.Get().(*message.Parser)
	defer f.parsers.Put(parser)
	m, err := parser.Parse(d.Raw, message.Options{Limits: f.Limits})
	if err != nil {
		return nil, input.InFile(d.Source.Name, err)
	}
	if other := otherFormat(m.Root()); other != "" {
		return nil, cli.Reject(fmt.Errorf("%s: not signed: %s", d.Origin(), other))
	}
	if !f.force {
		r, err := validator.Validate(ctx, m)
		if err != nil {
			return nil, err
		}
		if !r.Valid {
			return nil, cli.RejectInvalid(d, r, "signed", "fix it, or use --force")
		}
	}
	text, err := sign.Sign(m, key, f.force)
	if errors.Is(err, sign.ErrSigned) {
		at := m.Root().Get(sign.Member).NamePosition()
		return nil, cli.Reject(fmt.Errorf("%s:%d:%d: %w: --force replaces it", d.Source.Name, at.Line, at.Column, err))
	}
	if err != nil {
		return nil, cli.Reject(input.InFile(d.Source.Name, err))
	}
	return f.Append(dst, text)
}
