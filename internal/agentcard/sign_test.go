package agentcard

import (
	"encoding/base64"
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/eaapl/handoff/pkg/sign"
)

// Key pairs of the RFCs: P-256 of RFC 7515, appendix A.3, and Ed25519 of RFC 8037, appendix A.
const (
	rfc7515Key = `{"kty":"EC","crv":"P-256","x":"f83OJ3D2xF1Bg8vub9tLe1gHMzV76e8Tus9uPHvRVEU","y":"x_FEzRu9m36HLN_tue659LNpXW6pCyStikYjKIWI5a0","d":"jpsQnnGQmL-YBIffH1136cspYG6-0iY7X1fCE9-E9LI"}`
	rfc8037Key = `{"kty":"OKP","crv":"Ed25519","d":"nWGxne_9WmC6hEr0kuwsxERJxWl7MmkZcDusAxyuf2A","x":"11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo"}`
)

func keyOf(t testing.TB, text, id string) sign.Key {
	t.Helper()
	keys, err := sign.ParseJWSKeys([]byte(text))
	if err != nil {
		t.Fatal(err)
	}
	if id == "" {
		return keys[0]
	}
	return keys[0].WithID(id)
}

func verifierOf(t testing.TB, keys ...sign.Key) *Verifier {
	t.Helper()
	v, err := NewVerifier(keys)
	if err != nil {
		t.Fatal(err)
	}
	return v
}

func public(k sign.Key) sign.Key {
	k, _ = k.Public()
	return k
}

// TestSign compares the output of Sign byte by byte, because Ed25519 is deterministic.
func TestSign(t *testing.T) {
	ed := keyOf(t, rfc8037Key, "k1")
	other := `{"signature":"AA",  "protected":"e30","header":{"n":1.50}}`
	const protected = "eyJhbGciOiJFZERTQSIsInR5cCI6IkpPU0UiLCJraWQiOiJrMSJ9" // {"alg":"EdDSA","typ":"JOSE","kid":"k1"}
	made := func(card string) string {
		payload, err := Payload(parse(t, card).Root())
		if err != nil {
			t.Fatal(err)
		}
		b, err := ed.SignJWS([]byte(protected + "." + base64.RawURLEncoding.EncodeToString(payload)))
		if err != nil {
			t.Fatal(err)
		}
		return `{"protected":"` + protected + `","signature":"` + base64.RawURLEncoding.EncodeToString(b) + `"}`
	}
	tests := []struct {
		name, card, want string
		o                SignOptions
	}{
		{name: "the first", card: "{ \"version\" : \"1\",\n\t\"n\":1.50 }\n", want: "{ \"version\" : \"1\",\n\t\"n\":1.50,\n\t\"signatures\": [SIGNATURE] }\n"},
		{name: "beside others", card: `{"signatures" : [ ` + other + ` ], "name":"\u0061"}`, want: `{"signatures" : [ ` + other + `, SIGNATURE ], "name":"\u0061"}`},
		{name: "in an empty card", card: ` { } `, want: ` {"signatures":[SIGNATURE] } `},
		{name: "after none", card: `{"signatures":null,"x":1e2}`, want: `{"signatures":[SIGNATURE],"x":1e2}`},
		{name: "in an empty list", card: `{"signatures":[],"x":1e2}`, want: `{"signatures":[SIGNATURE],"x":1e2}`},
		{name: "in the place of its own", o: SignOptions{Replace: true},
			card: `{"signatures":[` + other + `, {"protected":"` + protected + `"}],"x":1}`, want: `{"signatures":[` + other + `, SIGNATURE],"x":1}`},
		{name: "of no other", o: SignOptions{Replace: true}, card: `{"signatures":[` + other + `]}`, want: `{"signatures":[` + other + `,SIGNATURE]}`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			doc := parse(t, tt.card)
			got, err := Sign(doc, ed, tt.o)
			want := strings.Replace(tt.want, "SIGNATURE", made(tt.card), 1)
			if err != nil || string(got) != want {
				t.Fatalf("got %v\n%s, want\n%s", err, got, want)
			}
			all, err := verifierOf(t, public(ed)).Verify(parse(t, string(got)))
			if err != nil || !all[len(all)-1].Holds() || all[len(all)-1].Key.ID != "k1" {
				t.Errorf("got %v %+v", err, all)
			}
		})
	}
}

func TestSignHeader(t *testing.T) {
	k := keyOf(t, rfc7515Key, "a\"b")
	got, err := header(k, "https://x.example/k?a=b&c")
	if want := `{"alg":"ES256","typ":"JOSE","kid":"a\"b","jku":"https://x.example/k?a=b&c"}`; err != nil || string(got) != want {
		t.Errorf("got %v %s", err, got)
	}
}

