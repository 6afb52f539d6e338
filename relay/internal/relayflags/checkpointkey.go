package relayflags

import (
	"crypto/ed25519"
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/eaapl/handoff/internal/cli"
	"github.com/eaapl/handoff/internal/term"
	"github.com/eaapl/handoff/pkg/merkle"
	"github.com/eaapl/handoff/pkg/sign"
)

// CheckpointKey reads the private key for signing checkpoints of an audit log.
func CheckpointKey(g *cli.Globals, c *cobra.Command, file string) (ed25519.PrivateKey, error) {
	keys, err := new(cli.KeyFlags).LoadFiles(g, c, []string{file})
	if err != nil {
		return nil, err
	}
	var signer ed25519.PrivateKey
	for _, k := range keys {
		_, private := k.Ed25519()
		switch {
		case k.Algorithm() != sign.Ed25519:
			return nil, fmt.Errorf("%s: checkpoints are signed with Ed25519, but this is a secret for HMAC: handoff keygen --type ed25519 creates a key", cli.ShownSetting(file))
		case private == nil:
			return nil, fmt.Errorf("%s: a public key cannot sign: name the private key", cli.ShownSetting(file))
		case signer != nil:
			return nil, fmt.Errorf("%s: the file has more than one key, but a checkpoint is signed by one", cli.ShownSetting(file))
		}
		signer = private
	}
	return signer, nil
}

// CheckpointVerifiers reads the public keys for verifying checkpoints. For a private key it uses the public
// half.
func CheckpointVerifiers(g *cli.Globals, c *cobra.Command, files []string) ([]ed25519.PublicKey, error) {
	if len(files) == 0 {
		return nil, term.WithHint(errors.New("no key: name the public key of the checkpoints with --key-file"), "without it, the author of the checkpoints is not known")
	}
	var all []ed25519.PublicKey
	for _, file := range files {
		text, _, err := cli.ReadKeyFile(g, c, file)
		if err != nil {
			return nil, err
		}
		if _, public, err := merkle.ParseVerifierKey(strings.TrimSpace(string(text))); err == nil {
			all = append(all, public)
			continue
		}
		keys, err := sign.ParseKeys(text)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", cli.ShownSetting(file), err)
		}
		for _, k := range keys {
			public, _ := k.Ed25519()
			if public == nil {
				return nil, fmt.Errorf("%s: checkpoints are verified with Ed25519, but this is a secret for HMAC", cli.ShownSetting(file))
			}
			all = append(all, public)
		}
	}
	return all, nil
}
