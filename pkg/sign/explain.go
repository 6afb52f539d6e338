package sign

import (
	"bytes"
	"crypto/sha256"
	"crypto/sha512"
	"encoding/base64"
	"encoding/hex"
	"errors"
	"fmt"
	"unicode/utf8"

	"github.com/eaapl/handoff/internal/secrets"
	"github.com/eaapl/handoff/pkg/finding"
	"github.com/eaapl/handoff/pkg/jsonstream"
	"github.com/eaapl/handoff/pkg/message"
)

// Explain returns sentences about a message that does not verify: the keys that were tried,
// whether the signature holds over a text other than the canonical form, or with the key read
// differently, and the members that differ from the original, if that is not nil. They never
// contain the correct signature.
//
// It takes about fifty times as long as [Verifier.Verify].
func (v *Verifier) Explain(m, original *message.Message) []string {
	var lines []string
	want, problem := signatureOf(m)
	keys, unknown := v.candidates(m, want.algorithm)
	holding, err := v.holding(m)
	switch {
	case problem != nil:
	case err == nil:
		lines = append(lines, v.trust.explain(holding)...)
	case unknown == nil:
		lines = append(lines, "tried "+tried(keys))
		lines = append(lines, v.search(m, keys, want)...)
	case unknown.Reason == UnknownKeyID:
		lines = append(lines, v.underOtherKeys(m, want)...)
	}
	if original != nil {
		lines = append(lines, v.against(m, original)...)
	}
	return lines
}

// search looks for a text and a reading of a key under which the signature holds.
func (v *Verifier) search(m *message.Message, keys []Key, want signature) []string {
	var inexact *jsonstream.NumberError
	if _, err := canonical(m); errors.As(err, &inexact) {
		return []string{"the signer must write the number in canonical form; with another form, no signature is accepted"}
	}
	var all []reading
	for _, k := range keys {
		all = append(all, readings(k)...)
	}
	for _, f := range forms {
		text := f.text(m)
		for _, r := range all {
			if !r.key.holds(want, r.prepared(text)) {
				continue
			}
			line := "the signature is valid for " + f.name
			if f.advice != "" {
				line += ": " + f.advice
			}
			if r.how != "" {
				line += "; with " + r.how
			}
			cause := "the content is unchanged, but its signer does not follow the format"
			if f.advice == "" && r.cure != "" {
				cause = "the content is unchanged, and so is the signature: " + r.cure
			}
			return []string{line, cause}
		}
	}
	return []string{fmt.Sprintf("the signature is valid for none of %d texts that signers produce by mistake, and with no other reading of the key: "+
		"a member was changed, or another key was used", len(forms))}
}

// underOtherKeys explains a message that names an unknown key.
func (v *Verifier) underOtherKeys(m *message.Message, want signature) []string {
	text, err := canonical(m)
	if err != nil {
		return nil
	}
	for _, k := range v.keys {
		if k.holds(want, text) {
			return []string{fmt.Sprintf("the signature is valid under %s: the signer's name for its key differs from the name in this key file", tried([]Key{k}))}
		}
	}
	return []string{"the signature is valid under none of the available keys"}
}

// A reading is one way to interpret the content of a key file and to sign with it.
type reading struct {
	key  Key
	how  string              // "" for the correct one
	hash func([]byte) []byte // applied to the text before signing; nil for none
	cure string              // of this side, which has stored the key differently; "" if the signer is at fault
}

// prepared returns the bytes to sign for a text.
func (r reading) prepared(text []byte) []byte {
	if r.hash == nil {
		return text
	}
	return r.hash(text)
}

