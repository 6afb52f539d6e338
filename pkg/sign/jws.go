package sign

import (
	"crypto/ecdsa"
	"crypto/ed25519"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"errors"
	"math/big"

	"github.com/eaapl/handoff/pkg/jsonstream"
)

// A p256Key is a key pair of the curve P-256, or the public half of one.
type p256Key struct {
	public  *ecdsa.PublicKey
	private *ecdsa.PrivateKey // nil for a public key
}

// jwsNeeded ends the error for a file that has no key for a JWS.
const jwsNeeded = "a JWS is signed with a P-256 key (ES256) or an Ed25519 key (EdDSA), as a JSON Web Key, a JWK Set or PEM; handoff keygen makes both kinds"

// NewP256Key returns a new private key for ES256, which signs a JWS but no messages. If id is
// "", the key's ID is its thumbprint (RFC 7638).
func NewP256Key(id string) Key {
	private, _ := ecdsa.GenerateKey(elliptic.P256(), rand.Reader) // never fails
	return named(Key{p256: &p256Key{public: &private.PublicKey, private: private}}, id)
}

// ParseJWSKeys reads the content of a key file as [ParseKeys] does, for [Key.SignJWS] and [Key.VerifyJWS]:
// key pairs and public keys of Ed25519 and P-256 (RFC 7518, section 6.2), never a shared secret. In a JWK
// Set, it skips keys of other types, curves, uses and algorithms; a set without any usable key is an error.
func ParseJWSKeys(text []byte) ([]Key, error) { return parseKeys(text, true) }

// isForJWS reports whether a JSON Web Key of a set is for an algorithm of [Key.SignJWS].
func isForJWS(v jsonstream.Value) bool {
	use, alg := v.Get("use"), v.Get("alg")
	if use.Exists() && use.Text() != "sig" {
		return false
	}
	switch v.Get("kty").Text() + " " + v.Get("crv").Text() {
	case "EC P-256":
		return !alg.Exists() || alg.Text() == algES256
	case "OKP Ed25519":
		return !alg.Exists() || alg.Text() == algEdDSA || alg.Text() == NewEdDSA
	default:
		return false
	}
}

// parseEC reads a P-256 key (RFC 7518, section 6.2).
func parseEC(v jsonstream.Value) (Key, error) {
	const section = "RFC 7518, section 6.2"
	if curve := v.Get("crv"); curve.Text() != "P-256" {
		return Key{}, errors.New("crv: expected \"P-256\": other curves are not supported")
	}
	id, err := keyID(v)
	if err != nil {
		return Key{}, err
	}
	x, err := octets(v, "x", section)
	if err != nil {
		return Key{}, err
	}
	y, err := octets(v, "y", section)
	if err != nil {
		return Key{}, err
	}
	public, err := ecdsa.ParseUncompressedPublicKey(elliptic.P256(), append(append([]byte{4}, x...), y...))
	if err != nil {
		return Key{}, errors.New("x, y: not a public P-256 key: they are not a point of the curve")
	}
	if !v.Get("d").Exists() {
		return newP256(id, public, nil)
	}
	d, err := octets(v, "d", section)
	if err != nil {
		return Key{}, err
	}
	private, err := ecdsa.ParseRawPrivateKey(elliptic.P256(), d)
	if err != nil {
		return Key{}, errors.New("d: not a private P-256 key: it is 0 or beyond the order of the curve")
	}
	return newP256(id, public, private)
}

// newP256 returns a P-256 key. The public key must belong to the private one, if there is one.
func newP256(id string, public *ecdsa.PublicKey, private *ecdsa.PrivateKey) (Key, error) {
	if public.Curve != elliptic.P256() {
		return Key{}, errors.New("a key of the curve " + public.Params().Name + ": use P-256 (ES256) or Ed25519")
	}
	if private != nil && !private.PublicKey.Equal(public) {
		return Key{}, errors.New("its public key does not belong to its private key: the file is damaged or was changed")
	}
	if private != nil {
		scalar, err := private.Bytes()
		if err == nil {
			err = checkSecret(scalar)
		}
		if err != nil {
			return Key{}, err
		}
	}
	return named(Key{p256: &p256Key{public: public, private: private}}, id), nil
}

// coordinates returns the x and y members of the public key's JSON Web Key.
func (k *p256Key) coordinates() (x, y string) {
	point, _ := k.public.Bytes() // cannot fail: the key was checked
	return base64.RawURLEncoding.EncodeToString(point[1:33]), base64.RawURLEncoding.EncodeToString(point[33:])
}

// JWSAlgorithm returns the alg of a JWS signed by the key (RFC 7518, section 3.1): ES256 or
// EdDSA, "" for a shared secret.
func (k Key) JWSAlgorithm() string {
	switch k.Algorithm() {
	case Ed25519:
		return algEdDSA
	case P256:
		return algES256
	default:
		return ""
	}
}

// The algorithm names in JSON Web Keys and signatures (RFC 7518, section 3.1; RFC 8037, section 3.1).
const (
	algHS256 = "HS256"
	algES256 = "ES256"
	algEdDSA = "EdDSA"
)

// NewEdDSA is the name in RFC 9864 for EdDSA (RFC 8037) with an Ed25519 key. Programs that know both names
// still treat them as two algorithms.
const NewEdDSA = "Ed25519"

// OtherName returns the alg in the key's JSON Web Key if it differs from [Key.JWSAlgorithm], and ""
// otherwise. Programs that select keys by alg, as RFC 7517, section 4.4, allows, do not find such a key.
func (k Key) OtherName() string {
	if k.alg == k.JWSAlgorithm() {
		return ""
	}
	return k.alg
}

// SignJWS returns the signature of a JWS Signing Input (RFC 7515, section 5.1). An ECDSA
// signature is R and S, 32 bytes each (RFC 7518, section 3.4). It returns an error for a shared
// secret and for a key that may not sign.
func (k Key) SignJWS(input []byte) ([]byte, error) {
	if err := k.MaySign(); err != nil {
		return nil, err
	}
	switch k.Algorithm() {
	case Ed25519:
		return ed25519.Sign(k.private, input), nil
	case P256:
		digest := sha256.Sum256(input)
		r, s, err := ecdsa.Sign(rand.Reader, k.p256.private, digest[:])
		if err != nil {
			return nil, err
		}
		signature := make([]byte, 64)
		r.FillBytes(signature[:32])
		s.FillBytes(signature[32:])
		return signature, nil
	default:
		return nil, errors.New("the key is a shared secret: " + jwsNeeded)
	}
}

// VerifyJWS reports whether signature is valid for a JWS Signing Input under the key. It is
// false for a shared secret.
func (k Key) VerifyJWS(input, signature []byte) bool {
	if len(signature) != 64 {
		return false
	}
	switch k.Algorithm() {
	case Ed25519:
		return ed25519.Verify(k.public, input, signature)
	case P256:
		digest := sha256.Sum256(input)
		r, s := new(big.Int).SetBytes(signature[:32]), new(big.Int).SetBytes(signature[32:])
		return ecdsa.Verify(k.p256.public, digest[:], r, s)
	default:
		return false
	}
}
