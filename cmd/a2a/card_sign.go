package a2a

import (
	"errors"
	"fmt"
	"net/url"
	"slices"

	"github.com/spf13/cobra"

	"github.com/eaapl/handoff/internal/agentcard"
	"github.com/eaapl/handoff/internal/cli"
	"github.com/eaapl/handoff/internal/input"
	"github.com/eaapl/handoff/internal/term"
	"github.com/eaapl/handoff/pkg/finding"
	"github.com/eaapl/handoff/pkg/sign"
)

// cardSignFlags are the flags of a2a card sign.
type cardSignFlags struct {
	cli.Rewriting
	keys  cli.KeyFlags
	keyID string
	force bool
	sign  agentcard.SignOptions
}

func newCardSign(g *cli.Globals) *cobra.Command {
	f := &cardSignFlags{Rewriting: cli.Rewriting{Globals: g}}
	c := &cobra.Command{
		Use:   "sign --key-file FILE [FILE|DIR|-]...",
		Short: "Sign AgentCards with a P-256 (ES256) or Ed25519 (EdDSA) key",
		Long: `Sign adds a signature (A2A 1.0, section 8.4) to each AgentCard: a JSON Web Signature
(RFC 7515) over the canonical form (RFC 8785) of the card, without its signatures and,
as the specification requires, without default values. All other bytes of the card stay
the same, including the signatures of other keys.

A card is rejected, with exit code 1, if "handoff a2a card check" finds an error in it,
if the key has already signed it (--force overrides both, and replaces the signature),
or if it contains a number that the canonical form would change, because a signature
would not protect that number.`,
		Example: `  handoff keygen --type p256 --key-id card-2026 -o card.key
  handoff a2a card sign --key-file card.key card.json
  handoff a2a card sign -i --key-file card.key --jku https://example.com/.well-known/jwks.json card.json`,
		RunE: func(c *cobra.Command, args []string) error { return f.run(c, args) },
	}
	f.keys.RegisterPairs(c)
	flags := c.Flags()
	flags.StringVar(&f.keyID, "key-id", "", "`ID` of the signing key; for a key without an ID, the ID to use")
	flags.StringVar(&f.sign.KeySet, "jku", "", "`URL` of the JWK Set with the public key, to add to the signature")
	flags.BoolVar(&f.force, "force", false, "replace signatures of the same key, and sign cards with errors")
	f.RegisterOutput(c)
	f.RegisterInPlace(c)
	return c
}

func (f *cardSignFlags) run(c *cobra.Command, args []string) error {
	if err := input.OneStdin(args, f.keys.Files...); err != nil {
		return err
	}
	if u, err := url.Parse(f.sign.KeySet); f.sign.KeySet != "" && (err != nil || u.Scheme != "https" || u.Host == "") {
		return fmt.Errorf("--jku %q: is not an HTTPS URL: write an absolute URL that begins with https://", f.sign.KeySet)
	}
	keys, err := f.keys.Load(f.Globals, c)
	if err != nil {
		return err
	}
	if len(keys) == 0 {
		return cli.ErrNoPair
	}
	key, err := cli.ChooseSigner(keys, f.keyID)
	if err == nil {
		err = key.MaySign()
	}
	if err != nil {
		return err
	}
	warnOfNames(c, key)
	f.sign.Replace = f.force
	f.Rewrite = func(dst []byte, d input.Document, _ func(any)) ([]byte, error) { return f.append(dst, d, key) }
	return f.Run(c, args)
}

// append appends the signed card.
func (f *cardSignFlags) append(dst []byte, d input.Document, key sign.Key) ([]byte, error) {
	doc, err := d.Parse(f.Limits)
	if err != nil {
		return nil, err
	}
	if !f.force {
		found := agentcard.Check(doc)
		if i := slices.IndexFunc(found, func(one finding.Finding) bool { return one.Severity == finding.Error }); i >= 0 {
			return nil, cli.Reject(fmt.Errorf("%s:%d:%d: not signed, because the card has an error: %s; fix it, or use --force",
				d.Source.Name, found[i].Line, found[i].Column, found[i].PlacedMessage()))
		}
	}
	text, err := agentcard.Sign(doc, key, f.sign)
	if errors.Is(err, agentcard.ErrSigned) {
		err = fmt.Errorf("%w: --force replaces it", err)
	}
	if err != nil {
		return nil, cli.Reject(input.InFile(term.Visible(d.Source.Name), err))
	}
	return append(dst, text...), nil
}

// warnOfNames warns of keys whose IDs other programs may not find.
func warnOfNames(c *cobra.Command, keys ...sign.Key) {
	for _, k := range keys {
		if text := agentcard.NameWarning(k); text != "" {
			term.Warn(c.ErrOrStderr(), text)
		}
	}
}
