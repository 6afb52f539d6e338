package sign

import (
	"encoding/base64"
	"encoding/hex"
	"strings"
	"testing"

	"github.com/eaapl/handoff/pkg/message"
)

const unsigned = `{"b": "é<\/a", "a": [1.50, 2], "signatureKeyId": "k"}`

// Explain recognizes a signer that signs another text of the message.
func TestExplainForms(t *testing.T) {
	k := newKey("k", []byte(secret32))
	v, err := NewVerifier([]Key{k})
	if err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct{ text, want string }{
		{unsigned, "the bytes of the message as written, without the signature:"},
		{unsigned + "\n", "as written, without the signature, and a line feed"},
		{`{"a":[1.5,2],"b":"é</a","signatureKeyId":"k"}` + "\n", "the canonical form with a line feed"},
		{`{"b":"é</a","a":[1.50,2],"signatureKeyId":"k"}`, "member order:"},
		{`{"b":"é</a","a":[1.50,2],"signatureKeyId":"k"}` + "\n", "member order and a line feed"},
		{`{"a":[1.50,2],"b":"é</a","signatureKeyId":"k"}`, "numbers as written:"},
		{`{"a":[1.50,2],"b":"é</a","signatureKeyId":"k"}` + "\n", "numbers as written and a line feed"},
		{`{"a":[1.50,2],"b":"\u00e9</a","signatureKeyId":"k"}`, "characters escaped:"},
		{`{"a": [1.50, 2], "b": "\u00e9</a", "signatureKeyId": "k"}`, "characters escaped, and spaces"},
		{`{"a": [1.50, 2], "b": "é</a", "signatureKeyId": "k"}`, "spaces after commas"},
		{`{"a":[1.50,2],"b":"é\u003c/a","signatureKeyId":"k"}`, "<, > and & escaped"},
		{`{"a":[1.50,2],"b":"é<\/a","signatureKeyId":"k"}`, "/ escaped"},
		{`{"a":[1.50,2],"b":"é</a","signature":"","signatureKeyId":"k"}`, "an empty signature"},
		{`{"a":[1.50,2],"b":"é</a","signature":null,"signatureKeyId":"k"}`, "the signature null"},
		{`{"a":[1.50,2],"b":"é</a"}`, "without signatureKeyId"},
	} {
		message := unsigned[:len(unsigned)-1] + `, "signature": "hmac-sha256:` + macHex(k, tt.text) + `"}`
		lines := strings.Join(v.Explain(parse(t, message), nil), "\n")
		if !strings.Contains(lines, tt.want) || !strings.Contains(lines, `tried key "k"`) {
			t.Errorf("signed %q, got\n%s\nwant %s", tt.text, lines, tt.want)
		}
		if strings.Contains(lines, macHex(k, `{"a":[1.5,2],"b":"é</a","signatureKeyId":"k"}`)) {
			t.Error("shows the right signature")
		}
	}
}

// Explain recognizes a signer that reads the key file differently.
func TestExplainReadings(t *testing.T) {
	random := NewKey("").secret
	for _, tt := range []struct {
		file, used []byte
		want       string
	}{
		{random, append(random[:32:32], '\n'), "the line feed at the end of the key file"},
		{[]byte(hex.EncodeToString(random)), random, "decoded from hex\nthe content is unchanged, and so is the signature: the key file of this side has the key in hex"},
		{[]byte(base64.StdEncoding.EncodeToString(random)), random, "decoded from base64"},
		{[]byte(base64.RawURLEncoding.EncodeToString(random)), random, "decoded from base64"},
		{random, []byte(base64.RawURLEncoding.EncodeToString(random)), "not decoded from base64url"},
		{random, []byte(hex.EncodeToString(random)), "not decoded from hex"},
	} {
		v, err := NewVerifier([]Key{newKey("", tt.file)})
		if err != nil {
			t.Fatal(err)
		}
		signed := mustSign(t, `{"a":1}`, newKey("", tt.used))
		if lines := strings.Join(v.Explain(parse(t, signed), nil), "\n"); !strings.Contains(lines, tt.want) {
			t.Errorf("got\n%s\nwant %s", lines, tt.want)
		}
	}
}

