package sign

import (
	"bytes"
	"encoding/asn1"
	"encoding/json"
	"errors"
	"regexp"
	"unicode/utf8"
)

// needed ends the error for a file without a key.
const needed = ": a key file is a shared secret (raw bytes, a JSON Web Key or a JWK Set) or an Ed25519 key (a JSON Web Key, PEM or OpenSSH); handoff keygen makes one"

const (
	byteOrderMark = "\xef\xbb\xbf"
	// sshKey matches an OpenSSH public key: its base64 begins with the length of its type.
	sshKey = `(?m)(^|[ \t])(ssh|ecdsa|sk)-[a-z0-9@.-]+ AAAA`
	// armor matches the beginning or the end of PEM (RFC 7468, section 2), PGP and SSH2
	// (RFC 4716) keys, also where they are quoted.
	armor = `-----? ?(?:BEGIN|END) ([A-Z0-9 ]+)`
)

// ParseKeys reads the content of a key file: a JSON Web Key or a JWK Set (RFC 7517, RFC 8037)
// if it is a JSON object; Ed25519 keys in PEM (PKCS #8, SubjectPublicKeyInfo, OpenSSH) or as
// OpenSSH public key lines; otherwise one shared secret of raw bytes, without one trailing
// newline. The default ID of an Ed25519 key is its thumbprint (RFC 7638). ParseKeys returns an
// error for content that is recognizably something else, such as a certificate, that is
// encrypted, or that cannot be random. Errors never quote a secret.
func ParseKeys(text []byte) ([]Key, error) { return parseKeys(text, false) }

// parseKeys implements [ParseKeys] and, with jws, [ParseJWSKeys].
func parseKeys(text []byte, jws bool) ([]Key, error) {
	if isUTF16(text) {
		return nil, errors.New("a text in UTF-16: save it as UTF-8")
	}
	if plain, marked := bytes.CutPrefix(text, []byte(byteOrderMark)); marked && utf8.Valid(plain) {
		return nil, errors.New("begins with a byte-order mark: save it without one")
	}
	if label := regexp.MustCompile(armor).FindSubmatch(text); label != nil {
		return parsePEM(text, label[1], jws)
	}
	if other := otherFile(text); other != "" {
		return nil, errors.New(other + needed)
	}
	if regexp.MustCompile(sshKey).Match(text) {
		return parseSSHLines(text)
	}
	if other := otherThanSecret(text); other != "" {
		return nil, errors.New(other)
	}
	if bytes.HasPrefix(bytes.TrimLeft(text, jsonSpace), []byte("{")) {
		return parseJWKs(text, jws)
	}
	if jws {
		return nil, errors.New("neither a key pair nor a public key: " + jwsNeeded)
	}
	secret := bytes.TrimSuffix(bytes.TrimSuffix(text, []byte("\n")), []byte("\r"))
	if len(secret) == 0 {
		return nil, errors.New("empty: a key is at least 16 random bytes; handoff keygen makes one")
	}
	k := newKey("", secret)
	return []Key{k}, k.check()
}

// jsonSpace is the white space allowed before a JSON value.
const jsonSpace = " \t\r\n"

// otherThanSecret returns the kind of a key file that is recognizably neither raw bytes nor a
// JSON Web Key, with a remedy; "" for anything else. It mistakes less than one random secret in
// 2^24.
func otherThanSecret(text []byte) string {
	switch {
	case isDER(text):
		return "a key pair, public key or certificate (DER)" + needed
	case bytes.HasPrefix(text, []byte("eyJ")) && bytes.Count(text, []byte(".")) >= 2:
		return "a JSON Web Token" + needed
	case bytes.HasPrefix(bytes.TrimLeft(text, jsonSpace), []byte("[")) && json.Valid(text):
		return `a JSON array: a set of JSON Web Keys is an object, {"keys": […]} (RFC 7517, section 5)`
	default:
		return ""
	}
}

// otherFile returns the kind of a file by its beginning, "" if unknown.
func otherFile(text []byte) string {
	for _, known := range []struct{ prefix, name string }{
		{"PuTTY-User-Key-File-", "a key pair (PuTTY)"},
		{"LS0tLS1CRUdJTi", "a PEM file (base64)"},
		{"\x1f\x8b", "gzip data"},
		{"\x28\xb5\x2f\xfd", "zstd data"},
		{"<!DOCTYPE ", "an HTML page"},
		{"<html", "an HTML page"},
		{"version https://git-lfs", "a Git LFS pointer"},
	} {
		if bytes.HasPrefix(bytes.TrimLeft(text, jsonSpace), []byte(known.prefix)) {
			return known.name
		}
	}
	return ""
}

// armored returns the kind of content that an armor label announces.
func armored(label []byte) string {
	for _, known := range []struct{ word, name string }{
		{"PRIVATE KEY", "a private key (PEM)"},
		{"PUBLIC KEY", "a public key (PEM)"},
		{"CERTIFICATE", "a certificate (PEM)"},
	} {
		if bytes.Contains(label, []byte(known.word)) {
			return known.name
		}
	}
	return "a PEM file"
}

// isUTF16 reports whether most characters are ASCII in UTF-16, of either byte order.
func isUTF16(text []byte) bool {
	high, low := 0, 0
	for i := 0; i+1 < len(text); i += 2 {
		switch {
		case text[i] == 0 && text[i+1] != 0:
			high++
		case text[i] != 0 && text[i+1] == 0:
			low++
		}
	}
	return len(text) >= MinKeyBytes && max(high, low) > len(text)/4
}

// isDER reports whether text is a single ASN.1 sequence that begins with a sequence or an
// integer, as all keys and certificates are.
func isDER(text []byte) bool {
	var outer, inner asn1.RawValue
	if rest, err := asn1.Unmarshal(text, &outer); err != nil || len(rest) > 0 || outer.Class != asn1.ClassUniversal || outer.Tag != asn1.TagSequence {
		return false
	}
	count := 0
	for rest := outer.Bytes; len(rest) > 0; count++ {
		var err error
		if rest, err = asn1.Unmarshal(rest, &inner); err != nil || count == 0 && inner.Tag != asn1.TagSequence && inner.Tag != asn1.TagInteger {
			return false
		}
	}
	return count >= 2
}

// minDistinct is the minimum number of different bytes in a secret: 16 random bytes have
// fewer in one of 2^80 cases, 16 random digits in one of a thousand.
const minDistinct = 5

// isRandom reports whether a secret can be random: it has several different bytes, none more
// frequent than all others together, and is not a repetition of a shorter text.
func isRandom(secret []byte) bool {
	counts := map[byte]int{}
	most := 0
	for _, b := range secret {
		counts[b]++
		most = max(most, counts[b])
	}
	if len(counts) < minDistinct || most > len(secret)/2 {
		return false
	}
	for period := 1; period <= len(secret)/2; period++ {
		if bytes.Equal(secret[period:], secret[:len(secret)-period]) {
			return false
		}
	}
	return true
}
