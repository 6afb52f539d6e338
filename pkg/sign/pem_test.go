package sign

import (
	"bytes"
	"crypto/ecdsa"
	"crypto/ed25519"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"encoding/base64"
	"encoding/hex"
	"encoding/pem"
	"fmt"
	"log/slog"
	"strings"
	"testing"

	"golang.org/x/crypto/ssh"
)

// A kept has the texts of one key in several formats.
type kept struct {
	pkcs8, spki, openSSH, encrypted, line string
	ecSSH, ecLine                         string
}

func keptTexts(t interface {
	Helper()
	Fatal(...any)
}, k Key) kept {
	t.Helper()
	encode := func(label string, der []byte, err error) string {
		if err != nil {
			t.Fatal(err)
		}
		return string(pem.EncodeToMemory(&pem.Block{Type: label, Bytes: der}))
	}
	armored := func(block *pem.Block, err error) string {
		if err != nil {
			t.Fatal(err)
		}
		return string(pem.EncodeToMemory(block))
	}
	line := func(public any) string {
		key, err := ssh.NewPublicKey(public)
		if err != nil {
			t.Fatal(err)
		}
		return string(ssh.MarshalAuthorizedKey(key))
	}
	curve, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	var texts kept
	der, err := x509.MarshalPKCS8PrivateKey(k.private)
	texts.pkcs8 = encode("PRIVATE KEY", der, err)
	der, err = x509.MarshalPKIXPublicKey(k.public)
	texts.spki = encode("PUBLIC KEY", der, err)
	texts.openSSH = armored(ssh.MarshalPrivateKey(k.private, "me@example.com"))
	texts.encrypted = armored(ssh.MarshalPrivateKeyWithPassphrase(k.private, "", []byte("swordfish")))
	texts.line = strings.TrimSuffix(line(k.public), "\n") + " me@example.com\n"
	texts.ecSSH, texts.ecLine = armored(ssh.MarshalPrivateKey(curve, "")), line(&curve.PublicKey)
	return texts
}

