package redact

import (
	"bytes"
	"encoding/base64"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/eaapl/handoff/pkg/formats"
	"github.com/eaapl/handoff/pkg/history"
	"github.com/eaapl/handoff/pkg/jsonstream"
	"github.com/eaapl/handoff/pkg/privacy"
)

func parse(t interface{ Fatal(...any) }, text string) *jsonstream.Document {
	doc, err := jsonstream.Parse(jsonstream.NewRaw([]byte(text)), jsonstream.Unlimited())
	if err != nil {
		t.Fatal(err)
	}
	return doc
}

func scanner(p privacy.Policy) *privacy.Scanner {
	s, err := privacy.New(p)
	if err != nil {
		panic(err)
	}
	return s
}

func testKey() *Key {
	k, err := NewKey([]byte("a secret of 32 bytes for testing"))
	if err != nil {
		panic(err)
	}
	return k
}

func TestMessage(t *testing.T) {
	for _, tt := range []struct {
		name, text, want string
		o                Options
	}{
		{name: "the same value twice", text: `{"a":"ada@example.com","b":["or ADA@example.com, +44 20 7946 0958"]}`, want: `{"a":"<EMAIL_1>","b":["or <EMAIL_1>, <PHONE_1>"]}`},
		{name: "a part of a name", text: `{"a":"Ada Lovelace wrote. Dear Ada,","b":"Grace Murray Hopper"}`, want: `{"a":"<PERSON_1> wrote. Dear <PERSON_1>,","b":"<PERSON_2>"}`},
		{name: "escapes and spaces stay", text: ` { "a" : "\u00fcber\tada@example.com\n\"x\"" } `, want: ` { "a" : "\u00fcber\t<EMAIL_1>\n\"x\"" } `},
		{name: "JSON in a string", text: `{"arguments":"{\"to\":\"ada@example.com\",\"n\":\"\\u00e9\",\"x\":\"{\\\"ssn\\\":\\\"219-09-9999\\\"}\"}"}`, want: `{"arguments":"{\"to\":\"<EMAIL_1>\",\"n\":\"\\u00e9\",\"x\":\"{\\\"ssn\\\":\\\"<NATIONAL_ID_1>\\\"}\"}"}`},
		{name: "a number in JSON in a string", text: `{"a":"{\"cardNumber\":4111111111111111}"}`, want: `{"a":"{\"cardNumber\":\"<PAYMENT_CARD_1>\"}"}`},
		{name: "a number in JSON in JSON", text: `{"a":"{\"b\":\"{\\\"cardNumber\\\":4111111111111111}\"}"}`, want: `{"a":"{\"b\":\"{\\\"cardNumber\\\":\\\"<PAYMENT_CARD_1>\\\"}\"}"}`},
		{name: "the name of a member", text: `{"ada@example.com":1}`, want: `{"<EMAIL_1>":1}`},
		{name: "a number", text: `{"cardNumber":4111111111111111,"n":12345678}`, want: `{"cardNumber":"<PAYMENT_CARD_1>","n":12345678}`},
		{name: "by the name of the member", text: `{"firstName":"Xq","dateOfBirth":"1990-05-17","phone":"5550100"}`, want: `{"firstName":"<PERSON_1>","dateOfBirth":"<BIRTH_DATE_1>","phone":"<PHONE_1>"}`},
		{name: "what identifies stays", text: `{"tool_call_id":"219-09-9999"}`, want: `{"tool_call_id":"219-09-9999"}`},
		{name: "always", text: `{"a":{"b":"x","c":[1,""]}}`, o: Options{Scanner: scanner(privacy.Policy{Always: []string{"/a/*"}})}, want: `{"a":{"b":"<HIDDEN_1>","c":["<HIDDEN_2>",""]}}`},
		{name: "never", text: `{"a":"ada@example.com","b":"ada@example.com"}`, o: Options{Scanner: scanner(privacy.Policy{Never: []string{"/a"}})}, want: `{"a":"ada@example.com","b":"<EMAIL_1>"}`},
		{name: "allowed", text: `{"a":"ada@example.com eve@other.example +1 (212) 555-0123"}`, o: Options{Scanner: scanner(privacy.Policy{Allow: []string{"@example.com", "+12125550123"}})}, want: `{"a":"ada@example.com <EMAIL_1> +1 (212) 555-0123"}`},
		{name: "a signature", text: `{"handoffId":"h","signature":"x","signatureKeyId":"k","a":"ada@example.com"}`, want: `{"handoffId":"h","a":"<EMAIL_1>"}`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if tt.o.Scanner == nil {
				tt.o.Scanner = scanner(privacy.Policy{})
			}
			r, err := Message(parse(t, tt.text), tt.o)
			if err != nil || string(r.Text) != tt.want {
				t.Errorf("got  %s %v\nwant %s", r.Text, err, tt.want)
			}
		})
	}
}

