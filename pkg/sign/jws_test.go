package sign

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/rsa"
	"crypto/x509"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"encoding/pem"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// The key of RFC 7515, appendix A.3.
const rfc7515Key = `{"kty":"EC","crv":"P-256","x":"f83OJ3D2xF1Bg8vub9tLe1gHMzV76e8Tus9uPHvRVEU","y":"x_FEzRu9m36HLN_tue659LNpXW6pCyStikYjKIWI5a0","d":"jpsQnnGQmL-YBIffH1136cspYG6-0iY7X1fCE9-E9LI"}`

func jwsKeys(t *testing.T, text string) []Key {
	t.Helper()
	keys, err := ParseJWSKeys([]byte(text))
	if err != nil {
		t.Fatal(err)
	}
	return keys
}

// The JWS of RFC 7515, appendix A.3 (ES256), and of RFC 8037, appendix A.4 (EdDSA).
func TestJWSVectors(t *testing.T) {
	const (
		rfc8037Key = `{"kty":"OKP","crv":"Ed25519","d":"nWGxne_9WmC6hEr0kuwsxERJxWl7MmkZcDusAxyuf2A","x":"11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo"}`
		ed         = "eyJhbGciOiJFZERTQSJ9.RXhhbXBsZSBvZiBFZDI1NTE5IHNpZ25pbmc"
		edSigned   = "hgyY0il_MGCjP0JzlnLWG1PPOt7-09PGcvMg3AIbQR6dWbhijcNR4ki4iylGjg5BhVsPt9g7sVvpAr_MuM0KAg"
		ec         = "eyJhbGciOiJFUzI1NiJ9.eyJpc3MiOiJqb2UiLA0KICJleHAiOjEzMDA4MTkzODAsDQogImh0dHA6Ly9leGFtcGxlLmNvbS9pc19yb290Ijp0cnVlfQ"
		ecSigned   = "DtEhU3ljbEg8L38VWAfUAqOyKAM6-Xx-F4GawxaepmXFCgfTjDxw5djxLa8ISlSApmWQxfKTUJqPP3-Kg6NU1Q"
	)
	for _, tt := range []struct{ key, alg, input, signature string }{{rfc7515Key, "ES256", ec, ecSigned}, {rfc8037Key, "EdDSA", ed, edSigned}} {
		k := jwsKeys(t, tt.key)[0]
		public, _ := k.Public()
		signature, err := base64.RawURLEncoding.DecodeString(tt.signature)
		if err != nil {
			t.Fatal(err)
		}
		if k.JWSAlgorithm() != tt.alg || !public.VerifyJWS([]byte(tt.input), signature) {
			t.Errorf("%s: does not hold", tt.alg)
		}
		own, err := k.SignJWS([]byte(tt.input))
		if err != nil || !public.VerifyJWS([]byte(tt.input), own) {
			t.Errorf("%s: %v", tt.alg, err)
		}
		if tt.alg == "EdDSA" && base64.RawURLEncoding.EncodeToString(own) != tt.signature {
			t.Errorf("got %x", own) // the algorithm is deterministic
		}
		if public.VerifyJWS([]byte(tt.input+"x"), signature) || public.VerifyJWS([]byte(tt.input), signature[:63]) || public.VerifyJWS([]byte(tt.input), append(signature, 0)) {
			t.Errorf("%s: a changed one holds", tt.alg)
		}
		if _, err := public.SignJWS([]byte(tt.input)); err == nil {
			t.Errorf("%s: a public key signs", tt.alg)
		}
	}
	edKey, ecKey, input := NewEd25519Key("x"), NewP256Key("x"), []byte("x")
	a, err := edKey.SignJWS(input)
	b, err2 := ecKey.SignJWS(input)
	if err != nil || err2 != nil || ecKey.VerifyJWS(input, a) || edKey.VerifyJWS(input, b) || NewKey("x").VerifyJWS(input, a) {
		t.Errorf("a key verifies a signature of another algorithm: %v %v", err, err2)
	}
	if _, err := NewKey("x").SignJWS(nil); err == nil || NewKey("x").JWSAlgorithm() != "" {
		t.Error("a shared secret signs a JWS")
	}
}

