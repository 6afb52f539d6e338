package sign

import (
	"bytes"
	"crypto/ecdsa"
	"crypto/ed25519"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/rsa"
	"crypto/x509"
	"encoding/base64"
	"encoding/pem"
	mathrand "math/rand/v2"
	"strings"
	"testing"
	"unicode/utf16"
)

// Files with content other than our keys are not treated as raw secrets.
func TestParseKeysOfOtherFiles(t *testing.T) {
	jwk := `{"kty":"oct","k":"` + base64.RawURLEncoding.EncodeToString([]byte(random32)) + `"}`
	utf16le := func(text string) string {
		var b []byte
		for _, unit := range utf16.Encode([]rune(text)) {
			b = append(b, byte(unit), byte(unit>>8))
		}
		return string(b)
	}
	type file struct{ name, in, want string }
	tests := []file{
		{"OpenSSH authorized key", `command="true" ecdsa-sha2-nistp256 AAAAE2VjZHNhLXNoYTItbmlzdHAyNTYAAAAIbmlzdHAyNTY=`, "line 1: expected a public key (OpenSSH), which begins with ssh-ed25519; remove the options"},
		{"OpenSSH security key", "# mine\nsk-ssh-ed25519@openssh.com AAAAGnNrLXNzaC1lZDI1NTE5QG9wZW5zc2guY29t", "line 2: a public key (OpenSSH): damaged"},
		{"OpenSSH private key", "-----BEGIN OPENSSH PRIVATE KEY-----\nb3BlbnNzaC1rZXktdjEAAAAA\n-----END OPENSSH PRIVATE KEY-----\n", "a private key (OpenSSH): damaged"},
		{"RFC 4716 public key", "---- BEGIN SSH2 PUBLIC KEY ----\nAAAAB3NzaC1yc2EAAAABIwAAAQEA\n---- END SSH2 PUBLIC KEY ----\n", "a public key (PEM): "},
		{"PGP", "-----BEGIN PGP PRIVATE KEY BLOCK-----\n\nlQOYBF\n", "a private key (PEM): "},
		{"other PEM", "-----BEGIN PARAMETERS-----\nAAAAAAAAAAAAAAAA\n", "a PEM file: "},
		{"PEM behind text", "subject=example\r\n\r\n-----BEGIN CERTIFICATE-----\r\nMIIB", "a certificate (PEM): "},
		{"quoted PEM", "> -----BEGIN PUBLIC KEY-----\n> MCowBQYDK2VwAyEA\n", "a public key (PEM): "},
		{"PEM without its first line", "MCowBQYDK2VwAyEAGb9ECWmEzf6FQbrBZ9w7lshQhqowtrbLDFw4rXAxZuE=\n-----END PUBLIC KEY-----\n", "a public key (PEM): "},
		{"PEM in base64", "LS0tLS1CRUdJTiBQVUJMSUMgS0VZLS0tLS0K", "a PEM file (base64): "},
		{"gzip", "\x1f\x8b\x08\x00" + random32, "gzip data: "},
		{"page", "<!DOCTYPE html><title>404</title>", "an HTML page: "},
		{"Git LFS", "version https://git-lfs.github.com/spec/v1\noid sha256:" + random32, "a Git LFS pointer: "},
		{"token", "eyJhbGciOiJIUzI1NiJ9.e30." + random32, "a JSON Web Token"},
		{"PuTTY", "PuTTY-User-Key-File-3: ssh-ed25519\nEncryption: none\n", "a key pair (PuTTY): "},

		{"RFC 8259 section 8.1, JWK with a byte-order mark", "\xef\xbb\xbf" + jwk, "begins with a byte-order mark: save it without one"},
		{"secret with a byte-order mark", "\xef\xbb\xbf" + random32, "begins with a byte-order mark"},
		{"PEM with a byte-order mark", "\xef\xbb\xbf-----BEGIN PUBLIC KEY-----\n", "begins with a byte-order mark"},
		{"UTF-16", utf16le(random32), "a text in UTF-16: save it as UTF-8"},
		{"UTF-16 with a byte-order mark", utf16le("\ufeff" + jwk), "a text in UTF-16"},
		{"big-endian UTF-16", "\xfe\xff\x00" + strings.TrimSuffix(utf16le(jwk), "\x00"), "a text in UTF-16"},

		{"RFC 7517 section 5, array of JWKs", "[" + jwk + "]", `a JSON array: a set of JSON Web Keys is an object, {"keys": […]}`},
		{"array behind spaces", "\n [ \"" + random32 + "\" ]\n", "a JSON array"},

		{"32 zero bytes", strings.Repeat("\x00", 32), "the key has only zero bytes"},
		{"32 equal bytes", strings.Repeat("k", 32), "the key repeats one byte; handoff keygen makes one"},
		{"zeros as a JWK", `{"kty":"oct","k":"` + strings.Repeat("A", 43) + `"}`, "the key has only zero bytes"},
	}
	for name, der := range ders(t) {
		tests = append(tests, file{name + ", DER", string(der), "(DER): a key file is a shared secret"})
		if name != "public key" && name != "private key" { // Ed25519
			tests = append(tests, file{name + ", PEM", string(pem.EncodeToMemory(&pem.Block{Type: strings.ToUpper(name), Bytes: der})), "(PEM): a key file is a shared secret"})
		}
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			keys, err := ParseKeys([]byte(tt.in))
			if err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Fatalf("got %v, %v; want %s", keys, err, tt.want)
			}
			if strings.Contains(err.Error(), tt.in[len(tt.in)/2:]) || strings.ContainsAny(err.Error(), "\x00\n") {
				t.Errorf("shows the file: %q", err)
			}
		})
	}
}