func TestExplain(t *testing.T) {
	current, lost := NewKey("current"), NewKey("lost")
	v, err := NewVerifier([]Key{current})
	if err != nil {
		t.Fatal(err)
	}
	signed := mustSign(t, `{"a":[1,{"b":2.0}],"c":"x","d":{"e":1}}`, current)
	edited := strings.NewReplacer("2.0", "3", `"c":"x",`, "", `"e":1`, `"e":1,"f":[]`, "[1", "[1.0").Replace(signed)
	tests := []struct {
		name, in, original string
		want               []string
	}{
		{"changed", edited, "", []string{`tried key "current"`, "the signature is valid for none of 16 texts"}},
		{"changed, against the original", edited, signed, []string{"the original is valid under", "/a/1/b: changed from 2.0 to 3", `/c: removed: "x"`, "/d/f: added: an array"}},
		{"against another that was changed", edited, strings.Replace(signed, `"x"`, `"y"`, 1), []string{"the original is not valid either"}},
		{"same content, other key", strings.Replace(mustSign(t, `{"c":1}`, lost), "lost", "current", 1), `{"c":1.0,"signatureKeyId":"current"}`,
			[]string{"no member that the signature covers differs"}},
		{"key under another name", mustSign(t, `{"c":1}`, newKey("x", current.secret)), "",
			[]string{`the signature is valid under key "current": the signer's name for its key differs from the name in this key file`}},
		{"key that is not there", mustSign(t, `{"c":1}`, lost), "", []string{"the signature is valid under none of the available keys"}},
		{"inexact number", strings.Replace(signed, "2.0", "9007199254740993", 1), "", []string{"the signer must write the number in canonical form"}},
		{"no signature", `{"a":1}`, "", nil},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			var original *message.Message
			if tt.original != "" {
				original = parse(t, tt.original)
			}
			lines := v.Explain(parse(t, tt.in), original)
			for _, want := range tt.want {
				if !strings.Contains(strings.Join(lines, "\n"), want) {
					t.Errorf("got\n%s\nwant %s", strings.Join(lines, "\n"), want)
				}
			}
			if tt.want == nil && lines != nil {
				t.Errorf("got %q", lines)
			}
		})
	}
}

func TestExplainIsShort(t *testing.T) {
	v, k := verifier(t)
	signed := mustSign(t, `{"a":[`+strings.Repeat("1,", 1000)+`1]}`, k)
	original := parse(t, strings.ReplaceAll(signed, "1,", "2,"))
	if lines := v.Explain(parse(t, signed), original); len(lines) > 30 || !strings.Contains(lines[len(lines)-1], "more differences") {
		t.Errorf("%d lines, the last %q", len(lines), lines[len(lines)-1])
	}
}

// TestExplainValues checks that Explain shows the changed part of long texts, and no secrets.
func TestExplainValues(t *testing.T) {
	v, k := verifier(t)
	long := strings.Repeat("The clause was examined, and nothing was found. ", 4)
	before := `{"a":"` + long + `The fee is 100 euros.","password":"hunter-4711-x9"}`
	after := `{"a":"` + long + `The fee is 900 euros.","password":"Tr0ub4dor&3-zq7"}`
	original := parse(t, mustSign(t, before, k))
	lines := strings.Join(v.Explain(parse(t, mustSign(t, after, k)), original), "\n")
	for _, want := range []string{`/a: changed from "…s found. The fee is 100 euros." to "…s found. The fee is 900 euros."`, `/password: changed from "**************" to "***************"`} {
		if !strings.Contains(lines, want) {
			t.Errorf("got\n%s\nwant %s", lines, want)
		}
	}
}
