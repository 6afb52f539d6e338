package cmd

import (
	"errors"
	"fmt"
	"io/fs"
	"os"

	"github.com/spf13/cobra"

	"github.com/eaapl/handoff/cmd/internal/cli"
	"github.com/eaapl/handoff/cmd/internal/output"
	"github.com/eaapl/handoff/pkg/sign"
)

func newKeygen(g *cli.Globals) *cobra.Command {
	var id, output string
	c := &cobra.Command{
		Use:   "keygen [--key-id ID] [-o FILE]",
		Short: "Make a key for signing",
		Long: `Keygen makes a key of 256 random bits and writes it as a JSON Web Key (RFC 7517).
With -o the file can be read by its owner alone, and a file that is there already
is never overwritten.`,
		Example: `  handoff keygen --key-id team-1 -o team.key`,
		Args:    cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			text, err := sign.NewKey(id).JWK()
			if err != nil {
				return fmt.Errorf("encoding the key: %w", err)
			}
			text = append(text, '\n')
			if output == "" || output == "-" {
				return g.WriteData("", c.OutOrStdout(), text)
			}
			return writeKey(g, output, text)
		},
	}
	c.Flags().StringVar(&id, "key-id", "", "the `ID` that messages will name the key by")
	c.Flags().StringVarP(&output, "output", "o", "", "write the key to `FILE`, which must not be there yet")
	return c
}

// writeKey writes a file that only its owner can read, at no moment otherwise.
func writeKey(g *cli.Globals, path string, text []byte) error {
	f, err := g.BeginFile(path, 0o600)
	if errors.Is(err, fs.ErrExist) {
		return fmt.Errorf("%s: there is a file already, and a key is never overwritten: choose another name", path)
	}
	if err != nil {
		return output.Error(path, err)
	}
	defer g.Finished(path)
	_, err = f.Write(text)
	if err == nil {
		err = f.Sync()
	}
	if err = errors.Join(err, f.Close()); err != nil {
		os.Remove(path) // half a key is none
		return output.Error(path, err)
	}
	return nil
}