// TestParseEd25519 reads the formats in which openssl, OpenSSH and JOSE store keys.
func TestParseEd25519(t *testing.T) {
	k, other := ofSeed("", 0x42), ofSeed("", 0x43)
	texts, others := keptTexts(t, k), keptTexts(t, other)
	x, d := base64.RawURLEncoding.EncodeToString(k.public), base64.RawURLEncoding.EncodeToString(k.private.Seed())
	okp := `{"kty":"OKP","crv":"Ed25519","x":"` + x + `"`
	neutral := "AQAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA"
	block, _ := pem.Decode([]byte(texts.openSSH))
	block.Bytes = bytes.Replace(block.Bytes, k.private.Seed(), other.private.Seed(), 1)
	exchanged := string(pem.EncodeToMemory(block))
	tests := []struct {
		name, in string
		want     []Key // compared by public key and by whether they are private
		err      string
	}{
		{name: "PKCS #8", in: texts.pkcs8, want: []Key{k}},
		{name: "SubjectPublicKeyInfo", in: texts.spki, want: []Key{publicOf(t, k)}},
		{name: "several, with text around them", in: "mine:\n" + texts.spki + "\r\nhis:\n" + others.spki + "that is all\n", want: []Key{publicOf(t, k), publicOf(t, other)}},
		{name: "OpenSSH private", in: texts.openSSH, want: []Key{k}},
		{name: "OpenSSH public", in: texts.line, want: []Key{publicOf(t, k)}},
		{name: "OpenSSH public, several", in: "# mine\n\n" + texts.line + strings.TrimSuffix(others.line, "\n") + "\r\n", want: []Key{publicOf(t, k), publicOf(t, other)}},
		{name: "JWK private", in: okp + `,"d":"` + d + `"}`, want: []Key{k}},
		{name: "JWK public", in: okp + `,"alg":"EdDSA","use":"sig","key_ops":["verify"]}`, want: []Key{publicOf(t, k)}},
		{name: "RFC 9864", in: okp + `,"alg":"Ed25519"}`, want: []Key{publicOf(t, k)}},
		{name: "JWK Set of both kinds", in: `{"keys":[` + okp + `},{"kty":"oct","kid":"s","k":"MDEyMzQ1Njc4OWFiY2RlZmdoaWprbG1ub3BxcnN0dXY"}]}`, want: []Key{publicOf(t, k), newKey("s", []byte(random32))}},

		{name: "OpenSSH encrypted", in: texts.encrypted, err: "an encrypted private key (OpenSSH): there is no passphrase prompt; decrypt a copy with ssh-keygen -p"},
		{name: "PKCS #8 encrypted", in: "-----BEGIN ENCRYPTED PRIVATE KEY-----\nMIGb\n-----END ENCRYPTED PRIVATE KEY-----\n", err: "an encrypted private key (PEM): there is no passphrase prompt"},
		{name: "PEM encrypted", in: "-----BEGIN PRIVATE KEY-----\nProc-Type: 4,ENCRYPTED\nDEK-Info: AES-128-CBC,00\n\nMIGb\n-----END PRIVATE KEY-----\n", err: "an encrypted private key (PEM)"},
		{name: "OpenSSH ECDSA", in: texts.ecSSH, err: "a private key (OpenSSH) for ECDSA: only Ed25519 keys are supported"},
		{name: "OpenSSH public ECDSA", in: texts.ecLine, err: "line 1: a public key (OpenSSH) of type ecdsa-sha2-nistp256: only ssh-ed25519 is supported"},
		{name: "OpenSSH with options", in: "# a\nfrom=\"10.0.0.1\" " + texts.line, err: "line 2: expected a public key (OpenSSH), which begins with ssh-ed25519; remove the options before it"},
		{name: "OpenSSH with a damaged line", in: texts.line + "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAA mine\n", err: "line 2: a public key (OpenSSH): damaged"},
		{name: "OpenSSH with another private key in it", in: exchanged, err: "its public key does not belong to its private key"},
		{name: "OpenSSH cut", in: texts.openSSH[:100] + "\n-----END OPENSSH PRIVATE KEY-----\n", err: "OpenSSH"},
		{name: "a damaged one of several", in: texts.spki + strings.Replace(others.spki, "MCow", "MC!w", 1), err: "2 keys (PEM) begin in it, but only 1 can be read"},
		{name: "PEM damaged", in: "-----BEGIN PUBLIC KEY-----\nMCowBQYDK2VwAyEAGb9E\n-----END PUBLIC KEY-----\n", err: "a public key (PEM): damaged"},
		{name: "public key of small order", in: strings.Replace(okp, x, neutral, 1) + "}", err: "a public key of small order, for which anyone can sign"},
		{name: "private key of zeros", in: strings.Replace(okp, x, neutral, 1) + `,"d":"` + strings.Repeat("A", 43) + `"}`, err: "only zero bytes"},
		{name: "another public key in it", in: strings.Replace(okp, x, base64.RawURLEncoding.EncodeToString(other.public), 1) + `,"d":"` + d + `"}`, err: "its public key does not belong to its private key"},
		{name: "no x", in: `{"kty":"OKP","crv":"Ed25519","d":"` + d + `"}`, err: "x: not 32 bytes in base64url"},
		{name: "x with padding", in: strings.Replace(okp, x, x+"=", 1) + "}", err: "x: not 32 bytes"},
		{name: "d is too short", in: okp + `,"d":"` + d[:40] + `"}`, err: "d: not 32 bytes"},
		{name: "d is not a string", in: okp + `,"d":null}`, err: "d: not 32 bytes"},
		{name: "X25519", in: strings.Replace(okp, "Ed25519", "X25519", 1) + "}", err: `crv: expected "Ed25519", found "X25519"`},
		{name: "no curve", in: `{"kty":"OKP","x":"` + x + `"}`, err: `crv: expected "Ed25519", found ""`},
		{name: "alg of another", in: okp + `,"alg":"HS256"}`, err: `alg: the key is for "HS256": use a key of this type for EdDSA`},
		{name: "kid that is not a string", in: okp + `,"kid":7}`, err: "kid: expected a string"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			keys, err := ParseKeys([]byte(tt.in))
			if tt.err != "" {
				if err == nil || !strings.Contains(err.Error(), tt.err) {
					t.Fatalf("got %v, %v; want %s", keys, err, tt.err)
				}
				if strings.Contains(err.Error(), d[:20]) {
					t.Errorf("shows the private key: %v", err)
				}
				return
			}
			if err != nil || len(keys) != len(tt.want) {
				t.Fatalf("got %v, %v", keys, err)
			}
			for i, k := range keys {
				if !k.same(tt.want[i]) || k.IsPublic() != tt.want[i].IsPublic() || k.ID != tt.want[i].ID {
					t.Errorf("got %v, want %v", k, tt.want[i])
				}
			}
		})
	}
}