func TestCarrier(t *testing.T) {
	inner := `{"conversation_history":[{"role":"user","content":"I am Ada Lovelace, ada@example.com"}]}`
	text := `{"request_id":"r","from_agent":"a","to_agent":"b","context_snapshot":"` + base64.RawURLEncoding.EncodeToString([]byte(inner)) + `"}`
	doc := parse(t, text)
	f, _ := formats.Detect(doc.Root())
	if len(history.Carriers(doc.Root(), f)) == 0 {
		t.Skipf("%q carries nothing", f)
	}
	r, err := Message(doc, Options{Scanner: scanner(privacy.Policy{})})
	if err != nil {
		t.Fatal(err)
	}
	carried, err := history.DecodeBytes(history.Carriers(parse(t, string(r.Text)).Root(), f)[0])
	if want := `{"conversation_history":[{"role":"user","content":"I am <PERSON_1>, <EMAIL_1>"}]}`; err != nil || string(carried) != want {
		t.Errorf("got %s %v", carried, err)
	}
}

// TestKeyed checks that a value has the same replacement in all messages of one key, and
// another one under another key.
func TestKeyed(t *testing.T) {
	other, _ := NewKey([]byte("another secret of more than 16"))
	redacted := func(text string, k *Key) string {
		r, err := Message(parse(t, text), Options{Scanner: scanner(privacy.Policy{}), Key: k})
		if err != nil {
			t.Fatal(err)
		}
		return string(r.Text)
	}
	one, two := redacted(`["x@example.com","ada@example.com"]`, testKey()), redacted(`["ada@example.com"]`, testKey())
	if token := strings.Trim(two, `[]"`); !strings.Contains(one, token) || !strings.HasPrefix(token, "<EMAIL_") {
		t.Errorf("%s and %s", one, two)
	}
	if two == redacted(`["ada@example.com"]`, other) {
		t.Error("two keys give the same replacement")
	}
}

// examples are messages of all formats.
func examples(t testing.TB) []string {
	files, _ := filepath.Glob("../../schemas/examples/*.json")
	var all []string
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, string(text))
	}
	if len(all) == 0 {
		t.Fatal("no examples")
	}
	return all
}

// drawMessage draws a message of some format, with personal data in some of its strings.
func drawMessage(t *rapid.T, all []string) string {
	text := rapid.SampledFrom(all).Draw(t, "message")
	doc := parse(t, text)
	f, _ := formats.Detect(doc.Root())
	carriers := history.Carriers(doc.Root(), f)
	data := rapid.SampledFrom([]string{
		"ada@example.com", "Ada Lovelace", "ADA LOVELACE", "+44 20 7946 0958", "4111 1111 1111 1111", "DE89 3704 0044 0532 0130 00", "219-09-9999", "<EMAIL_1>",
		"12 Main Street, Springfield, IL 62704", "born on 17 March 1990", `{"to":"eve@example.com"}`, `{"to":"{\"a\":\"eve@example.com\"}"}`, "王小明先生", "203.0.113.7", "é\"\\\n", "1990",
	})
	draft := jsonstream.NewDraft(doc.Root())
	for v := range doc.Root().All() {
		if v.Kind() != jsonstream.String || rapid.IntRange(0, 3).Draw(t, "change") > 0 {
			continue
		}
		if name := v.Name(); len(carriers) > 0 && v == carriers[0] || name == "role" || name == "type" || strings.HasSuffix(strings.ToLower(name), "id") || strings.HasSuffix(name, "_agent") {
			continue // identifiers are kept
		}
		draft.Set(v.Pointer(), quote(rapid.SampledFrom([]string{"", "and ", "é "}).Draw(t, "before")+data.Draw(t, "data")))
	}
	if len(carriers) > 0 {
		inner := fmt.Sprintf(`{"a": %s, "conversation_history":[{"role":"user","content":%s}]}`, quote(data.Draw(t, "carried")), quote(data.Draw(t, "carried")))
		encoding := rapid.SampledFrom([]*base64.Encoding{base64.StdEncoding, base64.RawStdEncoding, base64.URLEncoding, base64.RawURLEncoding}).Draw(t, "encoding")
		draft.Set(carriers[0].Pointer(), quote(encoding.EncodeToString([]byte(inner))))
	}
	return string(draft.Bytes())
}

