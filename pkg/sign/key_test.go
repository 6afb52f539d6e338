package sign

import (
	"bytes"
	"encoding/base64"
	"encoding/hex"
	"fmt"
	"io"
	"log/slog"
	"strings"
	"testing"
)

const secret32 = "kkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkj"

// The cases of RFC 4231, section 4, for HMAC-SHA-256.
func TestRFC4231(t *testing.T) {
	bytesOf := func(text string, n int) []byte { return bytes.Repeat([]byte(text), n) }
	tests := []struct {
		name      string
		key, data []byte
		want      string
	}{
		{"4.2", bytesOf("\x0b", 20), []byte("Hi There"), "b0344c61d8db38535ca8afceaf0bf12b881dc200c9833da726e9376c2e32cff7"},
		{"4.3", []byte("Jefe"), []byte("what do ya want for nothing?"), "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843"},
		{"4.4", bytesOf("\xaa", 20), bytesOf("\xdd", 50), "773ea91e36800e46854db8ebd09181a72959098b3ef8c122d9635514ced565fe"},
		{"4.5", []byte("\x01\x02\x03\x04\x05\x06\x07\x08\x09\x0a\x0b\x0c\x0d\x0e\x0f\x10\x11\x12\x13\x14\x15\x16\x17\x18\x19"), bytesOf("\xcd", 50),
			"82558a389a443c0ea4cc819899f2083a85f0faa3e578f8077a2e3ff46729665b"},
		{"4.6, truncated to 128 bits", bytesOf("\x0c", 20), []byte("Test With Truncation"), "a3b6167473100ee06e0c796c2955552b"},
		{"4.7", bytesOf("\xaa", 131), []byte("Test Using Larger Than Block-Size Key - Hash Key First"), "60e431591ee0b67f0d8a26aacbf5b77f8e0bc6213728c5140546040f0ee37f54"},
		{"4.8", bytesOf("\xaa", 131), []byte("This is a test using a larger than block-size key and a larger than block-size data. The key needs to be hashed before being used by the HMAC algorithm."),
			"9b09ffa71b942fcb27635fbcd5b0e944bfdc63644f0713938a7f51535c3a35e2"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if got := macHex(newKey("", tt.key), string(tt.data)); !strings.HasPrefix(got, tt.want) {
				t.Errorf("got %s, want %s", got, tt.want)
			}
		})
	}
}

const random32 = "0123456789abcdefghijklmnopqrstuv"

func TestParseKeys(t *testing.T) {
	k := base64.RawURLEncoding.EncodeToString([]byte(random32))
	tests := []struct {
		name, in string
		ids      []string // of the keys; each has the secret random32
		err      string
	}{
		{name: "raw", in: random32, ids: []string{""}},
		{name: "raw with a newline", in: random32 + "\n", ids: []string{""}},
		{name: "raw with a newline of Windows", in: random32 + "\r\n", ids: []string{""}},
		{name: "JWK", in: `{"kty":"oct","kid":"k1","k":"` + k + `"}`, ids: []string{"k1"}},
		{name: "JWK for HS256", in: ` {"kty":"oct","alg":"HS256","use":"sig","k":"` + k + `","made":1}` + "\n", ids: []string{""}},
		{name: "JWK Set", in: `{"keys":[{"kty":"oct","kid":"old","k":"` + k + `"},{"kty":"oct","kid":"new","k":"` + k + `"}]}`, ids: []string{"old", "new"}},
		{name: "empty", in: "\n", err: "empty: a key is at least"},
		{name: "short", in: "secret", err: "the key has 6 bytes: at least 16 are needed"},
		{name: "short JWK", in: `{"kty":"oct","k":"c2VjcmV0"}`, err: "the key has 6 bytes"},
		{name: "empty set", in: `{"keys":[]}`, err: "/keys: a JWK Set without a key"},
		{name: "key pair", in: `{"kty":"RSA","n":"AQAB","e":"AQAB"}`, err: `kty: expected "oct", a shared secret, or "OKP", an Ed25519 key; found "RSA"`},
		{name: "key pair in a set", in: `{"keys":[{"kty":"EC"}]}`, err: `/keys/0: kty: expected "oct", a shared secret, or "OKP", an Ed25519 key; found "EC"`},
		{name: "no type", in: `{"k":"` + k + `"}`, err: `kty: expected "oct", a shared secret, or "OKP", an Ed25519 key; found none`},
		{name: "type that is not a string", in: `{"kty":1}`, err: `kty: expected "oct", a shared secret, or "OKP", an Ed25519 key; found none`},
		{name: "other algorithm", in: `{"kty":"oct","alg":"HS512","k":"` + k + `"}`, err: `alg: the key is for "HS512"`},
		{name: "other use", in: `{"kty":"oct","use":"enc","k":"` + k + `"}`, err: `use: the key is for "enc"`},
		{name: "not base64url", in: `{"kty":"oct","k":"` + random32 + `!"}`, err: "k: not the secret in base64url"},
		{name: "no secret", in: `{"kty":"oct"}`, err: "k: not the secret"},
		{name: "id that is not a string", in: `{"kty":"oct","kid":{},"k":"` + k + `"}`, err: "kid: expected a string that names the key"},
		{name: "not JSON", in: `{` + random32, err: "begins with { but is not one JSON object"},
		{name: "two objects", in: `{} {}`, err: "begins with { but is not one JSON object"},
		{name: "same name twice", in: `{"kty":"oct","kty":"RSA","k":"` + k + `"}`, err: "begins with {"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			keys, err := ParseKeys([]byte(tt.in))
			if tt.err != "" {
				if err == nil || !strings.Contains(err.Error(), tt.err) || strings.Contains(err.Error(), random32) {
					t.Fatalf("error %v, want %s", err, tt.err)
				}
				return
			}
			if err != nil || len(keys) != len(tt.ids) {
				t.Fatalf("got %v, %v", keys, err)
			}
			for i, k := range keys {
				if k.ID != tt.ids[i] || string(k.secret) != random32 {
					t.Errorf("key %d: got %v", i, k)
				}
			}
		})
	}
}