// No verb or encoder shows a private key.
func TestPrivateKeyDoesNotShow(t *testing.T) {
	k := ofSeed("k1", 0x6b)
	var log bytes.Buffer
	slog.New(slog.NewJSONHandler(&log, nil)).Info("m", "key", k, "keys", []*Key{&k})
	for _, verb := range []string{"%v", "%+v", "%#v", "%s", "%q", "%x", "%d"} {
		fmt.Fprintf(&log, verb+verb+verb, k, &k, []Key{k})
	}
	v, err := NewVerifier([]Key{k})
	if err != nil {
		t.Fatal(err)
	}
	fmt.Fprintf(&log, "%v %+v", v, *v)
	seed := k.private.Seed()
	text := strings.ToLower(log.String())
	for _, hidden := range []string{string(seed), hex.EncodeToString(seed), "107 107", base64.RawURLEncoding.EncodeToString(seed), base64.StdEncoding.EncodeToString(seed)} {
		if strings.Contains(text, strings.ToLower(hidden)) {
			t.Errorf("shows the private key as %s:\n%s", hidden, text)
		}
	}
	if !strings.Contains(text, `private ed25519 key "k1"`) {
		t.Errorf("does not show the ID:\n%s", text)
	}
}

// No text makes the parser panic, and every parsed key works: it verifies its own signatures,
// and its public half can be read back.
func FuzzParseEd25519(f *testing.F) {
	texts := keptTexts(f, ofSeed("", 0x42))
	for _, text := range []string{texts.pkcs8, texts.spki, texts.openSSH, texts.encrypted, texts.line, texts.ecSSH, texts.ecLine} {
		f.Add([]byte(text))
	}
	private, err := ofSeed("a", 0x42).JWK()
	if err != nil {
		f.Fatal(err)
	}
	f.Add(private)
	f.Fuzz(func(t *testing.T, text []byte) {
		keys, err := ParseKeys(text)
		if err != nil {
			return
		}
		for _, k := range keys {
			public, ok := k.Public()
			if !ok {
				continue
			}
			if len(public.public) != ed25519.PublicKeySize || checkPoint(public.public) != nil || k.ID == "" {
				t.Fatalf("accepted %v", k)
			}
			if k.MaySign() == nil {
				v, err := NewVerifier([]Key{public})
				if err != nil {
					t.Fatal(err)
				}
				if _, err := v.Verify(parse(t, mustSign(t, `{"a":1}`, k))); err != nil {
					t.Fatalf("%v signs what it does not verify: %v", k, err)
				}
			}
			text, err := public.JWK()
			if err != nil {
				continue // an ID that is not UTF-8
			}
			if again, err := ParseKeys(text); err != nil || !again[0].same(public) || again[0].ID != public.ID {
				t.Fatalf("%s reads back as %v, %v", text, again, err)
			}
		}
	})
}
