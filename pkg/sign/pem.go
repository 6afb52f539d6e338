package sign

import (
	"bytes"
	"crypto/ecdsa"
	"crypto/ed25519"
	"crypto/x509"
	"encoding/pem"
	"errors"
	"fmt"
	"regexp"
	"strings"

	"golang.org/x/crypto/ssh"
)

// errDamaged is the error for a key that cannot be read as its declared type.
var errDamaged = errors.New("damaged, or of a type other than declared: copy it again from its source")

// parsePEM reads every key of a PEM file (RFC 7468): unencrypted private keys in PKCS #8 or
// OpenSSH format, and public keys as SubjectPublicKeyInfo. label is the label of the first
// block. With jws, it also accepts P-256 keys, and private ones in SEC 1 format.
func parsePEM(text, label []byte, jws bool) ([]Key, error) {
	var keys []Key
	blocks := 0
	for rest := text; ; blocks++ {
		var block *pem.Block
		if block, rest = pem.Decode(rest); block == nil {
			break
		}
		if jws && block.Type == "EC PARAMETERS" { // written by openssl ecparam before the key
			continue
		}
		k, err := parseBlock(block, jws)
		if err != nil {
			return nil, err
		}
		keys = append(keys, k)
	}
	// Package pem skips quoted and truncated blocks.
	if blocks == 0 {
		return nil, errors.New(armored(label) + needed)
	}
	if begun := bytes.Count(text, []byte("-----BEGIN ")); begun != blocks {
		return nil, fmt.Errorf("%d keys (PEM) begin in it, but only %d can be read: %w", begun, blocks, errDamaged)
	}
	return keys, nil
}

// parseBlock reads one key.
func parseBlock(block *pem.Block, jws bool) (Key, error) {
	name := armored([]byte(block.Type))
	switch {
	case block.Type == "ENCRYPTED PRIVATE KEY" || block.Headers["DEK-Info"] != "":
		return Key{}, errors.New("an encrypted private key (PEM): there is no passphrase prompt; decrypt it with openssl pkey -in FILE -out OTHER, under umask 077")
	case block.Type == "PRIVATE KEY":
		key, err := x509.ParsePKCS8PrivateKey(block.Bytes)
		if err != nil {
			return Key{}, fmt.Errorf("%s: %w", name, errDamaged)
		}
		if private, ok := key.(*ecdsa.PrivateKey); ok && jws {
			return newP256("", &private.PublicKey, private)
		}
		private, ok := key.(ed25519.PrivateKey)
		if !ok {
			return Key{}, otherKind(name, fmt.Sprintf("%T", key))
		}
		return newPrivate("", private.Seed(), private[ed25519.SeedSize:])
	case block.Type == "EC PRIVATE KEY" && jws:
		private, err := x509.ParseECPrivateKey(block.Bytes)
		if err != nil {
			return Key{}, fmt.Errorf("%s: %w", name, errDamaged)
		}
		return newP256("", &private.PublicKey, private)
	case block.Type == "PUBLIC KEY":
		key, err := x509.ParsePKIXPublicKey(block.Bytes)
		if err != nil {
			return Key{}, fmt.Errorf("%s: %w", name, errDamaged)
		}
		if public, ok := key.(*ecdsa.PublicKey); ok && jws {
			return newP256("", public, nil)
		}
		public, ok := key.(ed25519.PublicKey)
		if !ok {
			return Key{}, otherKind(name, fmt.Sprintf("%T", key))
		}
		return newPublic("", public)
	case block.Type == "OPENSSH PRIVATE KEY":
		return parseOpenSSH(block)
	default:
		return Key{}, errors.New(name + needed)
	}
}

// otherKind is the error for a key of another algorithm, by its Go type: "*ecdsa.PublicKey".
func otherKind(name, goType string) error {
	algorithm, _, _ := strings.Cut(strings.TrimPrefix(goType, "*"), ".")
	return fmt.Errorf("%s for %s: only Ed25519 keys are supported", name, strings.ToUpper(algorithm))
}

// parseOpenSSH reads an OpenSSH private key (PROTOCOL.key).
func parseOpenSSH(block *pem.Block) (Key, error) {
	const name = "a private key (OpenSSH)"
	key, err := ssh.ParseRawPrivateKey(pem.EncodeToMemory(block))
	if missing := (*ssh.PassphraseMissingError)(nil); errors.As(err, &missing) {
		return Key{}, errors.New("an encrypted private key (OpenSSH): there is no passphrase prompt; decrypt a copy with ssh-keygen -p -N '' -f COPY")
	}
	if err != nil {
		return Key{}, fmt.Errorf("%s: %w", name, errDamaged)
	}
	private, ok := key.(*ed25519.PrivateKey)
	if !ok {
		return Key{}, otherKind(name, fmt.Sprintf("%T", key))
	}
	return newPrivate("", private.Seed(), (*private)[ed25519.SeedSize:])
}

// parseSSHLines reads OpenSSH public keys, one per line. Blank lines and comments are skipped.
func parseSSHLines(text []byte) ([]Key, error) {
	const name = "a public key (OpenSSH)"
	begins := regexp.MustCompile(`^(ssh|ecdsa|sk)-[a-z0-9@.-]+ `)
	var keys []Key
	n := 0
	for line := range bytes.Lines(text) {
		n++
		line = bytes.TrimSpace(line)
		if len(line) == 0 || line[0] == '#' {
			continue
		}
		if !begins.Match(line) {
			return nil, fmt.Errorf("line %d: expected %s, which begins with ssh-ed25519; remove the options before it", n, name)
		}
		key, _, _, _, err := ssh.ParseAuthorizedKey(line)
		if err != nil {
			return nil, fmt.Errorf("line %d: %s: %w", n, name, errDamaged)
		}
		public, ok := key.(ssh.CryptoPublicKey)
		if !ok || key.Type() != ssh.KeyAlgoED25519 {
			return nil, fmt.Errorf("line %d: %s of type %.60s: only ssh-ed25519 is supported", n, name, key.Type())
		}
		k, err := newPublic("", public.CryptoPublicKey().(ed25519.PublicKey))
		if err != nil {
			return nil, fmt.Errorf("line %d: %w", n, err)
		}
		keys = append(keys, k)
	}
	return keys, nil
}
