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

func TestVerifyReasons(t *testing.T) {
	old, current, nameless := NewKey("old"), NewKey("current"), NewKey("")
	signed := func(k Key) string { return mustSign(t, `{"a":1}`, k) }
	forged := `"signature":"hmac-sha256:` + strings.Repeat("0", 64) + `"`
	tests := []struct {
		name, in string
		keys     []Key
		by       string // the ID of the key that made the signature
		reason   Reason // "" if it holds
		pointer  string
		problem  string
	}{
		{name: "holds", in: signed(current), keys: []Key{old, current}, by: "current"},
		{name: "old key still accepted", in: signed(old), keys: []Key{current, old}, by: "old"},
		{name: "no key named: all are tried", in: signed(nameless), keys: []Key{old, current, nameless}},
		{name: "key named, but key file without names", in: signed(current), keys: []Key{old, newKey("", current.secret)}},
		{name: "named key is not tried with others", in: strings.Replace(signed(current), "current", "old", 1), keys: []Key{old, current},
			reason: Mismatch, pointer: "/signature", problem: `is not valid under key "old"`},
		{name: "missing", in: `{"a":1}`, keys: []Key{old}, reason: Missing, problem: `has no member "signature"`},
		{name: "not an object", in: `[{"signature":1}]`, keys: []Key{old}, reason: Missing},
		{name: "no string", in: `{"signature":null}`, keys: []Key{old}, reason: Malformed, pointer: "/signature", problem: "found a null"},
		{name: "no algorithm", in: `{"signature":"` + strings.Repeat("0", 64) + `"}`, keys: []Key{old}, reason: Malformed, pointer: "/signature", problem: "found no algorithm"},
		{name: "short", in: `{"signature":"hmac-sha256:00"}`, keys: []Key{old}, reason: Malformed, pointer: "/signature", problem: "found 2 digits"},
		{name: "upper case", in: `{"signature":"hmac-sha256:` + strings.Repeat("A", 64) + `"}`, keys: []Key{old}, reason: Malformed, pointer: "/signature", problem: "found upper-case ones"},
		{name: "base64", in: `{"signature":"hmac-sha256:AAAA+/=="}`, keys: []Key{old}, reason: Malformed, pointer: "/signature", problem: "found other characters in 8 bytes"},
		{name: "other algorithm", in: `{"signature":"ed25519:` + strings.Repeat("A", 86) + `"}`, keys: []Key{old}, reason: UnsupportedAlgorithm, pointer: "/signature", problem: `signed with "ed25519", but no available key is for it: found key "old"`},
		{name: "unknown algorithm", in: `{"signature":"hmac-md5:00"}`, keys: []Key{old}, reason: UnsupportedAlgorithm, pointer: "/signature", problem: `signed with "hmac-md5": only hmac-sha256 and ed25519 are accepted`},
		{name: "no algorithm at all", in: `{"signature":"none:"}`, keys: []Key{old}, reason: UnsupportedAlgorithm, pointer: "/signature"},
		{name: "algorithm in upper case", in: `{"signature":"HMAC-SHA256:` + strings.Repeat("0", 64) + `"}`, keys: []Key{old}, reason: UnsupportedAlgorithm, pointer: "/signature"},
		{name: "unknown key", in: `{"signatureKeyId":"k9",` + forged + `}`, keys: []Key{old, current}, reason: UnknownKeyID, pointer: "/signatureKeyId", problem: `key "k9", which is not available: found key "old", key "current"`},
		{name: "key id that is not a string", in: `{"signatureKeyId":9,` + forged + `}`, keys: []Key{old}, reason: Malformed, pointer: "/signatureKeyId"},
		{name: "inexact number (D7)", in: `{"a":[0.10000000000000000001],` + forged + `}`, keys: []Key{old}, reason: NotCanonicalizable, pointer: "/a/0", problem: "write 0.1, or"},
		{name: "mismatch", in: `{` + forged + `}`, keys: []Key{nameless}, reason: Mismatch, pointer: "/signature", problem: "under a key without an ID"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			v, err := NewVerifier(tt.keys)
			if err != nil {
				t.Fatal(err)
			}
			k, err := v.Verify(parse(t, tt.in))
			if tt.reason == "" {
				if err != nil || k.ID != tt.by {
					t.Errorf("got %v, %v; want key %q", k, err, tt.by)
				}
				return
			}
			e := (*Error)(nil)
			if !errors.As(err, &e) {
				t.Fatalf("got %v, %v", k, err)
			}
			if e.Reason != tt.reason || e.Pointer != tt.pointer || !strings.Contains(e.Error(), tt.problem) {
				t.Errorf("got %s at %q: %v\nwant %s at %q: %s", e.Reason, e.Pointer, e, tt.reason, tt.pointer, tt.problem)
			}
		})
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