// TestRestore checks that redacted data is restored byte for byte, in all formats and with all
// options.
func TestRestore(t *testing.T) {
	all := examples(t)
	s := scanner(privacy.Policy{})
	rapid.Check(t, func(t *rapid.T) {
		text := drawMessage(t, all)
		o := Options{Scanner: s, Key: testKey(), Vault: true, KeepFormat: rapid.Bool().Draw(t, "keep")}
		r, err := Message(parse(t, text), o)
		if err != nil {
			t.Fatal(err)
		}
		if r.Entry == nil {
			if string(r.Text) != text {
				t.Fatal("changed without an entry")
			}
			return
		}
		if bytes.Contains(r.Text, []byte("ada@example.com")) || bytes.Contains(r.Text, []byte("4111 1111 1111 1111")) {
			t.Fatalf("left in %s", r.Text)
		}
		v, err := OpenVault(append(r.Entry, '\n'), testKey())
		if err != nil {
			t.Fatal(err)
		}
		restored, err := v.Restore(parse(t, string(r.Text)), "", jsonstream.Unlimited())
		if err != nil || !restored.Exact || string(restored.Text) != text {
			t.Fatalf("restored %v %v\n got %s\nwant %s", restored.Exact, err, restored.Text, text)
		}
	})
}

// TestRestoreChanged checks that replacements are restored in another message.
func TestRestoreChanged(t *testing.T) {
	for _, keep := range []bool{false, true} {
		r, err := Message(parse(t, `{"a":"ada@example.com, Ada Lovelace and Ada"}`), Options{Scanner: scanner(privacy.Policy{}), Key: testKey(), Vault: true, KeepFormat: keep})
		if err != nil {
			t.Fatal(err)
		}
		v, err := OpenVault(r.Entry, testKey())
		if err != nil {
			t.Fatal(err)
		}
		answer := strings.Replace(string(r.Text), `{"a":"`, `{"b":"{\"x\":[]}","a":"To `, 1)
		restored, err := v.Restore(parse(t, answer), "", jsonstream.Unlimited())
		if err != nil || restored.Exact || !strings.Contains(string(restored.Text), "To ada@example.com, Ada Lovelace and ") {
			t.Errorf("keep %v: %s %v", keep, restored.Text, err)
		}
	}
}

func TestVaultOfAnotherKey(t *testing.T) {
	r, err := Message(parse(t, `["ada@example.com"]`), Options{Scanner: scanner(privacy.Policy{}), Key: testKey(), Vault: true})
	if err != nil {
		t.Fatal(err)
	}
	other, _ := NewKey([]byte("another secret of more than 16"))
	if _, err := OpenVault(r.Entry, other); !errors.Is(err, ErrKey) {
		t.Errorf("got %v", err)
	}
	if bytes.Contains(r.Entry, []byte("ada")) {
		t.Error("the vault shows what it hides")
	}
	if s := fmt.Sprintf("%v %+v %#v", testKey(), testKey(), testKey()); strings.Contains(s, "0x") {
		t.Errorf("a key shows %s", s)
	}
}

