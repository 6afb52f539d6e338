package cli

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"runtime"
	"slices"

	"github.com/spf13/cobra"

	"github.com/eaapl/handoff/internal/input"
	"github.com/eaapl/handoff/internal/term"
	"github.com/eaapl/handoff/pkg/jsonstream"
	"github.com/eaapl/handoff/pkg/message"
	"github.com/eaapl/handoff/pkg/sign"
)

// KeyFlags name the files with keys. Keys are never arguments, because other users of the machine can read
// arguments.
type KeyFlags struct {
	Files []string
	pairs bool       // for a JWS: key pairs and public keys, including P-256
	keys  []sign.Key // the keys that Load has read
}

func (f *KeyFlags) Register(c *cobra.Command) {
	c.Flags().StringArrayVar(&f.Files, "key-file", nil, "key `FILE`: a secret as raw bytes, a JSON Web Key or JWK Set, or Ed25519 keys in PEM or OpenSSH format; may be repeated (or HANDOFF_KEY: the key itself)")
}

// RegisterPairs is like Register, but for the keys of a JWS, in the forms of [sign.ParseJWSKeys].
func (f *KeyFlags) RegisterPairs(c *cobra.Command) {
	f.pairs = true
	c.Flags().StringArrayVar(&f.Files, "key-file", nil, "key `FILE`: P-256 (ES256) and Ed25519 (EdDSA) keys, as a JSON Web Key, a JWK Set or PEM; may be repeated (or HANDOFF_KEY: the key itself)")
}

// KeyVariable is the environment variable that contains a key.
const KeyVariable = "HANDOFF_KEY"

// Load returns the keys of the files on the command line, or else the one in the environment, or else the
// keys of the configured files, or none. It warns of unsafe keys. Each file is read only once: it may be a
// pipe.
func (f *KeyFlags) Load(g *Globals, c *cobra.Command) (keys []sign.Key, err error) {
	if f.keys != nil {
		return f.keys, nil
	}
	text, ok := os.LookupEnv(KeyVariable)
	if ok && !c.Flags().Changed("key-file") {
		keys, err = f.parse(c.ErrOrStderr(), KeyVariable, []byte(text))
	} else {
		keys, err = f.LoadFiles(g, c, f.Files)
	}
	f.keys = slices.Clip(keys) // an append by the caller must copy them
	return f.keys, err
}

// ErrNoKey reports that a command needs a key, ErrNoKeyOfSender that it needs one to verify with, and ErrNoPair
// that it needs a key pair.
var (
	ErrNoKey         = errNoKey("handoff keygen -o FILE makes a key")
	ErrNoKeyOfSender = errNoKey("it is the key of the sender: its public key, or the secret that it shares with this receiver")
	ErrNoPair        = errNoKey("handoff keygen --type p256 -o FILE makes a key pair")
)

func errNoKey(advice string) error {
	return term.WithHint(errors.New("no key: name a key file with --key-file, or set HANDOFF_KEY_FILE or "+KeyVariable), advice)
}

// ChooseSigner returns the key for signing: the one with the ID, or the only one if id is "". The error is
// [ErrNoKey] if there are no keys, or asks for an ID.
func ChooseSigner(keys []sign.Key, id string) (sign.Key, error) {
	if slices.ContainsFunc(keys, func(k sign.Key) bool { return !k.IsPublic() }) {
		keys = slices.DeleteFunc(keys, sign.Key.IsPublic)
	}
	switch {
	case len(keys) == 0:
		return sign.Key{}, ErrNoKey
	case id == "" && len(keys) > 1:
		return sign.Key{}, fmt.Errorf("found %d keys: select the signing key with --key-id", len(keys))
	case id == "":
		return keys[0], nil
	}
	for _, k := range keys {
		if k.ID == id {
			return k, nil
		}
	}
	if len(keys) == 1 && !keys[0].IsNamed() {
		return keys[0].WithID(id), nil
	}
	return sign.Key{}, fmt.Errorf("--key-id %q: no key has this ID", id)
}

// OptionalSigner is [ChooseSigner], but returns nil if no key can sign.
func OptionalSigner(keys []sign.Key, id string) (*sign.Key, error) {
	keys = slices.DeleteFunc(slices.Clone(keys), func(k sign.Key) bool { return k.MaySign() != nil })
	if len(keys) == 0 && id == "" {
		return nil, nil
	}
	key, err := ChooseSigner(keys, id)
	return &key, err
}