func readings(k Key) []reading {
	if k.public != nil {
		return []reading{
			{key: k},
			{key: k, how: "the SHA-256 of the text signed instead of the text", hash: func(text []byte) []byte { sum := sha256.Sum256(text); return sum[:] }},
			{key: k, how: "the SHA-512 of the text signed instead of the text", hash: func(text []byte) []byte { sum := sha512.Sum512(text); return sum[:] }},
		}
	}
	list := []reading{
		{key: k},
		{key: newKey("", append(bytes.Clone(k.secret), '\n')), how: "the line feed at the end of the key file read as part of the key"},
		{key: newKey("", []byte(base64.RawURLEncoding.EncodeToString(k.secret))), how: "the key not decoded from base64url"},
		{key: newKey("", []byte(hex.EncodeToString(k.secret))), how: "the key not decoded from hex"},
	}
	const decode = "the key file of this side has the key in %s, which is read as text: store the decoded bytes, or a JSON Web Key, instead"
	if secret, err := hex.DecodeString(string(k.secret)); err == nil {
		list = append(list, reading{key: newKey("", secret), how: "the key decoded from hex", cure: fmt.Sprintf(decode, "hex")})
	}
	for _, encoding := range []*base64.Encoding{base64.StdEncoding, base64.RawURLEncoding} {
		if secret, err := encoding.DecodeString(string(k.secret)); err == nil {
			list = append(list, reading{key: newKey("", secret), how: "the key decoded from base64", cure: fmt.Sprintf(decode, "base64")})
		}
	}
	return list
}

// against compares the message with its original.
func (v *Verifier) against(m, original *message.Message) []string {
	var lines []string
	if k, err := v.holding(original); err == nil {
		lines = append(lines, "the original is valid under "+tried([]Key{k}))
	} else {
		lines = append(lines, "the original is not valid either")
	}
	const maxShown = 20
	n := 0
	compare(original.Root(), m.Root(), func(pointer, what string) {
		if pointer == "/"+Member {
			return
		}
		if n++; n <= maxShown {
			lines = append(lines, fmt.Sprintf("%.200s: %s", pointer, what))
		}
	})
	switch {
	case n == 0:
		lines = append(lines, "no member that the signature covers differs from the original")
	case n > maxShown:
		lines = append(lines, fmt.Sprintf("and %d more differences", n-maxShown))
	}
	return lines
}

// compare reports the differences between two values, ignoring spelling and the order of
// members.
func compare(a, b jsonstream.Value, report func(pointer, what string)) {
	switch {
	case a.Kind() != b.Kind():
		report(b.Pointer(), changed(a, b))
	case a.Kind() == jsonstream.Object:
		members := map[string]jsonstream.Value{}
		for name, v := range b.Members() {
			members[name] = v
		}
		for name, v := range a.Members() {
			other, ok := members[name]
			if !ok {
				report(v.Pointer(), "removed: "+literal(v))
				continue
			}
			delete(members, name)
			compare(v, other, report)
		}
		for name, v := range b.Members() { // members has no order
			if _, added := members[name]; added {
				report(v.Pointer(), "added: "+literal(v))
			}
		}
	case a.Kind() == jsonstream.Array:
		var elements []jsonstream.Value
		for _, v := range b.Elements() {
			elements = append(elements, v)
		}
		n := 0
		for i, v := range a.Elements() {
			if n++; i < len(elements) {
				compare(v, elements[i], report)
			} else {
				report(v.Pointer(), "removed: "+literal(v))
			}
		}
		for _, v := range elements[min(n, len(elements)):] {
			report(v.Pointer(), "added: "+literal(v))
		}
	case a.Kind() == jsonstream.Number && !jsonstream.SameNumber(a.Raw(), b.Raw()), a.Text() != b.Text():
		report(b.Pointer(), changed(a, b))
	}
}

// masked returns the text of a string, with asterisks for the credentials that it or its name announces.
func masked(v jsonstream.Value) string {
	name := `"` + v.Name() + `":"`
	return secrets.Hide(name + v.Text() + `"`)[len(name):][:len(v.Text())]
}

// literal is [finding.Literal], with masked strings.
func literal(v jsonstream.Value) string {
	if v.Kind() == jsonstream.String {
		return finding.Quote(masked(v))
	}
	return finding.Literal(v)
}

// changed describes a changed value: both, or the parts of two texts from their first difference on.
func changed(a, b jsonstream.Value) string {
	if a.Kind() != jsonstream.String || b.Kind() != jsonstream.String {
		return fmt.Sprintf("changed from %s to %s", literal(a), literal(b))
	}
	const shown = 20 // bytes before the difference
	from, to := masked(a), masked(b)
	same := 0
	for same < min(len(from), len(to)) && from[same] == to[same] {
		same++
	}
	if cut := same - shown; cut > shown {
		for !utf8.RuneStart(from[cut]) {
			cut--
		}
		from, to = "…"+from[cut:], "…"+to[cut:]
	}
	return fmt.Sprintf("changed from %s to %s", finding.Quote(from), finding.Quote(to))
}
