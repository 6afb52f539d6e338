package edit

import (
	"errors"
	"sync"

	"github.com/spf13/cobra"

	"github.com/eaapl/handoff/internal/cli"
	"github.com/eaapl/handoff/internal/input"
	"github.com/eaapl/handoff/pkg/jsonstream"
	"github.com/eaapl/handoff/pkg/sign"
)

func NewCanonicalize(g *cli.Globals) *cobra.Command {
	f := cli.Rewriting{Globals: g}
	var options jsonstream.CanonicalOptions
	var unsigned bool
	parsers := sync.Pool{New: func() any { return new(jsonstream.Parser) }}
	c := &cobra.Command{
		Use:   "canonicalize [FILE|DIR|-]...",
		Short: "Print JSON in canonical form (RFC 8785)",
		Long: `Canonicalize prints the canonical form of any JSON, according to the JSON
Canonicalization Scheme (RFC 8785): no white space, sorted members, and uniform strings
and numbers. Signatures and hashes are computed over this form. Each document takes one
line; the line feed is not part of the canonical form.

All numbers become doubles: 9007199254740993 becomes 9007199254740992. With
--reject-inexact, such a document is rejected (exit code 1), as by sign and verify.`,
		Example: `  handoff canonicalize message.json
  handoff canonicalize --unsigned message.json | tr -d '\n' | openssl dgst -sha256 -hmac "$KEY"`,
		RunE: func(c *cobra.Command, args []string) error {
			if unsigned {
				options.Omit = sign.Member
			}
			f.Rewrite = func(dst []byte, d input.Document, _ func(any)) ([]byte, error) {
				parser := parsers.Get().(*jsonstream.Parser)
				defer parsers.Put(parser)
				doc, err := parser.Parse(d.Raw, f.Limits)
				if err != nil {
					return nil, input.InFile(d.Source.Name, err)
				}
				text, err := jsonstream.AppendCanonical(dst, doc.Root(), options)
				if err != nil {
					err = input.InFile(d.Source.Name, err)
				}
				if errors.Is(err, jsonstream.ErrInexact) {
					err = cli.Reject(err)
				}
				return text, err
			}
			return f.Run(c, args)
		},
	}
	c.Flags().BoolVar(&options.Exact, "reject-inexact", false, "reject numbers whose value would change")
	c.Flags().BoolVar(&unsigned, "unsigned", false, "omit the member signature, for the exact bytes that a signature covers")
	f.RegisterOutput(c)
	f.RegisterInPlace(c)
	return c
}