func TestSignErrors(t *testing.T) {
	ed := keyOf(t, rfc8037Key, "k1")
	own := `{"protected":"eyJhbGciOiJFZERTQSIsInR5cCI6IkpPU0UiLCJraWQiOiJrMSJ9"}`
	tests := []struct {
		name, card string
		key        sign.Key
		want       string
	}{
		{"a public key", `{}`, public(ed), "is public"},
		{"a shared secret", `{}`, sign.NewKey("x"), "shared secret"},
		{"a key without an ID", `{}`, ed.WithID(""), "no ID"},
		{"signed already", `{"signatures":[` + own + `]}`, ed, ErrSigned.Error()},
		{"no place", `{"signatures":{}}`, ed, "expected an array"},
		{"no room", `{"signatures":[` + strings.Repeat("1,", MaxSignatures-1) + `1]}`, ed, "has 64 signatures"},
		{"no object", `[]`, ed, ErrNotObject.Error()},
		{"a number", `{"x":1e-400}`, ed, "1e-400"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got, err := Sign(parse(t, tt.card), tt.key, SignOptions{})
			if err == nil || !strings.Contains(err.Error(), tt.want) || got != nil {
				t.Errorf("got %v %s", err, got)
			}
		})
	}
}

// signed returns a card with a valid signature, after changes to the signature's element.
func signed(t testing.TB, k sign.Key, header, unprotected string) string {
	t.Helper()
	card := example()
	payload, err := Payload(parse(t, card).Root())
	if err != nil {
		t.Fatal(err)
	}
	protected := encode(header)
	b, err := k.SignJWS(signingInput(protected, encodePayload(payload)))
	if err != nil {
		t.Fatal(err)
	}
	return example("signatures", `[{"protected":"`+protected+`","signature":"`+base64.RawURLEncoding.EncodeToString(b)+`"`+unprotected+`}]`)
}