// The thumbprint of RFC 7638 was computed independently, with Python's hashlib.
func TestP256Key(t *testing.T) {
	k := jwsKeys(t, rfc7515Key)[0]
	if k.IsNamed() || k.ID != "oKIywvGUpTVTyxMQ3bwIIeQUudfr_CkLMjCE19ECD-U" {
		t.Errorf("got the ID %q", k.ID)
	}
	public, ok := k.Public()
	if !ok || !public.IsPublic() || k.IsPublic() || public.ID != k.ID || k.Algorithm() != P256 {
		t.Errorf("got %v %v", public, ok)
	}
	for _, k := range []Key{k, public, NewP256Key("named")} {
		text, err := k.JWK()
		if err != nil {
			t.Fatal(err)
		}
		if again := jwsKeys(t, string(text))[0]; !again.same(k) || again.ID != k.ID || again.IsPublic() != k.IsPublic() {
			t.Errorf("got %v, want %v", again, k)
		}
		if shown := fmt.Sprintf("%v %+v %#v %s %x", k, k, k, k, k); strings.Contains(shown, "jpsQnn") || strings.Contains(shown, "8e9b109e") || strings.Count(shown, "P-256") != 5 {
			t.Errorf("shown as %s", shown)
		}
		if k.Weakness() != "" {
			t.Error(k.Weakness())
		}
	}
}

// No message is signed or verified with a P-256 key, and ParseKeys rejects one.
func TestP256SignsNoMessage(t *testing.T) {
	k := NewP256Key("p")
	if _, err := Sign(parse(t, `{"a":1}`), k, false); err == nil {
		t.Error("signs")
	}
	if _, err := NewVerifier([]Key{k}); err == nil {
		t.Error("verifies")
	}
	if keys, err := ParseKeys([]byte(rfc7515Key)); err == nil {
		t.Errorf("got %v", keys)
	}
}

// The algorithms and IDs of the keys in key files for a JWS, or the error.
func TestParseJWSKeys(t *testing.T) {
	ec, ed := NewP256Key("ec"), NewEd25519Key("ed")
	block := func(kind string, der []byte, err error) string {
		if err != nil {
			t.Fatal(err)
		}
		return string(pem.EncodeToMemory(&pem.Block{Type: kind, Bytes: der}))
	}
	jwk := func(k Key) string {
		text, err := k.JWK()
		if err != nil {
			t.Fatal(err)
		}
		return string(text)
	}
	public := func(k Key) Key { k, _ = k.Public(); return k }
	pkcs8, err := x509.MarshalPKCS8PrivateKey(ec.p256.private)
	sec1, err2 := x509.MarshalECPrivateKey(ec.p256.private)
	spki, err3 := x509.MarshalPKIXPublicKey(ec.p256.public)
	edPKCS8, err4 := x509.MarshalPKCS8PrivateKey(ed.private)
	p384, _ := ecdsa.GenerateKey(elliptic.P384(), rand.Reader)
	other, err5 := x509.MarshalPKIXPublicKey(&p384.PublicKey)
	rsaKey, err6 := rsa.GenerateKey(rand.Reader, 2048)
	if err6 != nil {
		t.Fatal(err6)
	}
	rsaDER, err7 := x509.MarshalPKCS8PrivateKey(rsaKey)
	const rsaJWK = `{"kty":"RSA","kid":"r","n":"AQAB","e":"AQAB"}`
	const encJWK = `{"kty":"EC","crv":"P-256","use":"enc","x":"f83OJ3D2xF1Bg8vub9tLe1gHMzV76e8Tus9uPHvRVEU","y":"x_FEzRu9m36HLN_tue659LNpXW6pCyStikYjKIWI5a0"}`
	change := func(old, new string) string { return strings.Replace(rfc7515Key, old, new, 1) }
	tests := []struct {
		name, text string
		want       []string
		says       string
	}{
		{"a JSON Web Key", jwk(ec), []string{"ES256 ec private"}, ""},
		{"a public one", jwk(public(ec)), []string{"ES256 ec public"}, ""},
		{"Ed25519", jwk(ed), []string{"EdDSA ed private"}, ""},
		{"a set with others", `{"keys":[` + rsaJWK + `,` + jwk(public(ec)) + `,` + encJWK + `,{"kty":"oct","k":"AAAA"},{"kty":"new"},` + jwk(public(ed)) + `]}`, []string{"ES256 ec public", "EdDSA ed public"}, ""},
		{"a set of others", `{"keys":[` + rsaJWK + `,` + encJWK + `]}`, nil, "without a key for ES256"},
		{"an empty set", `{"keys":[]}`, nil, "without a key: put"},
		{"PKCS #8", block("PRIVATE KEY", pkcs8, err), []string{"ES256  private"}, ""},
		{"SEC 1 after its parameters", "-----BEGIN EC PARAMETERS-----\nBggqhkjOPQMBBw==\n-----END EC PARAMETERS-----\n" + block("EC PRIVATE KEY", sec1, err2), []string{"ES256  private"}, ""},
		{"SubjectPublicKeyInfo", block("PUBLIC KEY", spki, err3), []string{"ES256  public"}, ""},
		{"two in PEM", block("PUBLIC KEY", spki, err3) + block("PRIVATE KEY", edPKCS8, err4), []string{"ES256  public", "EdDSA  private"}, ""},
		{"P-384", block("PUBLIC KEY", other, err5), nil, "P-384"},
		{"RSA", block("PRIVATE KEY", rsaDER, err7), nil, "RSA"},
		{"a damaged one", block("EC PRIVATE KEY", sec1[:20], nil), nil, "damaged"},
		{"a JSON Web Key of RSA", rsaJWK, nil, `found "RSA"`},
		{"a shared secret", jwk(NewKey("s")), nil, `found "oct"`},
		{"raw bytes", strings.Repeat("0123456789abcdef", 2), nil, "neither a key pair"},
		{"nothing", "", nil, "neither a key pair"},
		{"another alg", change(`"crv"`, `"alg":"ES384","crv"`), nil, "alg"},
		{"another curve", change("P-256", "P-384"), nil, "crv"},
		{"for encryption", encJWK, nil, "use"},
		{"a point that is not on the curve", change("x_FEzRu9", "x_FEzRu8"), nil, "not a point"},
		{"another private key", change("jpsQnnGQ", "jpsQnnGR"), nil, "does not belong to its private key"},
		{"a private key of zero", change("jpsQnnGQmL-YBIffH1136cspYG6-0iY7X1fCE9-E9LI", strings.Repeat("A", 43)), nil, "d: not a private"},
		{"a private key beyond the order", change("jpsQnnGQmL-YBIffH1136cspYG6-0iY7X1fCE9-E9LI", strings.Repeat("_", 42)+"8"), nil, "d: not a private"},
		{"a short coordinate", change("f83OJ3D2xF1Bg8vub9tLe1gHMzV76e8Tus9uPHvRVEU", "f83O"), nil, "x: not 32 bytes"},
		{"a kid that is a number", change(`"crv"`, `"kid":1,"crv"`), nil, "kid"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			keys, err := ParseJWSKeys([]byte(tt.text))
			var got []string
			if err != nil {
				keys = nil
			}
			for _, k := range keys {
				id, half := k.ID, "private"
				if !k.IsNamed() {
					id = ""
				}
				if k.IsPublic() {
					half = "public"
				}
				got = append(got, k.JWSAlgorithm()+" "+id+" "+half)
			}
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Error(diff)
			}
			if (err != nil) != (tt.says != "") || err != nil && !strings.Contains(err.Error(), tt.says) {
				t.Errorf("got %v", err)
			}
		})
	}
}