// ders returns keys in DER by their PEM label.
func ders(t *testing.T) map[string][]byte {
	t.Helper()
	must := func(der []byte, err error) []byte {
		if err != nil {
			t.Fatal(err)
		}
		return der
	}
	public, private, err := ed25519.GenerateKey(rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	curve, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	pair, err := rsa.GenerateKey(rand.Reader, 2048)
	if err != nil {
		t.Fatal(err)
	}
	return map[string][]byte{
		"public key":      must(x509.MarshalPKIXPublicKey(public)),
		"private key":     must(x509.MarshalPKCS8PrivateKey(private)),
		"ec private key":  must(x509.MarshalECPrivateKey(curve)),
		"ec public key":   must(x509.MarshalPKIXPublicKey(&curve.PublicKey)),
		"rsa private key": x509.MarshalPKCS1PrivateKey(pair),
		"rsa public key":  x509.MarshalPKCS1PublicKey(&pair.PublicKey),
	}
}

// Random bytes, and their usual encodings, are secrets.
func TestParseKeysOfSecrets(t *testing.T) {
	source := mathrand.NewChaCha8([32]byte{1})
	for range 2000 {
		secret := make([]byte, 16)
		source.Read(secret) // never fails
		secret[15] |= 0x80  // no line feed
		if bytes.HasPrefix(bytes.TrimLeft(secret, jsonSpace), []byte("{")) {
			continue // it looks like a JSON Web Key
		}
		if keys, err := ParseKeys(secret); err != nil || !bytes.Equal(keys[0].secret, secret) {
			t.Fatalf("%x: %v", secret, err)
		}
	}
	for _, secret := range []string{
		"correct horse battery staple", "[not-json-but-a-secret", "0x3031323334353637383940", "31415926535897932384626433832795", "-----BEGINNER of a phrase",
	} {
		if _, err := ParseKeys([]byte(secret)); err != nil {
			t.Errorf("%s: %v", secret, err)
		}
	}
}

// TestWeakness checks which secrets cause a warning.
func TestWeakness(t *testing.T) {
	const notRandom = "the key is not random: it has few different bytes or repeats itself"
	for _, tt := range []struct{ name, secret, want string }{
		{"random", random32, ""},
		{"short", random32[:16], "the key has 16 bytes: use 32 random bytes, for the strength of the signature"},
		{"few bytes", "0110100110010110100101100110100110010110011010010110100110010110", notRandom},
		{"mostly zeros", random32[:8] + strings.Repeat("\x00", 24), notRandom},
		{"repeated", "changemechangemechangemechangeme", notRandom},
		{"repeated in part", "password-1password-1password-1passw", notRandom},
	} {
		t.Run(tt.name, func(t *testing.T) {
			keys, err := ParseKeys([]byte(tt.secret))
			if err != nil {
				t.Fatal(err)
			}
			if got := keys[0].Weakness(); got != tt.want {
				t.Errorf("got %q, want %q", got, tt.want)
			}
		})
	}
}

// TestKeyOps checks the operations that a JSON Web Key allows.
func TestKeyOps(t *testing.T) {
	tests := []struct {
		name, members string
		signs         bool
		verifies      bool
		err           string // of ParseKeys
	}{
		{name: "RFC 7517 section 4.3, absent", signs: true, verifies: true},
		{name: "RFC 7517 section 4.3, both", members: `,"key_ops":["verify","sign"]`, signs: true, verifies: true},
		{name: "RFC 7517 section 4.3, sign", members: `,"key_ops":["sign"]`, signs: true},
		{name: "RFC 7517 section 4.3, verify and others", members: `,"key_ops":["verify","example"]`, verifies: true},
		{name: "RFC 7517 section 4.3, encrypt", members: `,"key_ops":["encrypt"]`, err: `key_ops: the key is for neither "sign" nor "verify"`},
		{name: "RFC 7517 section 4.3, none", members: `,"key_ops":[]`, err: `key_ops: the key is for neither`},
		{name: "RFC 7517 section 4.3, case counts", members: `,"key_ops":["Sign"]`, err: `key_ops: the key is for neither`},
		{name: "RFC 7517 section 4.3, duplicate", members: `,"key_ops":["sign","sign"]`, err: `key_ops: an operation is listed twice`},
		{name: "RFC 7517 section 4.3, no array", members: `,"key_ops":"sign"`, err: `key_ops: expected an array of strings`},
		{name: "RFC 7517 section 4.3, no strings", members: `,"key_ops":["sign",1]`, err: `key_ops: expected an array of strings`},
		{name: "RFC 7517 section 4.3, null", members: `,"key_ops":null`, err: `key_ops: expected an array of strings`},
		{name: "RFC 7517 section 4.2, sig", members: `,"use":"sig","key_ops":["sign"]`, signs: true},
		{name: "RFC 7517 section 4.2, enc", members: `,"use":"enc","key_ops":["sign"]`, err: `use: the key is for "enc"`},
		{name: "RFC 7517 section 4.4, HS384", members: `,"alg":"HS384","key_ops":["sign"]`, err: `alg: the key is for "HS384"`},
	}
	m := parse(t, `{"a":1}`)
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			keys, err := ParseKeys([]byte(`{"kty":"oct","kid":"k1","k":"` + base64.RawURLEncoding.EncodeToString([]byte(random32)) + `"` + tt.members + `}`))
			if tt.err != "" {
				if err == nil || !strings.Contains(err.Error(), tt.err) {
					t.Fatalf("got %v, want %s", err, tt.err)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			if _, err := Sign(m, keys[0], false); (err == nil) != tt.signs || err != nil && err.Error() != `key_ops: the key "k1" is not for "sign": use another key, or add it to key_ops` {
				t.Errorf("sign: %v", err)
			}
			if _, err := NewVerifier([]Key{NewKey(""), keys[0]}); (err == nil) != tt.verifies || err != nil && !strings.Contains(err.Error(), `"k1" is not for "verify"`) {
				t.Errorf("verify: %v", err)
			}
		})
	}
}