// TestVerify checks the reason for every kind of invalid signature; "" is the reason of a valid one.
func TestVerify(t *testing.T) {
	ec, ed := keyOf(t, rfc7515Key, "ec"), keyOf(t, rfc8037Key, "ed")
	nameless := keyOf(t, rfc8037Key, "")
	const es, ed25519 = `{"alg":"ES256","typ":"JOSE","kid":"ec"}`, `{"alg":"EdDSA","typ":"JOSE","kid":"ed"}`
	good := signed(t, ec, es, "")
	change := func(old, new string) string {
		if !strings.Contains(good, old) {
			t.Fatalf("no %s", old)
		}
		return strings.Replace(good, old, new, 1)
	}
	end := good[strings.LastIndex(good, `"signature":"`)+len(`"signature":"`):]
	value := end[:86]
	tests := []struct {
		name   string
		card   string
		keys   []sign.Key
		reason sign.Reason
		says   string
	}{
		{"ES256", good, nil, "", ""},
		{"EdDSA", signed(t, ed, ed25519, ""), nil, "", ""},
		{"without typ", signed(t, ed, `{"alg":"EdDSA","kid":"ed"}`, ""), nil, "", ""},
		{"other parameters", signed(t, ec, `{"kid":"ec","alg":"ES256","iat":1,"typ":"agentcard"}`, `,"header":{"note":"x"}`), nil, "", ""},
		{"header null", signed(t, ec, es, `,"header":null`), nil, "", ""},
		{"a key without a name", signed(t, ed, ed25519, ""), []sign.Key{public(nameless)}, "", ""},
		{"written otherwise", change(`"name": "Recipe Agent"`, "\"n\\u0061me\" :\n\"Recipe\\u0020Agent\""), nil, "", ""},
		{"a default added", change(`"name": `, `"securitySchemes": {}, "provider": null, "name": `), nil, "", ""},

		{"no signatures", example(), nil, sign.Missing, "no signatures"},
		{"an empty list", example("signatures", "[]"), nil, sign.Missing, ""},
		{"null", example("signatures", "null"), nil, sign.Missing, ""},
		{"no list", example("signatures", `"x"`), nil, sign.Malformed, ""},
		{"no object", `[]`, nil, sign.NotCanonicalizable, ""},
		{"a number", strings.Replace(good, `"name"`, `"x":9007199254740993,"name"`, 1), nil, sign.NotCanonicalizable, "9007199254740993"},

		{"a changed text", change("Recipe Agent", "Recipe agent"), nil, sign.Mismatch, "was changed"},
		{"a card of 0.3", change(`"supportedInterfaces"`, `"url":"https://x.example","x"`), nil, sign.Mismatch, "A2A 0.3"},
		{"a changed flag", change("true", "false"), nil, sign.Mismatch, ""},
		{"a removed member", change(`"capabilities": {"streaming": true}`, `"capabilities": {}`), nil, sign.Mismatch, ""},
		{"an added member", change(`"name"`, `"x":"","name"`), nil, sign.Mismatch, ""},
		{"an added optional default", change(`"name"`, `"iconUrl":"","name"`), nil, sign.Mismatch, ""},
		{"an added empty message", change(`"name"`, `"provider":{},"name"`), nil, sign.Mismatch, ""},
		{"other order of a list", change(`"tags": ["cooking"]`, `"tags": ["cooking", ""]`), nil, sign.Mismatch, ""},
		{"another key", good, []sign.Key{sign.NewP256Key("ec")}, sign.Mismatch, ""},
		{"a key of another name", good, []sign.Key{ec.WithID("other")}, sign.UnknownKeyID, `"ec"`},
		{"a key of another kind with its name", good, []sign.Key{ed.WithID("ec")}, sign.UnsupportedAlgorithm, "only for EdDSA"},
		{"ES256 said of Ed25519", signed(t, ed, `{"alg":"ES256","kid":"ed"}`, ""), nil, sign.UnsupportedAlgorithm, ""},

		{"alg none", change(encode(es), encode(`{"alg":"none","kid":"ec"}`)), nil, sign.UnsupportedAlgorithm, "does not protect"},
		{"alg None without a signature", example("signatures", `[{"protected":"`+encode(`{"alg":"nOnE","kid":"ec"}`)+`","signature":""}]`), nil, sign.Malformed, ""},
		{"RS256", change(encode(es), encode(`{"alg":"RS256","kid":"ec"}`)), nil, sign.UnsupportedAlgorithm, "RS256"},
		{"HS256", change(encode(es), encode(`{"alg":"HS256","kid":"ec"}`)), nil, sign.UnsupportedAlgorithm, "HS256"},
		{"es256 in small letters", change(encode(es), encode(`{"alg":"es256","kid":"ec"}`)), nil, sign.UnsupportedAlgorithm, ""},
		{"Ed25519 (RFC 9864)", signed(t, ed, `{"alg":"Ed25519","kid":"ed"}`, ""), nil, sign.UnsupportedAlgorithm, ""},
		{"no alg", signed(t, ec, `{"kid":"ec"}`, ""), nil, sign.Malformed, "alg"},
		{"alg in the other header alone", signed(t, ec, `{"kid":"ec"}`, `,"header":{"alg":"ES256"}`), nil, sign.Malformed, ""},
		{"no kid", signed(t, ec, `{"alg":"ES256"}`, ""), nil, sign.Malformed, "kid"},
		{"an empty kid", signed(t, ec, `{"alg":"ES256","kid":""}`, ""), nil, sign.Malformed, ""},
		{"kid in the other header", signed(t, ec, `{"alg":"ES256"}`, `,"header":{"kid":"ec"}`), nil, sign.Malformed, ""},
		{"kid a number", signed(t, ec, `{"alg":"ES256","kid":1}`, ""), nil, sign.Malformed, ""},
		{"typ a number", signed(t, ec, `{"alg":"ES256","kid":"ec","typ":1}`, ""), nil, sign.Malformed, ""},
		{"a parameter in both headers", signed(t, ec, es, `,"header":{"kid":"ec"}`), nil, sign.Malformed, "only one of them"},
		{"crit", signed(t, ec, `{"alg":"ES256","kid":"ec","crit":["exp"],"exp":1}`, ""), nil, sign.Malformed, "crit"},
		{"b64", signed(t, ec, `{"alg":"ES256","kid":"ec","b64":false}`, ""), nil, sign.Malformed, "b64"},
		{"crit in the other header", signed(t, ec, es, `,"header":{"crit":[]}`), nil, sign.Malformed, ""},
		{"a header of another type", signed(t, ec, es, `,"header":[]`), nil, sign.Malformed, ""},
		{"a parameter twice", signed(t, ec, `{"alg":"none","alg":"ES256","kid":"ec"}`, ""), nil, sign.Malformed, "without duplicate names"},
		{"a header that is not an object", signed(t, ec, `["ES256"]`, ""), nil, sign.Malformed, ""},
		{"a header with something after it", signed(t, ec, es+"{}", ""), nil, sign.Malformed, ""},
		{"protected with padding", change(encode(es), encode(es)+"="), nil, sign.Malformed, ""},
		{"protected with a line end", change(encode(es), encode(es)+`\n`), nil, sign.Malformed, ""},
		{"a signature in base64", change(value, strings.Repeat("+", 86)), nil, sign.Malformed, ""},
		{"a signature with bits left over", change(value, value[:85]+"_"), nil, sign.Malformed, ""},
		{"a short signature", change(value, value[:84]), nil, sign.Malformed, "64 bytes"},
		{"a signature in DER", change(value, encode(strings.Repeat("x", 70))), nil, sign.Malformed, ""},
		{"a signature of zeros", change(value, strings.Repeat("A", 86)), nil, sign.Mismatch, ""},
		{"no signature", example("signatures", `[{"protected":"`+encode(es)+`"}]`), nil, sign.Malformed, ""},
		{"an element that is not an object", example("signatures", `["x"]`), nil, sign.Malformed, ""},
		{"too many", example("signatures", `[`+strings.Repeat("{},", MaxSignatures)+`{}]`), nil, sign.Malformed, "65 signatures"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			keys := tt.keys
			if keys == nil {
				keys = []sign.Key{public(ec), public(ed)}
			}
			all, err := verifierOf(t, keys...).Verify(parse(t, tt.card))
			if tt.reason == "" {
				if err != nil || len(all) != 1 || !all[0].Holds() || all[0].Key.ID == "" {
					t.Fatalf("got %v, %+v", err, all)
				}
				return
			}
			fault := (*sign.Error)(nil)
			if !errors.As(err, &fault) || fault.Reason != tt.reason || !strings.Contains(fault.Problem, tt.says) || fault.Line == 0 {
				t.Errorf("got %+v, want %s", err, tt.reason)
			}
			for _, s := range all {
				if s.Holds() || s.Problem == "" {
					t.Errorf("got %+v", s)
				}
			}
		})
	}
}

