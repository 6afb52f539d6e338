package secrets

import (
	"encoding/json"
	"fmt"
	"reflect"
	"strings"
	"testing"
	"unicode/utf8"

	"pgregory.net/rapid"
)

// matching draws a text that matches the expression of a kind, surrounded by other text.
func matching(kind pattern) *rapid.Generator[string] {
	around := rapid.SampledFrom([]string{"", " ", "\n", "x", "é", `"`, `\`, "a/b@c ", "://", "-", "_", "AKIA", strings.Repeat("so it goes ", 20)})
	return rapid.Custom(func(t *rapid.T) string {
		value := rapid.OneOf(rapid.Just(kind.Example), rapid.StringMatching(kind.expr().String())).Draw(t, "value")
		return around.Draw(t, "before") + value + around.Draw(t, "after")
	})
}

// quoted draws one of the spellings that a text has in JSON.
func quoted(t *rapid.T, text string) string {
	var b strings.Builder
	b.WriteByte('"')
	escapes := rapid.SampledFrom([]string{"", "/", "/\n", "\x00\x1b<>&'é", "A_", "@:", "-s", "KYJ.k"}).Draw(t, "escaped")
	for _, r := range text {
		switch {
		case r == '"' || r == '\\':
			fmt.Fprintf(&b, `\%c`, r)
		case r == '/' && strings.ContainsRune(escapes, r):
			b.WriteString(`\/`)
		case r == '\n' && !strings.ContainsRune(escapes, r):
			b.WriteString(`\n`)
		case r < ' ' || r < 1<<16 && strings.ContainsRune(escapes, r):
			fmt.Fprintf(&b, `\u%04x`, r)
		default:
			b.WriteRune(r)
		}
	}
	b.WriteByte('"')
	return b.String()
}

// No credential of any kind, wherever it is and however it is written, is passed over.
func TestMayHold(t *testing.T) {
	for _, kind := range patterns() {
		t.Run(kind.ID, func(t *testing.T) {
			credentials := 0
			rapid.Check(t, func(t *rapid.T) {
				text := matching(kind).Draw(t, "text")
				json := rapid.SampledFrom([]string{`{"a":1,%s:[]}`, `{"name":[{"a":%s}]}`, `%s`}).Draw(t, "document")
				json = fmt.Sprintf(json, quoted(t, text))
				checkAnnounced(t, text, json)
				if len(find(text)) > 0 {
					credentials++
				}
			})
			if credentials == 0 {
				t.Error("drew no credential")
			}
		})
	}
}

// checkAnnounced fails if a text has a credential and nothing announces it, in the text or
// in a JSON text that holds it.
func checkAnnounced(t interface {
	Helper()
	Fatalf(string, ...any)
}, text, json string) {
	t.Helper()
	want := find(text)
	if got := Find(text); !reflect.DeepEqual(got, want) {
		t.Fatalf("%q: got %+v, want %+v", text, got, want)
	}
	kind := matchedBy(text)
	if kind != "" && !MayHold([]byte(text)) {
		t.Fatalf("%q: nothing announces its %s", text, kind)
	}
	if (kind != "" || len(want) > 0) && !MayHold([]byte(json)) {
		t.Fatalf("%q in %q: nothing announces its %s", text, json, kind)
	}
}

// matchedBy returns the kind of a credential in text, "" if there is none. It has each
// expression search all of it, if one of its literals is there.
func matchedBy(text string) string {
	lower := strings.Map(func(r rune) rune { // of ASCII alone: the literals are not found in other letters
		if 'A' <= r && r <= 'Z' {
			return r - 'A' + 'a'
		}
		return r
	}, text)
	for _, k := range patterns() {
		announced := false
		for _, l := range k.literals {
			announced = announced || strings.Contains(lower, l)
		}
		if !announced {
			continue
		}
		for _, loc := range k.expr().FindAllStringSubmatchIndex(text, -1) {
			if (k.accept == nil || k.accept(text, loc)) && !placeholder(text[loc[2]:loc[3]]) {
				return k.ID
			}
		}
	}
	return ""
}

func FuzzFind(f *testing.F) {
	for _, r := range Kinds() {
		f.Add(r.Example, r.Similar)
		f.Add("é"+r.Example, strings.ToUpper(r.Example))
	}
	value := strings.TrimPrefix(patterns()[1].Example, "aws_secret_access_key")
	for _, name := range []string{"SecretAccessKey", "secret access key", "secret\x00access\x00key and \u017fecret_acce\u017fs_\u212aey"} {
		f.Add(name, value)
	}
	f.Fuzz(func(t *testing.T, text, more string) {
		text += more
		if !utf8.ValidString(text) {
			text = strings.ToValidUTF8(text, "\ufffd")
		}
		quoted := strings.NewReplacer(`"`, `\"`, `\`, `\\`, "\n", `\n`, "\x00", `\u0000`).Replace(text)
		checkAnnounced(t, text, `{"a":"`+quoted+`"}`)
		checkAnnounced(t, text, `{"a":"`+strings.ReplaceAll(quoted, "/", `\/`)+`"}`)
	})
}

func TestMayHoldPassesOver(t *testing.T) {
	tests := []struct {
		name, json string
		want       bool
	}{
		{name: "ids and times", json: `{"handoffId":"0c5c7fd0-a6a3-4450-a513-270e269e0d37","timestamp":"2026-06-12T09:30:00Z","inputHash":"sha256:b317b4a199c2548804025a0e04e7015dcf4565c0da1b8e85972fc6b6483d1d7f"}`},
		{name: "names of agents", json: `{"agentId":"risk-scoring-agent","access":"key","secret":"access"}`},
		{name: "code", json: `"for _, x := range a_b_c { _ = x }\n\t// AKIA, ASIA-PACIFIC: through_highs_low\u003e\u2014\u001b[0m"`},
		{name: "address of a page and of a person", json: `"see https://example.org/ or ask me@example.org"`},
		{name: "base64 of JSON", json: `"eyJhIjoxfQ=="`},
		{name: "escaped letter", json: `"in <b>\u003cb\u003e \u0041"`, want: true},
		{name: "at the end of a long text", json: `"` + strings.Repeat("so it goes ", 1<<14) + `ghp_` + strings.Repeat("a1", 18) + `"`, want: true},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if !json.Valid([]byte(tt.json)) {
				t.Fatal("not JSON")
			}
			if got := MayHold([]byte(tt.json)); got != tt.want {
				t.Errorf("got %v, want %v", got, tt.want)
			}
		})
	}
}

func BenchmarkFind(b *testing.B) {
	prose := strings.Repeat("The parties agree, as of 2026-06-12, on an unlimited liability for obligations in section 4.2. ", 100)
	for _, bb := range []struct{ name, text string }{
		{name: "prose", text: prose},
		{name: "every mark", text: strings.Repeat("A_J-@ ", 1500)},
		{name: "a credential", text: prose + Kinds()[0].Example},
	} {
		b.Run(bb.name, func(b *testing.B) {
			b.SetBytes(int64(len(bb.text)))
			b.ReportAllocs()
			for b.Loop() {
				Find(bb.text)
			}
		})
	}
}
