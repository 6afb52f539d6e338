package redact

import (
	"bytes"
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/eaapl/handoff/pkg/jsonstream"
	"github.com/eaapl/handoff/pkg/privacy"
)

// entryOf redacts a message, and returns it and its line of the vault.
func entryOf(t *testing.T, text string, key *Key, keep bool) (redacted string, line []byte) {
	t.Helper()
	r, err := Message(parse(t, text), Options{Scanner: scanner(privacy.Policy{}), Key: key, Vault: true, KeepFormat: keep})
	if err != nil || r.Entry == nil {
		t.Fatal(err, r.Entry == nil)
	}
	return string(r.Text), append(r.Entry, '\n')
}

// TestDamagedVault checks that damaged lines of a vault are reported, and that all others are read.
func TestDamagedVault(t *testing.T) {
	redacted, good := entryOf(t, `["ada@example.com"]`, testKey(), false)
	lost, bad := entryOf(t, `["grace@example.com"]`, testKey(), false)
	other, err := NewKey([]byte("another secret of more than 16"))
	if err != nil {
		t.Fatal(err)
	}
	_, foreign := entryOf(t, `["grace@example.com"]`, other, false)
	for name, damaged := range map[string][]byte{
		"no JSON":            []byte("x\n"),
		"cut off":            append(slices.Clone(bad[:len(bad)/2]), '\n'),
		"a quotation mark":   bytes.Replace(bad, []byte(`"sealed":"`), []byte(`"sealed":"ab"cd`), 1),
		"another object":     []byte(`{"a":1}` + "\n"),
		"an unknown member":  bytes.Replace(bad, []byte(`{`), []byte(`{"v":2,`), 1),
		"without its digest": []byte(`{"sealed":"AAAA"}` + "\n"),
		"no base64":          bytes.Replace(bad, []byte(`"sealed":"`), []byte(`"sealed":"!`), 1),
		"a changed letter":   flipped(bad),
		"of another key":     foreign,
	} {
		for _, vault := range [][]byte{slices.Concat(good, damaged), slices.Concat(damaged, good)} {
			v, err := OpenVault(vault, testKey())
			if err != nil {
				t.Fatalf("%s: %v", name, err)
			}
			at := 2
			if bytes.HasPrefix(vault, damaged) {
				at = 1
			}
			if d := v.Damaged(); len(d) != 1 || d[0].Line != at {
				t.Errorf("%s: damaged are %v, want line %d", name, d, at)
			}
			if r, err := v.Restore(parse(t, redacted), "", jsonstream.Unlimited()); err != nil || !r.Exact || string(r.Text) != `["ada@example.com"]` {
				t.Errorf("%s: %+v %v", name, r, err)
			}
			if r, err := v.Restore(parse(t, lost), "", jsonstream.Unlimited()); err != nil || r.Exact || !slices.Equal(r.Missing, []string{strings.Trim(lost, `[]"`)}) {
				t.Errorf("%s: of the lost message, %+v %v", name, r, err)
			}
		}
		line := (*LineError)(nil)
		if _, err := OpenVault(damaged, testKey()); !errors.As(err, &line) || line.Line != 1 {
			t.Errorf("%s alone: %v", name, err)
		}
	}
	if v, err := OpenVault(slices.Concat([]byte("\n \n"), good, []byte("\n")), testKey()); err != nil || v.Damaged() != nil {
		t.Errorf("empty lines: %v", err)
	}
}

// flipped returns a line with one changed letter in its encrypted part.
func flipped(line []byte) []byte {
	line = slices.Clone(line)
	at := bytes.Index(line, []byte(`"sealed":"`)) + 30
	if line[at]++; line[at] == '{' || line[at] == ':' || line[at] == '[' {
		line[at] = 'A'
	}
	return line
}

// TestVaultWithSeveralValues checks that a replacement with several values in a vault is not
// restored, in any order, and that a message redacted from two originals has none.
func TestVaultWithSeveralValues(t *testing.T) {
	key := testKey()
	line := func(redacted string, values map[string]string) []byte {
		t.Helper()
		text, err := key.entry([]byte(redacted), nil, values)
		if err != nil {
			t.Fatal(err)
		}
		return append(text, '\n')
	}
	const token = "<EMAIL_abcdefghij>"
	for name, tt := range map[string]struct {
		replacement string
		values      []string
		want        string // "" if not restored
	}{
		"one spelling":                {token, []string{"ada@example.com", "ada@example.com"}, "ada@example.com"},
		"two spellings":               {token, []string{"ada@example.com", "ADA@example.com"}, "ada@example.com"},
		"two values":                  {token, []string{"ada@example.com", "grace@example.com"}, ""},
		"two values, and one again":   {token, []string{"ada@example.com", "grace@example.com", "ada@example.com"}, ""},
		"two values in the same form": {"user7@example.com", []string{"ada@example.com", "grace@example.com"}, ""},
		"two forms":                   {"user7@example.com", []string{"ada@example.com", "ADA@example.com"}, ""},
	} {
		var vault []byte
		for i, value := range tt.values {
			vault = append(vault, line(strings.Repeat("x", i), map[string]string{tt.replacement: value})...)
		}
		v, err := OpenVault(vault, key)
		if err != nil {
			t.Fatal(err)
		}
		want, missing := `["To `+tt.want+`."]`, []string(nil)
		if tt.want == "" {
			want, missing = `["To `+tt.replacement+`."]`, []string{tt.replacement}
		}
		if r, err := v.Restore(parse(t, `["To `+tt.replacement+`."]`), "", jsonstream.Unlimited()); err != nil || string(r.Text) != want || !slices.Equal(r.Missing, missing) {
			t.Errorf("%s: %s, missing %q, %v", name, r.Text, r.Missing, err)
		}
	}

	redacted, first := entryOf(t, `["ada@example.com"]`, key, false)
	again, second := entryOf(t, `["ADA@example.com"]`, key, false)
	if again != redacted {
		t.Fatal(again)
	}
	v, err := OpenVault(slices.Concat(first, second, second), key)
	if err != nil {
		t.Fatal(err)
	}
	if r, err := v.Restore(parse(t, redacted), "", jsonstream.Unlimited()); err != nil || r.Exact || r.Originals != 2 || string(r.Text) != `["ADA@example.com"]` {
		t.Errorf("two originals: %+v %v", r, err)
	}
}

// TestMissingReplacements checks that replacements that are not in the vault are reported, at any
// place.
func TestMissingReplacements(t *testing.T) {
	_, entry := entryOf(t, `["ada@example.com"]`, testKey(), false)
	v, err := OpenVault(entry, testKey())
	if err != nil {
		t.Fatal(err)
	}
	text := `{"<HIDDEN_bcdefghijk>":"a <PERSON_1>, a \u003cEMAIL_cdefghijkm\u003e, <b>, <CASE_7>, <PERSON_x>","c":"{\"d\":\"<CASE_defghijkmn>\"}"}`
	r, err := v.Restore(parse(t, text), "", jsonstream.Unlimited())
	if want := []string{"<CASE_defghijkmn>", "<EMAIL_cdefghijkm>", "<HIDDEN_bcdefghijk>", "<PERSON_1>"}; err != nil || !slices.Equal(r.Missing, want) {
		t.Errorf("missing %q, want %q, %v", r.Missing, want, err)
	}
}
