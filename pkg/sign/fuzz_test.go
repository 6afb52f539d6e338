package sign

import (
	"errors"
	"testing"

	"github.com/eaapl/handoff/pkg/jsonstream"
	"github.com/eaapl/handoff/pkg/message"
)

// A message that can be signed then verifies, whether or not the key has an ID. One that does
// not verify has a reason, and can be explained.
func FuzzSign(f *testing.F) {
	for _, seed := range []string{
		`{"a":1,"signatureKeyId":"x"}`, `{"signature":"hmac-sha256:00","n":[1.50,"é\u0000/"]}`, `{"\u0073ignature":null}`,
		`{"signatureKeyId":{},"b":1e400}`, `{"signature":"ed25519:AA","signatureKeyId":"y"}`, `[]`, `{}`, `{"n":9007199254740993}`, " {\n\"a\" : [ ] , \"signature\" : \"\" }\n",
	} {
		f.Add([]byte(seed))
	}
	keys := []Key{NewKey("x"), NewKey(""), NewEd25519Key("y")}
	v, err := NewVerifier(keys)
	if err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		m, err := message.Parse(text, message.Options{Limits: jsonstream.Limits{MaxDepth: 100}})
		if err != nil {
			return
		}
		_, err = v.Verify(m)
		if e := (*Error)(nil); !errors.As(err, &e) || e.Problem == "" || e.Reason == "" {
			t.Fatalf("%q: got %v", text, err)
		}
		for _, k := range keys {
			signed, err := Sign(m, k, true)
			if err != nil {
				continue
			}
			again := parse(t, string(signed))
			if again.Root().Get(KeyIDMember).Exists() && k.ID == "" {
				continue // the message already names another key
			}
			if by, err := v.Verify(again); err != nil || by.ID != k.ID {
				t.Fatalf("%q, signed with %v as %q: %v, %v", text, k, signed, by, err)
			}
		}
		v.Explain(m, m)
	})
}
