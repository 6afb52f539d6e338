package sign

import (
	"crypto/ed25519"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	"github.com/eaapl/handoff/pkg/jsonstream"
)

// JWK returns the key as a JSON Web Key: of type oct for HS256 (RFC 7517), OKP for EdDSA (RFC 8037), or EC
// for ES256 (RFC 7518, section 6.2). The text includes the secret or private part; [Key.Public] leaves that
// out.
func (k Key) JWK() ([]byte, error) {
	var jwk struct {
		Type      string `json:"kty"`
		ID        string `json:"kid,omitempty"`
		Curve     string `json:"crv,omitempty"`
		Algorithm string `json:"alg"`
		Secret    string `json:"k,omitempty"`
		X         string `json:"x,omitempty"`
		Y         string `json:"y,omitempty"`
		Private   string `json:"d,omitempty"`
	}
	jwk.ID = k.ID
	switch {
	case k.public != nil:
		jwk.Type, jwk.Curve, jwk.Algorithm = "OKP", "Ed25519", algEdDSA
		jwk.X = base64.RawURLEncoding.EncodeToString(k.public)
		if k.private != nil {
			jwk.Private = base64.RawURLEncoding.EncodeToString(k.private.Seed())
		}
	case k.p256 != nil:
		jwk.Type, jwk.Curve, jwk.Algorithm = "EC", "P-256", algES256
		jwk.X, jwk.Y = k.p256.coordinates()
		if k.p256.private != nil {
			scalar, err := k.p256.private.Bytes()
			if err != nil {
				return nil, err
			}
			jwk.Private = base64.RawURLEncoding.EncodeToString(scalar)
		}
	default:
		jwk.Type, jwk.Algorithm = "oct", algHS256
		jwk.Secret = base64.RawURLEncoding.EncodeToString(k.secret)
	}
	return json.Marshal(jwk)
}

// A keyType describes how [parseJWK] reads one type of JSON Web Key.
type keyType struct {
	name       string
	read       func(jsonstream.Value) (Key, error)
	algorithms []string // allowed values of alg, the usual one first
}

// keyTypes returns the types of keys that sign messages or, with jws, the types of key pairs.
func keyTypes(jws bool) []keyType {
	okp := keyType{"OKP", parseOKP, []string{algEdDSA, NewEdDSA}} // RFC 8037, RFC 9864
	if jws {
		return []keyType{okp, {"EC", parseEC, []string{algES256}}}
	}
	return []keyType{okp, {"oct", parseOct, []string{algHS256}}}
}

// parseJWKs reads a JSON Web Key or a JWK Set. With jws, it skips the keys of a set that [Key.SignJWS] cannot
// use: a published set may hold any keys (RFC 7517, section 5).
func parseJWKs(text []byte, jws bool) ([]Key, error) {
	doc, err := jsonstream.Parse(jsonstream.NewRaw(text), jsonstream.Limits{})
	if err != nil {
		return nil, errors.New("begins with { but is not one JSON object: a key file is a JSON Web Key, a JWK Set or raw bytes")
	}
	root := doc.Root()
	if !root.Get("keys").Exists() {
		k, err := parseJWK(root, jws)
		return []Key{k}, err
	}
	var keys []Key
	for i, v := range root.Get("keys").Elements() {
		if jws && !isForJWS(v) {
			continue
		}
		k, err := parseJWK(v, jws)
		if err != nil {
			return nil, fmt.Errorf("/keys/%d: %w", i, err)
		}
		keys = append(keys, k)
	}
	if len(keys) == 0 && root.Get("keys").Len() > 0 {
		return nil, errors.New("/keys: a JWK Set without a key for ES256 (P-256) or EdDSA (Ed25519): keys of other types and uses are ignored")
	}
	if len(keys) == 0 {
		return nil, errors.New("/keys: a JWK Set without a key: put at least one into it")
	}
	return keys, nil
}