func TestJWKReadsBack(t *testing.T) {
	made := NewKey("team/2026-11")
	text, err := made.JWK()
	if err != nil {
		t.Fatal(err)
	}
	keys, err := ParseKeys(text)
	if err != nil || len(keys) != 1 || keys[0].ID != made.ID || !bytes.Equal(keys[0].secret, made.secret) || made.Weakness() != "" {
		t.Errorf("%v reads back as %v, %v", made, keys, err)
	}
	if bytes.Equal(made.secret, NewKey("").secret) {
		t.Error("two keys are the same")
	}
}

// No verb or encoder shows the secret.
func TestKeyDoesNotShow(t *testing.T) {
	k := newKey("k1", []byte(secret32))
	var log bytes.Buffer
	slog.New(slog.NewJSONHandler(&log, nil)).Info("m", "key", k, "keys", []*Key{&k})
	slog.New(slog.NewTextHandler(&log, nil)).Info("m", "key", k)
	for _, verb := range []string{"%v", "%+v", "%#v", "%s", "%q", "%x", "%d", "%T"} {
		fmt.Fprintf(&log, verb+verb+verb, k, &k, []Key{k})
	}
	text := strings.ToLower(log.String())
	for _, hidden := range []string{secret32, hex.EncodeToString([]byte(secret32)), "107 107", base64.StdEncoding.EncodeToString([]byte(secret32))} {
		if strings.Contains(text, strings.ToLower(hidden)) {
			t.Errorf("shows the secret as %s:\n%s", hidden, text)
		}
	}
	if !strings.Contains(text, `k1`) {
		t.Errorf("does not show the ID:\n%s", text)
	}
}

func FuzzParseKeys(f *testing.F) {
	f.Add([]byte(random32))
	f.Add([]byte(`{"kty":"oct","k":"AAECAwQFBgcICQoLDA0ODw"}`))
	f.Add([]byte(`{"keys":[{"kty":"oct","kid":"a","k":"AAECAwQFBgcICQoLDA0ODw"}]}`))
	f.Fuzz(func(t *testing.T, text []byte) {
		keys, err := ParseKeys(text)
		if err != nil {
			return
		}
		if len(keys) == 0 {
			t.Fatal("neither keys nor an error")
		}
		for _, k := range keys {
			if k.public == nil && len(k.secret) < MinKeyBytes {
				t.Fatalf("accepted %v", k)
			}
		}
	})
}

// macHex returns the HMAC-SHA-256 of a text under a key.
func macHex(k Key, text string) string {
	sum, _ := k.mac(func(w io.Writer) error {
		_, err := io.WriteString(w, text)
		return err
	})
	return hex.EncodeToString(sum[:])
}
