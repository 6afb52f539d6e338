package sign

import (
	"bytes"
	"crypto/ed25519"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"errors"
	"math/big"
	"slices"
)

// NewEd25519Key returns a new private key. If id is "", the key's ID is its thumbprint (RFC 7638).
func NewEd25519Key(id string) Key {
	public, private, _ := ed25519.GenerateKey(rand.Reader) // never fails
	return named(Key{public: public, private: private}, id)
}

// Public returns the public half of a key pair, under the same ID. ok is false for a shared
// secret, which has none.
func (k Key) Public() (public Key, ok bool) {
	k.private, k.ops = nil, nil
	if k.p256 != nil {
		k.p256 = &p256Key{public: k.p256.public}
	}
	return k, k.public != nil || k.p256 != nil
}

// Ed25519 returns the halves of an Ed25519 key, for signatures of data other than messages. private is nil
// for a public key; both are nil for any other key.
func (k Key) Ed25519() (public ed25519.PublicKey, private ed25519.PrivateKey) {
	return k.public, k.private
}

// newPrivate returns the key of a seed (RFC 8032, section 5.1.5). A public key stored with the
// seed must belong to it: a signature under another one reveals the private key.
func newPrivate(id string, seed, public []byte) (Key, error) {
	if len(seed) != ed25519.SeedSize {
		return Key{}, errors.New("a private Ed25519 key has 32 bytes")
	}
	if err := checkSecret(seed); err != nil {
		return Key{}, err
	}
	private := ed25519.NewKeyFromSeed(seed)
	own := private.Public().(ed25519.PublicKey)
	if !bytes.Equal(own, public) {
		return Key{}, errors.New("its public key does not belong to its private key: the file is damaged or was changed")
	}
	return named(Key{public: own, private: private}, id), nil
}

// newPublic returns a public key.
func newPublic(id string, point []byte) (Key, error) {
	if err := checkPoint(point); err != nil {
		return Key{}, err
	}
	return named(Key{public: slices.Clone(point)}, id), nil
}

// named sets the ID of a key of a pair, by default to its thumbprint.
func named(k Key, id string) Key {
	k.ID = id
	if id == "" {
		k.ID, k.derived = k.thumbprint(), true
	}
	return k
}

// thumbprint returns the key's JSON Web Key thumbprint (RFC 7638; RFC 8037, section 2).
func (k Key) thumbprint() string {
	text := `{"crv":"Ed25519","kty":"OKP","x":"` + base64.RawURLEncoding.EncodeToString(k.public) + `"}`
	if k.p256 != nil {
		x, y := k.p256.coordinates()
		text = `{"crv":"P-256","kty":"EC","x":"` + x + `","y":"` + y + `"}`
	}
	sum := sha256.Sum256([]byte(text))
	return base64.RawURLEncoding.EncodeToString(sum[:])
}

// checkPoint returns an error unless the 32 bytes are a public key (RFC 8032, section 5.1.3). It rejects
// points of small order: under such a key, anyone can make a signature of any message.
func checkPoint(point []byte) error {
	if len(point) != ed25519.PublicKeySize {
		return errors.New("a public Ed25519 key has 32 bytes")
	}
	littleEndian := slices.Clone(point)
	littleEndian[31] &= 0x7f // without the sign of x
	slices.Reverse(littleEndian)
	y := new(big.Int).SetBytes(littleEndian)
	// p is 2^255-19, and x² = (y²-1)/(dy²+1) with d = -121665/121666 (RFC 8032, section 5.1).
	one := big.NewInt(1)
	p := new(big.Int).Sub(new(big.Int).Lsh(one, 255), big.NewInt(19))
	d := new(big.Int).Mul(big.NewInt(-121665), new(big.Int).ModInverse(big.NewInt(121666), p))
	if y.Cmp(p) >= 0 {
		return errors.New("not a public Ed25519 key: its encoding is not canonical")
	}
	y2 := new(big.Int).Mul(y, y)
	u := new(big.Int).Sub(y2, one)
	v := new(big.Int).Add(new(big.Int).Mul(d, y2), one)
	// u/v is a square if uv is; dy²+1 is never zero.
	if big.Jacobi(new(big.Int).Mod(u.Mul(u, v), p), p) < 0 {
		return errors.New("not a public Ed25519 key: it is not a point of the curve")
	}
	text := hex.EncodeToString(littleEndian)
	if slices.Contains(smallOrders(), text) {
		return errors.New("a public key of small order, for which anyone can sign: make a new key with handoff keygen")
	}
	return nil
}

// smallOrders returns the y coordinates, in hex, of all points whose order divides 8: of order
// 1, 2 and 4, and two of order 8.
func smallOrders() []string {
	return []string{
		"0000000000000000000000000000000000000000000000000000000000000001",
		"7fffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffec",
		"0000000000000000000000000000000000000000000000000000000000000000",
		"05fc536d880238b13933c6d305acdfd5f098eff289f4c345b027b2c28f95e826",
		"7a03ac9277fdc74ec6cc392cfa53202a0f67100d760b3cba4fd84d3d706a17c7",
	}
}

// isTextOf reports whether a secret is the text of a public key, in one of the usual formats,
// and therefore not secret.
func (k Key) isTextOf(public ed25519.PublicKey) bool {
	text := string(k.secret)
	for _, encoding := range []*base64.Encoding{base64.StdEncoding, base64.RawURLEncoding} {
		if text == encoding.EncodeToString(public) {
			return true
		}
	}
	return bytes.Equal(k.secret, public) || text == hex.EncodeToString(public)
}