// parseJWK reads one JSON Web Key. It knows the members of RFC 7517, section 4.
func parseJWK(v jsonstream.Value, jws bool) (Key, error) {
	types, kind := keyTypes(jws), v.Get("kty")
	i := slices.IndexFunc(types, func(t keyType) bool { return t.name == kind.Text() })
	if i < 0 {
		found := "none"
		if kind.Kind() == jsonstream.String {
			found = fmt.Sprintf("%.20q", kind.Text())
		}
		expected := `"oct", a shared secret, or "OKP", an Ed25519 key`
		if jws {
			expected = `"OKP", an Ed25519 key, or "EC", a P-256 key`
		}
		return Key{}, fmt.Errorf("kty: expected %s; found %s", expected, found)
	}
	if alg := v.Get("alg"); alg.Exists() && !slices.Contains(types[i].algorithms, alg.Text()) {
		return Key{}, fmt.Errorf("alg: the key is for %.20q: use a key of this type for %s", alg.Text(), types[i].algorithms[0])
	}
	if use := v.Get("use"); use.Exists() && use.Text() != "sig" {
		return Key{}, fmt.Errorf("use: the key is for %.20q: use a key for \"sig\"", use.Text())
	}
	ops, err := keyOps(v.Get("key_ops"))
	if err != nil {
		return Key{}, fmt.Errorf("key_ops: %w", err)
	}
	k, err := types[i].read(v)
	if err != nil {
		return Key{}, err
	}
	k.ops, k.alg = ops, v.Get("alg").Text()
	if jws {
		return k, nil // of a key pair, checked by its parser
	}
	return k, k.check()
}

// parseOct reads a shared secret (RFC 7518, section 6.4).
func parseOct(v jsonstream.Value) (Key, error) {
	id, err := keyID(v)
	if err != nil {
		return Key{}, err
	}
	secret, err := base64.RawURLEncoding.DecodeString(v.Get("k").Text())
	if err != nil || v.Get("k").Kind() != jsonstream.String {
		return Key{}, errors.New("k: not the secret in base64url without padding (RFC 7518, section 6.4)")
	}
	return newKey(id, secret), nil
}

// parseOKP reads an Ed25519 key (RFC 8037, section 2).
func parseOKP(v jsonstream.Value) (Key, error) {
	if curve := v.Get("crv"); curve.Text() != "Ed25519" {
		return Key{}, fmt.Errorf("crv: expected \"Ed25519\", found %.20q: other curves are not supported", curve.Text())
	}
	id, err := keyID(v)
	if err != nil {
		return Key{}, err
	}
	public, err := octets(v, "x", "RFC 8037, section 2")
	if err != nil {
		return Key{}, err
	}
	if !v.Get("d").Exists() {
		return newPublic(id, public)
	}
	seed, err := octets(v, "d", "RFC 8037, section 2")
	if err != nil {
		return Key{}, err
	}
	return newPrivate(id, seed, public)
}

// keyID returns the kid of a JSON Web Key, "" if it has none.
func keyID(v jsonstream.Value) (string, error) {
	id := v.Get("kid")
	if id.Exists() && id.Kind() != jsonstream.String {
		return "", errors.New("kid: expected a string that names the key")
	}
	return id.Text(), nil
}

// octets returns the 32 bytes of a member, which section specifies.
func octets(v jsonstream.Value, name, section string) ([]byte, error) {
	b, err := base64.RawURLEncoding.Strict().DecodeString(v.Get(name).Text())
	if err != nil || len(b) != ed25519.PublicKeySize {
		return nil, fmt.Errorf("%s: not 32 bytes in base64url without padding (%s)", name, section)
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
			return nil, errors.New("an operation is listed twice: list each once")
		}
		ops = append(ops, op.Text())
	}
	if !slices.Contains(ops, opSign) && !slices.Contains(ops, opVerify) {
		return nil, errors.New(`the key is for neither "sign" nor "verify": use another key`)
	}
	return ops, nil
}