// TestVerifyForeignKeys checks that a key in a signature is reported and not used.
func TestVerifyForeignKeys(t *testing.T) {
	attacker := sign.NewP256Key("mallory")
	jwk, err := public(attacker).JWK()
	if err != nil {
		t.Fatal(err)
	}
	mine := keyOf(t, rfc7515Key, "ec")
	card := signed(t, attacker, `{"alg":"ES256","kid":"ec","jku":"https://mallory.example/keys","jwk":`+string(jwk)+`}`, `,"header":{"x5u":"https://mallory.example/x"}`)
	all, err := verifierOf(t, public(mine)).Verify(parse(t, card))
	fault := (*sign.Error)(nil)
	if !errors.As(err, &fault) || fault.Reason != sign.Mismatch {
		t.Fatalf("got %v", err)
	}
	if s := all[0]; s.KeySet != "https://mallory.example/keys" || !cmp.Equal(s.Keys, []string{"jwk", "x5u"}) || s.KeyID != "ec" || s.Algorithm != "ES256" {
		t.Errorf("got %+v", s)
	}
}

// TestVerifySeveral checks that one valid signature is enough, and that a card without one has the
// reason of its closest signature.
func TestVerifySeveral(t *testing.T) {
	ec, ed := keyOf(t, rfc7515Key, "ec"), keyOf(t, rfc8037Key, "ed")
	card := parse(t, example("signatures", `[{"protected":"`+encode(`{"alg":"RS256","kid":"x"}`)+`","signature":"AA"}, 1]`))
	for _, k := range []sign.Key{ec, ed} {
		text, err := Sign(card, k, SignOptions{})
		if err != nil {
			t.Fatal(err)
		}
		card = parse(t, string(text))
	}
	for _, tt := range []struct {
		keys   []sign.Key
		reason sign.Reason
		want   []sign.Reason
	}{
		{[]sign.Key{ec, ed}, "", []sign.Reason{sign.UnsupportedAlgorithm, sign.Malformed, "", ""}},
		{[]sign.Key{ed}, "", []sign.Reason{sign.UnsupportedAlgorithm, sign.Malformed, sign.UnknownKeyID, ""}},
		{[]sign.Key{sign.NewEd25519Key("ed")}, sign.Mismatch, []sign.Reason{sign.UnsupportedAlgorithm, sign.Malformed, sign.UnknownKeyID, sign.Mismatch}},
		{[]sign.Key{sign.NewEd25519Key("z")}, sign.UnknownKeyID, []sign.Reason{sign.UnsupportedAlgorithm, sign.Malformed, sign.UnknownKeyID, sign.UnknownKeyID}},
	} {
		all, err := verifierOf(t, tt.keys...).Verify(card)
		var got []sign.Reason
		for _, s := range all {
			got = append(got, s.Reason)
		}
		if !cmp.Equal(got, tt.want) {
			t.Errorf("got %q, want %q", got, tt.want)
		}
		fault := (*sign.Error)(nil)
		if tt.reason == "" && err != nil || tt.reason != "" && (!errors.As(err, &fault) || fault.Reason != tt.reason) {
			t.Errorf("got %v, want %q", err, tt.reason)
		}
	}
}

func TestNewVerifier(t *testing.T) {
	for _, keys := range [][]sign.Key{nil, {sign.NewKey("x")}, {{}}, {keyOf(t, strings.Replace(rfc8037Key, "{", `{"key_ops":["sign"],`, 1), "k")}} {
		if _, err := NewVerifier(keys); err == nil {
			t.Errorf("%v: no error", keys)
		}
	}
}
