package check

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"github.com/eaapl/handoff/internal/cli"
	"github.com/eaapl/handoff/internal/output"
	"github.com/eaapl/handoff/pkg/sign"
)

func NewKeygen(g *cli.Globals) *cobra.Command {
	var kind, id, output string
	c := &cobra.Command{
		Use:   "keygen [--type hmac|ed25519|p256] [--key-id ID] [-o FILE]",
		Short: "Generate a signing key",
		Long: `Keygen generates a key and writes it as a JSON Web Key (RFC 7517). The default is 256
random bits, a secret that the sender shares with its receivers. With --type ed25519, it
is a private key of the sender (RFC 8037). The public key, for receivers, is written to
a second file: agent.pub for -o agent.key. Without --key-id, the id of a key pair is its
thumbprint (RFC 7638). With --type p256, it is an ES256 key pair, for A2A AgentCards
only (handoff a2a card sign).

With -o, only the owner can read the key file, and an existing file is never
overwritten.`,
		Example: `  handoff keygen --key-id team-1 -o team.key
  handoff keygen --type ed25519 --key-id planner-2026 -o planner.key
  handoff keygen --type p256 --key-id card-2026 -o card.key`,
		Args: cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			var key sign.Key
			switch kind {
			case "hmac":
				key = sign.NewKey(id)
			case "ed25519":
				key = sign.NewEd25519Key(id)
			case "p256":
				key = sign.NewP256Key(id)
			default:
				return fmt.Errorf("--type %q: use hmac, ed25519 or p256", kind)
			}
			text, err := lineOf(key)
			if err != nil {
				return err
			}
			if output == "" || output == "-" {
				return g.WriteData("", c.OutOrStdout(), text)
			}
			files := []keyFile{{output, 0o600, text}}
			if public, ok := key.Public(); ok {
				if text, err = lineOf(public); err != nil {
					return err
				}
				files = append(files, keyFile{strings.TrimSuffix(output, ".key") + ".pub", 0o644, text})
			}
			return writeKeys(g, files)
		},
	}
	c.Flags().StringVar(&kind, "type", "hmac", "key type: hmac (a shared secret), or a key pair: ed25519 or p256")
	c.Flags().StringVar(&id, "key-id", "", "`ID` of the key, for use in messages")
	c.Flags().StringVarP(&output, "output", "o", "", "write the key to `FILE`, which must not exist")
	cli.Complete(c, "type", "hmac", "ed25519", "p256")
	return c
}

// lineOf returns a key as a JSON Web Key in one line.
func lineOf(key sign.Key) ([]byte, error) {
	text, err := key.JWK()
	if err != nil {
		return nil, fmt.Errorf("encoding the key: %w", err)
	}
	return append(text, '\n'), nil
}

// A keyFile is a file to write.
type keyFile struct {
	path string
	mode fs.FileMode // from its creation on
	text []byte
}

// writeKeys writes all files or none.
func writeKeys(g *cli.Globals, files []keyFile) error {
	for i, k := range files {
		err := writeKey(g, k)
		defer g.Finished(k.path)
		if err != nil {
			for _, written := range files[:i] {
				os.Remove(written.path) // a private key without its public key is useless
			}
			return err
		}
	}
	return g.SyncName(files[0].path)
}

// writeKey writes a file, which is removed if the run ends before [output.Files.Finished].
func writeKey(g *cli.Globals, k keyFile) error {
	f, err := g.BeginFile(k.path, k.mode)
	if errors.Is(err, fs.ErrExist) {
		return fmt.Errorf("%s: already exists, and a key file is never overwritten: choose another name", k.path)
	}
	if err != nil {
		return output.Error(k.path, err)
	}
	_, err = f.Write(k.text)
	if err == nil {
		err = f.Sync()
	}
	if err = errors.Join(err, f.Close()); err != nil {
		os.Remove(k.path) // an incomplete key is useless
		return output.Error(k.path, err)
	}
	return nil
}