// LoadSigner returns the signing key in a file, nil if file is "".
func LoadSigner(g *Globals, c *cobra.Command, flag, file string) (*sign.Key, error) {
	if file == "" {
		return nil, nil
	}
	keys, err := (&KeyFlags{}).LoadFiles(g, c, []string{file})
	if err != nil {
		return nil, fmt.Errorf("%s: %w", flag, err)
	}
	switch {
	case len(keys) != 1:
		return nil, fmt.Errorf("%s: %s has %d keys: name a file with one", flag, ShownSetting(file), len(keys))
	case keys[0].MaySign() != nil:
		return nil, fmt.Errorf("%s: %w", flag, keys[0].MaySign())
	}
	return &keys[0], nil
}

// LoadFiles reads key files.
func (f *KeyFlags) LoadFiles(g *Globals, c *cobra.Command, files []string) ([]sign.Key, error) {
	var all []sign.Key
	for _, file := range files {
		text, exposed, err := ReadKeyFile(g, c, file)
		if err != nil {
			return nil, err
		}
		keys, err := f.parse(c.ErrOrStderr(), file, text)
		if err != nil {
			return nil, err
		}
		if exposed != "" && !slices.ContainsFunc(keys, func(k sign.Key) bool { return !k.IsPublic() }) {
			exposed = "" // public keys need no protection
		}
		warnOf(c.ErrOrStderr(), exposed)
		all = append(all, keys...)
	}
	return all, nil
}

// LoadSecret reads a secret from a file, without a line end after it.
func LoadSecret(g *Globals, c *cobra.Command, file string) ([]byte, error) {
	text, exposed, err := ReadKeyFile(g, c, file)
	warnOf(c.ErrOrStderr(), exposed)
	return bytes.TrimRight(text, "\r\n"), err
}

// warnOf prints a warning, unless it is "".
func warnOf(stderr io.Writer, warning string) {
	if warning != "" {
		term.Warn(stderr, warning)
	}
}

// ReadKeyFile returns the content of a file with a key or a secret, and a warning if other users can read the
// file and should not.
func ReadKeyFile(g *Globals, c *cobra.Command, file string) (text []byte, exposed string, err error) {
	s, err := g.File(file, c.InOrStdin())
	if err != nil {
		return nil, "", err
	}
	text, exposed, err = readKey(s)
	if err != nil {
		return nil, "", fmt.Errorf("%s: %w", ShownSetting(file), err) // file may be a key, set by mistake
	}
	return text, exposed, nil
}

// keyBound allows thousands of keys.
var keyBound = input.ByteBound{Bytes: 1 << 20, Remedy: "not a key file"}

// readKey returns the content of a key file without decompressing it: raw key bytes can look compressed.
func readKey(s input.Source) (text []byte, exposed string, err error) {
	in, closeFile, err := s.Raw()
	if err != nil {
		return nil, "", err
	}
	defer closeFile() // read only: nothing can be lost
	if f, ok := in.(*os.File); ok && s.Path != "" {
		info, err := f.Stat()
		if err != nil {
			return nil, "", term.PlainError(err)
		}
		if mode := info.Mode(); mode.IsRegular() && mode.Perm()&0o044 != 0 && runtime.GOOS != "windows" {
			exposed = fmt.Sprintf("%s: other users can read this key (mode %04o): chmod 600 keeps it to its owner", s.Name, mode.Perm())
		}
	}
	text, err = keyBound.ReadAll(in)
	return text, exposed, err
}

// parse parses the keys of a text and warns of weak ones. origin names the text in errors.
func (f *KeyFlags) parse(stderr io.Writer, origin string, text []byte) ([]sign.Key, error) {
	parse := sign.ParseKeys
	if f.pairs {
		parse = sign.ParseJWSKeys
	}
	keys, err := parse(text)
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

// SignAgain signs the text of a changed message.
func SignAgain(text []byte, key sign.Key) ([]byte, error) {
	m, err := message.ParseInPlace(jsonstream.NewRaw(text), message.Options{Limits: jsonstream.Unlimited()})
	if err != nil {
		return nil, err
	}
	return sign.Sign(m, key, false)
}
