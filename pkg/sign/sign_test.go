package sign

import (
	"errors"
	"strings"
	"testing"

	"github.com/eaapl/handoff/pkg/jsonstream"
	"github.com/eaapl/handoff/pkg/message"
)

func parse(t interface {
	Helper()
	Fatal(...any)
}, text string) *message.Message {
	t.Helper()
	m, err := message.Parse([]byte(text), message.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return m
}

func TestSign(t *testing.T) {
	named, unnamed := newKey("k1", []byte(secret32)), newKey("", []byte(secret32))
	// printf %s '{"a":1,"é":2.5}' | openssl dgst -sha256 -hmac kkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkj
	const sum = "226100f6dabcf1db59e528f9f2a5005e3486d20ca43851cbf92f7746efdc9e4b"
	// The same for {"a":1,"signatureKeyId":"k1","é":2.5}.
	const sumNamed = "c5e0d8326242a41931ff7406713bb7b37299d4e795d4619135c506a04ea65e67"
	tests := []struct {
		name, in string
		key      Key
		replace  bool
		want     string
		err      error
	}{
		{name: "unsigned", in: `{"é": 2.50, "a":1}`, key: unnamed, want: `{"é": 2.50, "a":1,"signature":"hmac-sha256:` + sum + `"}`},
		{name: "named key", in: `{"é":2.5,"a":1}`, key: named, want: `{"é":2.5,"a":1,"signatureKeyId":"k1","signature":"hmac-sha256:` + sumNamed + `"}`},
		{name: "named already", in: `{"signatureKeyId":"k1","é":2.5,"a":1}`, key: named, want: `{"signatureKeyId":"k1","é":2.5,"a":1,"signature":"hmac-sha256:` + sumNamed + `"}`},
		{name: "named by its maker", in: `{"signatureKeyId":"k1","é":2.5,"a":1}`, key: unnamed, want: `{"signatureKeyId":"k1","é":2.5,"a":1,"signature":"hmac-sha256:` + sumNamed + `"}`},
		{name: "signed", in: `{"signature":null}`, key: unnamed, err: ErrSigned},
		{name: "signed, replaced", in: `{"signature":"old","é":2.5,"a":1}`, key: unnamed, replace: true, want: `{"signature":"hmac-sha256:` + sum + `","é":2.5,"a":1}`},
		{name: "signed with a named key, replaced by one without", in: `{"signatureKeyId":"k0","é":2.5,"signature":"old","a":1}`, key: unnamed, replace: true,
			want: `{"é":2.5,"signature":"hmac-sha256:` + sum + `","a":1}`},
		{name: "signed, replaced by another", in: `{"signatureKeyId":"k0","é":2.5,"signature":"old","a":1}`, key: named, replace: true,
			want: `{"signatureKeyId":"k1","é":2.5,"signature":"hmac-sha256:` + sumNamed + `","a":1}`},
		{name: "inexact number (D7)", in: `{"n":9007199254740993}`, key: unnamed, err: jsonstream.ErrInexact},
		{name: "number out of range (D7)", in: `{"n":1e400}`, key: unnamed, err: jsonstream.ErrNumberRange},
		{name: "not an object", in: `[1]`, key: unnamed, err: ErrNotObject},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got, err := Sign(parse(t, tt.in), tt.key, tt.replace)
			if string(got) != tt.want || !errors.Is(err, tt.err) {
				t.Fatalf("got  %s, %v\nwant %s, %v", got, err, tt.want, tt.err)
			}
			if tt.err != nil {
				return
			}
			v, err := NewVerifier([]Key{tt.key})
			if err != nil {
				t.Fatal(err)
			}
			if _, err := v.Verify(parse(t, string(got))); err != nil {
				t.Errorf("does not verify: %v", err)
			}
		})
	}
}

// The zero Key does not act as a key with an empty secret.
func TestZeroKey(t *testing.T) {
	if text, err := Sign(parse(t, `{}`), Key{}, false); err == nil {
		t.Errorf("signs: %s", text)
	}
	if _, err := NewVerifier([]Key{NewKey(""), {}}); err == nil {
		t.Error("verifies")
	}
}

func TestNewVerifier(t *testing.T) {
	if _, err := NewVerifier(nil); err == nil {
		t.Error("accepts to verify without a key")
	}
	a, b := newKey("k", []byte(secret32)), NewKey("k")
	if _, err := NewVerifier([]Key{a, b}); err == nil || !strings.Contains(err.Error(), `two different keys have the ID "k"`) {
		t.Errorf("two keys of one ID: %v", err)
	}
	if _, err := NewVerifier([]Key{a, a, NewKey(""), NewKey("")}); err != nil {
		t.Error(err)
	}
}

func mustSign(t interface {
	Helper()
	Fatal(...any)
}, text string, k Key) string {
	t.Helper()
	signed, err := Sign(parse(t, text), k, false)
	if err != nil {
		t.Fatal(err)
	}
	return string(signed)
}