// The signatures of Wycheproof for P-256 in the form of a JWS: special values, modified integers,
// wrong lengths.
func TestWycheproofP256(t *testing.T) {
	text, err := os.ReadFile("testdata/wycheproof/ecdsa_secp256r1_sha256_p1363_test.json")
	if err != nil {
		t.Fatal(err)
	}
	var vectors struct {
		NumberOfTests int
		TestGroups    []struct {
			PublicKeyPem string
			PublicKeyJwk json.RawMessage
			Tests        []struct {
				TcID                      int
				Comment, Msg, Sig, Result string
			}
		}
	}
	if err := json.Unmarshal(text, &vectors); err != nil {
		t.Fatal(err)
	}
	count := 0
	for _, group := range vectors.TestGroups {
		k := jwsKeys(t, group.PublicKeyPem)[0]
		if group.PublicKeyJwk != nil && !k.same(jwsKeys(t, string(group.PublicKeyJwk))[0]) {
			t.Errorf("the PEM is of another key than %s", group.PublicKeyJwk)
		}
		for _, tt := range group.Tests {
			count++
			message, err := hex.DecodeString(tt.Msg)
			signature, err2 := hex.DecodeString(tt.Sig)
			if err != nil || err2 != nil {
				t.Fatal(err, err2)
			}
			if k.VerifyJWS(message, signature) != (tt.Result == "valid") {
				t.Errorf("%d (%s): want %s", tt.TcID, tt.Comment, tt.Result)
			}
		}
	}
	if count != vectors.NumberOfTests || count == 0 {
		t.Errorf("%d of %d tests", count, vectors.NumberOfTests)
	}
}
