package sign

import (
	"crypto/ed25519"
	"encoding/base64"
	"errors"
	"fmt"
	"slices"

	"github.com/go-jose/go-jose/v4"

	"github.com/eaapl/handoff/pkg/jsonstream"
)

// JWK returns the key as a JSON Web Key: of type oct for HS256 (RFC 7517), or of type OKP
// for EdDSA (RFC 8037). It is the one text that holds what is secret in the key; [Key.Public]
// leaves that out.
func (k Key) JWK() ([]byte, error) {
	jwk := jose.JSONWebKey{Key: k.secret, KeyID: k.ID, Algorithm: string(jose.HS256)}
	switch {
	case k.private != nil:
		jwk.Key, jwk.Algorithm = k.private, string(jose.EdDSA)
	case k.public != nil:
		jwk.Key, jwk.Algorithm = k.public, string(jose.EdDSA)
	}
	return jwk.MarshalJSON()
}

// parseJWKs reads a JSON Web Key or a JWK Set.
func parseJWKs(text []byte) ([]Key, error) {
	doc, err := jsonstream.Parse(jsonstream.NewRaw(text), jsonstream.Limits{})
	if err != nil {
		return nil, errors.New("begins with { but is not one JSON object: a key file holds a JSON Web Key, a JWK Set or raw bytes")
	}
	root := doc.Root()
	if !root.Get("keys").Exists() {
		k, err := parseJWK(root)
		return []Key{k}, err
	}
	var keys []Key
	for i, v := range root.Get("keys").Elements() {
		k, err := parseJWK(v)
		if err != nil {
			return nil, fmt.Errorf("/keys/%d: %w", i, err)
		}
		keys = append(keys, k)
	}
	if len(keys) == 0 {
		return nil, errors.New("/keys: a JWK Set without a key: put at least one into it")
	}
	return keys, nil
}

// parseJWK reads one JSON Web Key, of which it knows the members of RFC 7517, section 4.
func parseJWK(v jsonstream.Value) (Key, error) {
	read, algorithms := parseOct, []string{string(jose.HS256)}
	switch kind := v.Get("kty"); {
	case kind.Text() == "oct":
	case kind.Text() == "OKP":
		read, algorithms = parseOKP, []string{string(jose.EdDSA), "Ed25519"} // RFC 8037, RFC 9864
	default:
		found := "none"
		if kind.Kind() == jsonstream.String {
			found = fmt.Sprintf("%.20q", kind.Text())
		}
		return Key{}, fmt.Errorf("kty: expected \"oct\", a shared secret, or \"OKP\", an Ed25519 key; found %s", found)
	}
	if alg := v.Get("alg"); alg.Exists() && !slices.Contains(algorithms, alg.Text()) {
		return Key{}, fmt.Errorf("alg: the key is for %.20q: of its type, only those for %s are used here", alg.Text(), algorithms[0])
	}
	if use := v.Get("use"); use.Exists() && use.Text() != "sig" {
		return Key{}, fmt.Errorf("use: the key is for %.20q: only keys for \"sig\" sign", use.Text())
	}
	ops, err := keyOps(v.Get("key_ops"))
	if err != nil {
		return Key{}, fmt.Errorf("key_ops: %w", err)
	}
	k, err := read(v)
	if err != nil {
		return Key{}, err
	}
	k.ops = ops
	return k, k.check()
}

// parseOct reads a shared secret (RFC 7518, section 6.4).
func parseOct(v jsonstream.Value) (Key, error) {
	var jwk jose.JSONWebKey
	if err := jwk.UnmarshalJSON(v.Raw()); err != nil {
		return Key{}, errors.New("k: not the secret in base64url without padding (RFC 7518, section 6.4)")
	}
	secret, ok := jwk.Key.([]byte)
	if !ok {
		return Key{}, errors.New("not a JSON Web Key of type oct")
	}
	return newKey(jwk.KeyID, secret), nil
}

// parseOKP reads an Ed25519 key (RFC 8037, section 2).
func parseOKP(v jsonstream.Value) (Key, error) {
	if curve := v.Get("crv"); curve.Text() != "Ed25519" {
		return Key{}, fmt.Errorf("crv: expected \"Ed25519\", found %.20q: keys of other curves are not used here", curve.Text())
	}
	id := v.Get("kid")
	if id.Exists() && id.Kind() != jsonstream.String {
		return Key{}, errors.New("kid: expected a string that names the key")
	}
	public, err := octets(v, "x")
	if err != nil {
		return Key{}, err
	}
	if !v.Get("d").Exists() {
		return newPublic(id.Text(), public)
	}
	seed, err := octets(v, "d")
	if err != nil {
		return Key{}, err
	}
	return newPrivate(id.Text(), seed, public)
}

// octets returns the 32 bytes of a member.
func octets(v jsonstream.Value, name string) ([]byte, error) {
	b, err := base64.RawURLEncoding.Strict().DecodeString(v.Get(name).Text())
	if err != nil || len(b) != ed25519.PublicKeySize {
		return nil, fmt.Errorf("%s: not 32 bytes in base64url without padding (RFC 8037, section 2)", name)
	}
	return b, nil
}

// keyOps reads the operations that a key is for (RFC 7517, section 4.3), nil for any.
func keyOps(v jsonstream.Value) ([]string, error) {
	if !v.Exists() {
		return nil, nil
	}
	malformed := errors.New(`expected an array of strings: write ["sign", "verify"]`)
	if v.Kind() != jsonstream.Array {
		return nil, malformed
	}
	ops := []string{}
	for _, op := range v.Elements() {
		if op.Kind() != jsonstream.String {
			return nil, malformed
		}
		if slices.Contains(ops, op.Text()) {
			return nil, errors.New("an operation is there twice: name each once")
		}
		ops = append(ops, op.Text())
	}
	if !slices.Contains(ops, opSign) && !slices.Contains(ops, opVerify) {
		return nil, errors.New(`the key is for neither "sign" nor "verify": use another key`)
	}
	return ops, nil
}
