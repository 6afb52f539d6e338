package sign

import (
	"bytes"
	"crypto/ed25519"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// ofSeed returns a private key whose seed is one repeated byte, except for the last.
func ofSeed(id string, b byte) Key {
	private := ed25519.NewKeyFromSeed(append(bytes.Repeat([]byte{b}, ed25519.SeedSize-1), 1))
	return named(Key{public: private.Public().(ed25519.PublicKey), private: private}, id)
}

func publicOf(t interface {
	Helper()
	Fatal(...any)
}, k Key) Key {
	t.Helper()
	public, ok := k.Public()
	if !ok {
		t.Fatal("no public key")
	}
	return public
}

func unhex(t *testing.T, text string) []byte {
	t.Helper()
	b, err := hex.DecodeString(text)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// The vectors of RFC 8032, section 7.1: we make the same signatures, and they verify.
func TestRFC8032(t *testing.T) {
	text, err := os.ReadFile("testdata/rfc8032.txt")
	if err != nil {
		t.Fatal(err)
	}
	count := 0
	for line := range strings.Lines(string(text)) {
		if strings.HasPrefix(line, "#") {
			continue
		}
		count++
		f := strings.Split(strings.TrimSpace(line), ":")
		t.Run(f[0], func(t *testing.T) {
			k, err := newPrivate("", unhex(t, f[1]), unhex(t, f[2]))
			if err != nil {
				t.Fatal(err)
			}
			if got := hex.EncodeToString(ed25519.Sign(k.private, unhex(t, f[3]))); got != f[4] {
				t.Errorf("got %s, want %s", got, f[4])
			}
			s := signature{algorithm: Ed25519}
			copy(s.bytes[:], unhex(t, f[4]))
			if public := publicOf(t, k); !public.holds(s, unhex(t, f[3])) || public.holds(s, append(unhex(t, f[3]), 0)) {
				t.Error("does not hold, or holds for another text")
			}
		})
	}
	if count != 5 {
		t.Fatalf("%d vectors", count)
	}
}

// The vectors of Wycheproof: malleable, truncated, extended and otherwise damaged signatures
// are rejected, and keys are read in PEM and as JSON Web Keys. testdata/wycheproof names the
// source.
func TestWycheproof(t *testing.T) {
	text, err := os.ReadFile("testdata/wycheproof/ed25519_test.json")
	if err != nil {
		t.Fatal(err)
	}
	var vectors struct {
		NumberOfTests int
		TestGroups    []struct {
			PublicKey    struct{ PK string }
			PublicKeyPem string
			PublicKeyJwk json.RawMessage
			Tests        []struct {
				TcID                      int
				Comment, Msg, Sig, Result string
				Flags                     []string
			}
		}
	}
	if err := json.Unmarshal(text, &vectors); err != nil {
		t.Fatal(err)
	}
	count, malleable := 0, 0
	for _, group := range vectors.TestGroups {
		keys, err := ParseKeys([]byte(group.PublicKeyPem))
		if err != nil {
			t.Fatal(err)
		}
		jwks, err := ParseKeys(group.PublicKeyJwk)
		if err != nil {
			t.Fatal(err)
		}
		if !keys[0].same(jwks[0]) || hex.EncodeToString(keys[0].public) != group.PublicKey.PK {
			t.Errorf("%s: the PEM is of another key than the JSON Web Key", group.PublicKey.PK)
		}
		for _, tt := range group.Tests {
			count++
			if slices.Contains(tt.Flags, "SignatureMalleability") {
				malleable++
			}
			member := fmt.Sprintf(`{"signature":"ed25519:%s"}`, base64.RawURLEncoding.EncodeToString(unhex(t, tt.Sig)))
			s, problem := signatureOf(parse(t, member))
			if holds := problem == nil && keys[0].holds(s, unhex(t, tt.Msg)); holds != (tt.Result == "valid") {
				t.Errorf("%d (%s): holds is %v, and it is %s", tt.TcID, tt.Comment, holds, tt.Result)
			}
		}
	}
	if count != vectors.NumberOfTests || count < 100 || malleable == 0 {
		t.Errorf("%d vectors of %d, %d of them malleable", count, vectors.NumberOfTests, malleable)
	}
}

// RFC 8037, appendix A: the private key, the public one and the thumbprint of a JSON Web Key.
func TestRFC8037(t *testing.T) {
	const (
		public     = `"kty":"OKP","crv":"Ed25519","x":"11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo"`
		d          = "nWGxne_9WmC6hEr0kuwsxERJxWl7MmkZcDusAxyuf2A"
		print      = "kPrK_qmxVWaYVA9wwBF6Iuo3vVzz7TxHCTwXBygrS4k" // A.3
		privateHex = "9d61b19deffd5a60ba844af492ec2cc44449c5697b326919703bac031cae7f60"
	)
	for _, text := range []string{"{" + public + "}", "{" + public + `,"d":"` + d + `"}`} {
		keys, err := ParseKeys([]byte(text))
		if err != nil {
			t.Fatal(err)
		}
		if k := keys[0]; k.ID != print || k.IsNamed() || k.Algorithm() != Ed25519 || k.IsPublic() == (k.MaySign() == nil) {
			t.Errorf("got %v", k)
		}
		if k := keys[0]; !k.IsPublic() && hex.EncodeToString(k.private.Seed()) != privateHex {
			t.Errorf("%v is another key", k)
		}
	}
}

func TestEd25519ReadsBack(t *testing.T) {
	for _, id := range []string{"", "agent/2026-11"} {
		made := NewEd25519Key(id)
		text, err := made.JWK()
		if err != nil {
			t.Fatal(err)
		}
		keys, err := ParseKeys(text)
		if err != nil || len(keys) != 1 || keys[0].ID != made.ID || !bytes.Equal(keys[0].private, made.private) || !keys[0].IsNamed() || made.Weakness() != "" {
			t.Errorf("%v reads back as %v, %v", made, keys, err)
		}
		public := publicOf(t, made)
		if text, err = public.JWK(); err != nil || strings.Contains(string(text), `"d"`) || strings.Contains(string(text), base64.RawURLEncoding.EncodeToString(made.private.Seed())) {
			t.Errorf("the public key is %s, %v", text, err)
		}
		keys, err = ParseKeys(text)
		if err != nil || len(keys) != 1 || !keys[0].IsPublic() || !keys[0].same(public) || keys[0].ID != made.ID {
			t.Errorf("%v reads back as %v, %v", public, keys, err)
		}
		if _, err := Sign(parse(t, `{}`), public, false); err == nil || !strings.Contains(err.Error(), "sign with its private key") {
			t.Errorf("a public key signs: %v", err)
		}
	}
	if _, ok := NewKey("k").Public(); ok {
		t.Error("a shared secret has a public half")
	}
}

// A public key verifies the signatures of its private key in any spelling of the message; any
// change makes it fail.
func TestEd25519Signs(t *testing.T) {
	k := NewEd25519Key("")
	v, err := NewVerifier([]Key{NewEd25519Key(""), NewKey("other"), publicOf(t, k)})
	if err != nil {
		t.Fatal(err)
	}
	rapid.Check(t, func(t *rapid.T) {
		m := parse(t, mustSign(t, encode(t, jsonObject(t, 3)), k))
		by, err := v.Verify(parse(t, respell(t, m.Root())))
		if err != nil || by.ID != k.ID || !by.IsPublic() {
			t.Fatalf("%s\nis verified by %v, %v", m.Raw(), by, err)
		}
		changed, err := m.Set("/new", []byte("1"))
		if err != nil {
			t.Fatal(err)
		}
		if _, err := v.Verify(changed); err == nil {
			t.Fatalf("verifies with a member more: %s", changed.Raw())
		}
	})
}

// A key is for its own algorithm: a message cannot choose how it is verified.
func TestAlgorithmConfusion(t *testing.T) {
	pair, secret := NewEd25519Key("k1"), newKey("k1", []byte(random32))
	public := publicOf(t, pair)
	jwk, err := public.JWK()
	if err != nil {
		t.Fatal(err)
	}
	verifier := func(keys ...Key) *Verifier {
		v, err := NewVerifier(keys)
		if err != nil {
			t.Fatal(err)
		}
		return v
	}
	// An HMAC with the public key as secret, in any form.
	for name, known := range map[string][]byte{
		"bytes": public.public, "base64url": []byte(base64.RawURLEncoding.EncodeToString(public.public)),
		"hex": []byte(hex.EncodeToString(public.public)), "JSON Web Key": jwk, "with a line feed": append(jwk, '\n'),
	} {
		forged := parse(t, mustSign(t, `{"a":1}`, newKey("k1", known)))
		for _, v := range []*Verifier{verifier(public), verifier(public, NewKey("other")), verifier(pair)} {
			if by, err := v.Verify(forged); err == nil {
				t.Errorf("an HMAC whose secret is the public key (%s) verifies by %v", name, by)
			}
		}
		if len(known) < 65 {
			if _, err := NewVerifier([]Key{public, newKey("k2", known)}); err == nil || !strings.Contains(err.Error(), "which is not secret") {
				t.Errorf("the public key (%s) is taken for a secret: %v", name, err)
			}
		}
	}
	// A signature under the name of the other algorithm.
	m := parse(t, mustSign(t, `{"a":1}`, pair))
	s, _ := signatureOf(m)
	s.algorithm = HMAC
	text := strings.Replace(string(m.Raw()), `"ed25519:`, `"hmac-sha256:`, 1)
	if _, err := verifier(pair).Verify(parse(t, text)); err == nil || secret.holds(s, []byte(`{"a":1}`)) || public.holds(s, []byte(`{"a":1}`)) {
		t.Error("the algorithm's name decides")
	}
}

// An Ed25519 key without a given ID is tried with messages that name another key, and is
// reported by its thumbprint.
func TestEd25519WithoutName(t *testing.T) {
	k := NewEd25519Key("")
	v, err := NewVerifier([]Key{publicOf(t, k), NewEd25519Key("named")})
	if err != nil {
		t.Fatal(err)
	}
	by, err := v.Verify(parse(t, mustSign(t, `{"a":1}`, k.WithID("agent"))))
	if err != nil || by.ID != k.ID || by.IsNamed() || len(by.ID) != 43 {
		t.Errorf("got %v, %v", by, err)
	}
}

// Points that are not public keys are rejected: for some of them, anyone can sign.
func TestCheckPoint(t *testing.T) {
	for _, y := range smallOrders() {
		point := unhex(t, y)
		slices.Reverse(point)
		for _, sign := range []byte{0, 0x80} {
			point[31] = point[31]&0x7f | sign
			if err := checkPoint(point); err == nil || !strings.Contains(err.Error(), "small order") {
				t.Errorf("%x: %v", point, err)
			}
		}
		// It is such a point: R the neutral element and S zero hold for one message in eight.
		point[31] &= 0x7f
		forged := make([]byte, 64)
		forged[0] = 1
		holds := 0
		for i := range 256 {
			if ed25519.Verify(point, fmt.Append(nil, i), forged) {
				holds++
			}
		}
		if holds == 0 {
			t.Errorf("%x: nobody can sign for it", point)
		}
	}
	all := bytes.Repeat([]byte{0xff}, 32)
	if err := checkPoint(all); err == nil || !strings.Contains(err.Error(), "not canonical") {
		t.Errorf("%x: %v", all, err)
	}
	valid := 0
	for y := range byte(200) {
		point := make([]byte, 32)
		point[0], point[5] = y, 1
		if err := checkPoint(point); err == nil {
			valid++
		} else if !strings.Contains(err.Error(), "not a point of the curve") {
			t.Error(err)
		}
	}
	if valid < 70 || valid > 130 { // half of all y are valid
		t.Errorf("%d of 200 y are of points", valid)
	}
	for range 100 {
		if err := checkPoint(NewEd25519Key("").public); err != nil {
			t.Error(err)
		}
	}
}

// Explain recognizes a signer that signs another text, or a digest of it.
func TestExplainEd25519(t *testing.T) {
	k := ofSeed("k", 9)
	v, err := NewVerifier([]Key{publicOf(t, k), NewKey("k2")})
	if err != nil {
		t.Fatal(err)
	}
	canonical := []byte(`{"a":[1.5,2],"b":"é</a","signatureKeyId":"k"}`)
	for _, tt := range []struct {
		text []byte
		want string
	}{
		{append(slices.Clone(canonical), '\n'), "the canonical form with a line feed"},
		{reading{hash: readings(k)[1].hash}.prepared(canonical), "the SHA-256 of the text signed instead of the text"},
		{reading{hash: readings(k)[2].hash}.prepared(canonical), "the SHA-512 of the text signed instead of the text"},
		{[]byte("another"), "is valid for none of 16 texts"},
	} {
		s := signature{algorithm: Ed25519}
		copy(s.bytes[:], ed25519.Sign(k.private, tt.text))
		in := unsigned[:len(unsigned)-1] + `, "signature": "` + s.String() + `"}`
		if lines := strings.Join(v.Explain(parse(t, in), nil), "\n"); !strings.Contains(lines, tt.want) || !strings.Contains(lines, `tried key "k"`) {
			t.Errorf("signed %q, got\n%s\nwant %s", tt.text, lines, tt.want)
		}
	}
}
