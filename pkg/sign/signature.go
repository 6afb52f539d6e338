package sign

import (
	"crypto/ed25519"
	"crypto/hmac"
	"encoding/base64"
	"encoding/hex"
	"fmt"
	"hash"
	"io"
	"strings"
	"sync"

	"github.com/eaapl/handoff/pkg/jsonstream"
	"github.com/eaapl/handoff/pkg/message"
)

// A signature is a parsed signature member.
type signature struct {
	algorithm Algorithm
	bytes     [ed25519.SignatureSize]byte // HMAC uses only the first macSize
}

// macSize is the length of HMAC-SHA-256 in bytes.
const macSize = 32

// String returns the text of the member.
func (s signature) String() string {
	if s.algorithm == HMAC {
		return string(HMAC) + ":" + hex.EncodeToString(s.bytes[:macSize])
	}
	return string(Ed25519) + ":" + base64.RawURLEncoding.EncodeToString(s.bytes[:])
}

// A mac computes HMAC-SHA-256. It holds the last sum, because memory passed to an interface
// would be allocated each time.
type mac struct {
	hash.Hash
	sum [macSize]byte
}

// mac returns the HMAC-SHA-256 (RFC 2104) of the bytes written by write, or write's error.
func (k Key) mac(write func(io.Writer) error) (sum [macSize]byte, err error) {
	m := k.macs.Get().(*mac)
	defer k.macs.Put(m)
	m.Reset()
	if err := write(m); err != nil {
		return sum, err
	}
	m.Sum(m.sum[:0])
	return m.sum, nil
}

// macOf returns the HMAC of the text that the signature of m covers. Its error is that of canonical.
func (k Key) macOf(m *message.Message) ([macSize]byte, error) {
	return k.mac(func(w io.Writer) error { return jsonstream.WriteCanonical(w, m.Root(), covered) })
}

// macOfText returns the HMAC of a text.
func (k Key) macOfText(text []byte) [macSize]byte {
	sum, _ := k.mac(func(w io.Writer) error {
		w.Write(text) // a hash never fails
		return nil
	})
	return sum
}

// texts holds buffers for canonical forms.
var texts = sync.Pool{New: func() any { return new([]byte) }}

// withText calls use with the text that the signature of m covers, valid until use returns. Its
// error is that of canonical.
func withText(m *message.Message, use func(text []byte)) error {
	const maxKept = 1 << 20 // so that one huge message does not hold its memory forever
	memory := texts.Get().(*[]byte)
	text, err := jsonstream.AppendCanonical((*memory)[:0], m.Root(), covered)
	if err == nil {
		use(text)
	}
	if *memory = text; cap(text) <= maxKept {
		texts.Put(memory)
	}
	return err
}

// SignText returns the signature of a text other than a message, such as the body of a request,
// in the form of a message's signature member. The key must satisfy [Key.MaySign].
func (k Key) SignText(text []byte) string {
	s := signature{algorithm: k.Algorithm()}
	if s.algorithm == Ed25519 {
		copy(s.bytes[:], ed25519.Sign(k.private, text))
		return s.String()
	}
	sum := k.macOfText(text)
	copy(s.bytes[:], sum[:])
	return s.String()
}

// signatureOf returns the signature of m under the key, which must be able to sign. Its error
// is that of canonical.
func (k Key) signatureOf(m *message.Message) (signature, error) {
	s := signature{algorithm: k.Algorithm()}
	if s.algorithm == HMAC {
		sum, err := k.macOf(m)
		copy(s.bytes[:], sum[:])
		return s, err
	}
	err := withText(m, func(text []byte) { copy(s.bytes[:], ed25519.Sign(k.private, text)) })
	return s, err
}

// holds reports whether s is the signature of a text under the key. It is false for a signature
// of another algorithm.
func (k Key) holds(s signature, text []byte) bool {
	switch {
	case s.algorithm != k.Algorithm():
		return false
	case k.public != nil:
		return ed25519.Verify(k.public, text, s.bytes[:])
	}
	sum := k.macOfText(text)
	return hmac.Equal(sum[:], s.bytes[:macSize])
}

// signatureOf reads the message's signature.
func signatureOf(m *message.Message) (signature, *Error) {
	member := m.Root().Get(Member)
	if !member.Exists() {
		return signature{}, fault(m, member, Missing, "has no member %q: reject it, or have its sender sign it", Member)
	}
	name, digits, ok := strings.Cut(member.Text(), ":")
	s := signature{algorithm: Algorithm(name)}
	switch {
	case member.Kind() != jsonstream.String:
		return s, fault(m, member, Malformed, "expected a string %q and 64 hex digits, or %q and 86 base64url characters, found a %s", HMAC+":", Ed25519+":", member.Kind())
	case !ok:
		return s, fault(m, member, Malformed, "expected %q and 64 lower-case hex digits, or %q and 86 base64url characters, found no algorithm", HMAC+":", Ed25519+":")
	case s.algorithm == HMAC && !s.decodeHex(digits):
		return s, fault(m, member, Malformed, "expected 64 lower-case hex digits after %q, found %s", HMAC+":", describeHex(digits))
	case s.algorithm == Ed25519 && !s.decodeBase64(digits):
		return s, fault(m, member, Malformed, "expected 86 base64url characters without padding after %q, found %s", Ed25519+":", describeBase64(digits))
	case s.algorithm != HMAC && s.algorithm != Ed25519:
		return s, fault(m, member, UnsupportedAlgorithm, "signed with %.40q: only %s and %s are accepted", name, HMAC, Ed25519)
	}
	return s, nil
}

// decodeHex reads lower-case hex digits, and reports whether they are exactly one digest.
func (s *signature) decodeHex(digits string) bool {
	var text, again [2 * macSize]byte
	if copy(text[:], digits) != len(digits) {
		return false
	}
	_, err := hex.Decode(s.bytes[:macSize], text[:])
	hex.Encode(again[:], s.bytes[:macSize])
	return err == nil && again == text // hex.Encode writes lower-case digits
}

// decodeBase64 reads base64url, and reports whether it is the one valid encoding of a
// signature.
func (s *signature) decodeBase64(text string) bool {
	const size = (ed25519.SignatureSize*8 + 5) / 6
	if len(text) != size || strings.ContainsAny(text, "\r\n") { // package base64 skips line breaks
		return false
	}
	_, err := base64.RawURLEncoding.Strict().Decode(s.bytes[:], []byte(text))
	return err == nil
}

// describeHex describes a text that is not 64 lower-case hex digits.
func describeHex(digits string) string {
	if strings.Trim(digits, "0123456789abcdefABCDEF") != "" {
		return fmt.Sprintf("other characters in %d bytes", len(digits))
	}
	if len(digits) != 2*macSize {
		return fmt.Sprintf("%d digits", len(digits))
	}
	return "upper-case ones"
}

// describeBase64 describes a text that is not 86 characters of base64url.
func describeBase64(text string) string {
	switch {
	case strings.HasSuffix(text, "="):
		return "padding"
	case len(text) == 2*ed25519.SignatureSize && strings.Trim(text, "0123456789abcdefABCDEF") == "":
		return "hex digits"
	case strings.ContainsAny(text, "+/"):
		return "base64, which has + and / for - and _"
	case len(text) != 86:
		return fmt.Sprintf("%d bytes", len(text))
	default:
		return "other characters, or bits that are not zero at the end"
	}
}