// TestKeepFormat checks that a replacement of the same format is valid and of the same class.
func TestKeepFormat(t *testing.T) {
	s := scanner(privacy.Policy{})
	for _, value := range []string{
		"ada@example.com", "+44 20 7946 0958", "(212) 555-0123", "DE89 3704 0044 0532 0130 00", "4111-1111-1111-1111", "219-09-9999", "11010519491231002X", "529.982.247-25",
		"RSSMRA85T10A562S", "12345678Z", "HEGG560427MVZRRL04", "880101-1234567", "203.0.113.7", "2001:db8::8a2e:370:7334", "00:1B:44:11:3A:B7", "756.9217.0769.85",
		"15070649C103", "2 55 08 14 168 025 38", "811218-9876", "112-233-445 95", "AB 12 34 56 C",
	} {
		r, err := Message(parse(t, string(quote(value))), Options{Scanner: s, Key: testKey(), KeepFormat: true})
		if err != nil {
			t.Fatal(err)
		}
		other := strings.Trim(string(r.Text), `"`)
		before, after := s.Find(nil, "", value), s.Find(nil, "", other)
		if other == value || len(before) != 1 || len(after) != 1 || before[0].Class != after[0].Class || before[0].Kind != after[0].Kind {
			t.Errorf("%s (%v) became %s (%v)", value, before, other, after)
		}
	}
}

func FuzzRestore(f *testing.F) {
	for _, text := range examples(f) {
		f.Add(text, false)
	}
	f.Add(`{"a\u0062@example.com":"\ud83d\ude00ada@example.com\u00e9", "n":4111111111111111, "x":"{\"a\":\"\\u0041da Lovelace\"}"}`, true)
	s := scanner(privacy.Policy{})
	f.Fuzz(func(t *testing.T, text string, keep bool) {
		doc, err := jsonstream.Parse(jsonstream.NewRaw([]byte(text)), jsonstream.Limits{})
		if err != nil {
			return
		}
		r, err := Message(doc, Options{Scanner: s, Key: testKey(), Vault: true, KeepFormat: keep})
		if err != nil || r.Entry == nil {
			return
		}
		v, err := OpenVault(r.Entry, testKey())
		if err != nil {
			t.Fatal(err)
		}
		redacted, err := jsonstream.Parse(jsonstream.NewRaw(r.Text), jsonstream.Unlimited())
		if err != nil {
			t.Fatal(err)
		}
		restored, err := v.Restore(redacted, "", jsonstream.Unlimited())
		if err != nil || string(restored.Text) != text {
			t.Fatalf("%v: got %q, want %q", err, restored.Text, text)
		}
	})
}

// Data that is stored separately can be restored, and is listed with its place; this includes ids,
// and a signature keeps its place.
func TestApart(t *testing.T) {
	text := `{"id":"ada@example.com","customer":{"vip":true,"tags":["a"]},"signature":"x","handoffId":"h"}`
	r, err := Message(parse(t, text), Options{Scanner: scanner(privacy.Policy{Always: []string{"/customer/*"}}), Apart: true})
	if err != nil {
		t.Fatal(err)
	}
	if want := `{"id":"<EMAIL_1>","customer":{"vip":"<HIDDEN_1>","tags":"<HIDDEN_2>"},"signature":"x","handoffId":"h"}`; string(r.Text) != want {
		t.Errorf("got  %s\nwant %s", r.Text, want)
	}
	want := []Datum{{"/id", false, privacy.Email, "ada@example.com"}, {"/customer/vip", false, Hidden, "true"}, {"/customer/tags", false, Hidden, `["a"]`}}
	if fmt.Sprint(r.Data) != fmt.Sprint(want) {
		t.Errorf("got %v, want %v", r.Data, want)
	}
	if original, ok := Restore(r.Text, r.Undo); !ok || string(original) != text {
		t.Errorf("got %s", original)
	}
	if _, ok := Restore(r.Text[:20], r.Undo); ok {
		t.Error("it was undone in another text")
	}
}
