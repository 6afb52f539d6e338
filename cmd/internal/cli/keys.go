package cli

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"runtime"

	"github.com/spf13/cobra"

	"github.com/eaapl/handoff/cmd/internal/input"
	"github.com/eaapl/handoff/cmd/internal/term"
	"github.com/eaapl/handoff/pkg/sign"
)

// KeyFlags say where keys come from. Keys are never arguments: other users of
// the machine can read those.
type KeyFlags struct{ Files []string }

func (f *KeyFlags) Register(c *cobra.Command) {
	c.Flags().StringArrayVar(&f.Files, "key-file", nil, "key `FILE`: raw bytes, a JSON Web Key or a JWK Set; may be repeated (or HANDOFF_KEY: the key itself)")
}

// keyVariable is the environment variable that holds a key itself.
const keyVariable = "HANDOFF_KEY"

// Load returns the keys of the files that were named on the command line, or
// else the one in the environment, or else those of the configured files; none
// if there are none. It warns of keys that are not safe.
func (f *KeyFlags) Load(g *Globals, c *cobra.Command) ([]sign.Key, error) {
	text, ok := os.LookupEnv(keyVariable)
	if ok && !c.Flags().Changed("key-file") {
		return parseKeys(c.ErrOrStderr(), keyVariable, []byte(text))
	}
	return loadKeys(g, c, f.Files)
}

var ErrNoKey = term.WithHint(errors.New("no key: name a key file with --key-file, or set HANDOFF_KEY_FILE or "+keyVariable), "handoff keygen -o FILE makes a key")

// loadKeys reads key files.
func loadKeys(g *Globals, c *cobra.Command, files []string) ([]sign.Key, error) {
	var all []sign.Key
	for _, file := range files {
		text, err := readKeyFile(g, c, file)
		if err != nil {
			return nil, err
		}
		keys, err := parseKeys(c.ErrOrStderr(), file, text)
		if err != nil {
			return nil, err
		}
		all = append(all, keys...)
	}
	return all, nil
}

// LoadSecret reads a secret: the bytes of a file, without a line end after them.
func LoadSecret(g *Globals, c *cobra.Command, file string) ([]byte, error) {
	text, err := readKeyFile(g, c, file)
	return bytes.TrimRight(text, "\r\n"), err
}

// readKeyFile returns the bytes of a file with a key or a secret.
func readKeyFile(g *Globals, c *cobra.Command, file string) ([]byte, error) {
	s, err := g.File(file, c.InOrStdin())
	if err != nil {
		return nil, err
	}
	text, err := readKey(s, c.ErrOrStderr())
	if err != nil {
		return nil, fmt.Errorf("%s: %w", ShownSetting(file), err) // it may be the key itself, set by mistake
	}
	return text, nil
}

// keyBound has room for thousands of keys.
var keyBound = input.ByteBound{Bytes: 1 << 20, Remedy: "not a key file"}

// readKey returns the bytes of a key file as they are: raw bytes can look
// compressed.
func readKey(s input.Source, stderr io.Writer) ([]byte, error) {
	in, closeFile, err := s.Raw()
	if err != nil {
		return nil, err
	}
	defer closeFile() // read only: nothing can be lost
	if f, ok := in.(*os.File); ok && s.Path != "" {
		info, err := f.Stat()
		if err != nil {
			return nil, term.PlainError(err)
		}
		if mode := info.Mode(); mode.IsRegular() && mode.Perm()&0o044 != 0 && runtime.GOOS != "windows" {
			term.Warn(stderr, fmt.Sprintf("%s: other users can read this key (mode %04o): chmod 600 keeps it to its owner", s.Name, mode.Perm()))
		}
	}
	return keyBound.ReadAll(in)
}

// parseKeys reads the keys of a text that comes from origin, and warns of weak ones.
func parseKeys(stderr io.Writer, origin string, text []byte) ([]sign.Key, error) {
	keys, err := sign.ParseKeys(text)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", origin, err)
	}
	for _, k := range keys {
		if weakness := k.Weakness(); weakness != "" {
			term.Warn(stderr, origin+": "+weakness+"; handoff keygen makes a better one")
		}
	}
	return keys, nil
}
