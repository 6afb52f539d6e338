package message

import (
	"crypto/sha256"
	"fmt"
	"strings"
	"testing"

	"github.com/eaapl/handoff/pkg/jsonstream"
)

func digestOf(t *testing.T, text string) (Digest, error) {
	t.Helper()
	m, err := Parse([]byte(text), Options{})
	if err != nil {
		t.Fatal(err)
	}
	return m.Digest()
}

// A digest is that of the canonical form: it depends on everything except the spelling.
func TestDigest(t *testing.T) {
	want := fmt.Sprintf("sha256:%x", sha256.Sum256([]byte(`{"a":[1.5,2],"b":"é","signature":"x"}`)))
	for _, text := range []string{
		`{"a":[1.5,2],"b":"é","signature":"x"}`,
		" {\n\"signature\": \"x\", \"b\": \"\\u00e9\", \"a\": [1.50, 2e0] }\n",
	} {
		got, err := digestOf(t, text)
		if err != nil || got.String() != want {
			t.Errorf("%s: got %s, %v; want %s", text, got, err, want)
		}
		if again, ok := ParseDigest(got.String()); !ok || again != got {
			t.Errorf("%s does not read back", got)
		}
	}
	for _, text := range []string{`{"a":[1.5,2],"b":"é","signature":"y"}`, `{"a":[1.5,2],"b":"é"}`, `{"a":[1.5,3],"b":"é","signature":"x"}`} {
		if got, err := digestOf(t, text); err != nil || got.String() == want {
			t.Errorf("%s: got %s, %v", text, got, err)
		}
	}
	if _, err := digestOf(t, `{"a":1e400}`); err == nil {
		t.Error("a number without canonical form has a digest")
	} else if number, ok := err.(*jsonstream.NumberError); !ok || number.Pointer != "/a" {
		t.Error(err)
	}
}

func TestParseDigest(t *testing.T) {
	hex := strings.Repeat("0a", 32)
	for _, text := range []string{"", hex, "sha256:", "sha256:" + hex[2:], "sha256:" + hex + "0a", "sha256:" + strings.ToUpper(hex), "md5:" + hex, "sha256:" + hex[1:] + "g", "SHA256:" + hex} {
		if d, ok := ParseDigest(text); ok {
			t.Errorf("%q reads as %s", text, d)
		}
	}
}

func TestParentDigest(t *testing.T) {
	for _, tt := range []struct{ in, want string }{
		{`{"extensions":{"parentDigest":"sha256:00"}}`, "sha256:00"},
		{`{"extensions":{"parentDigest":7}}`, ""},
		{`{"extensions":7}`, ""},
		{`{}`, ""},
	} {
		m, err := Parse([]byte(tt.in), Options{})
		if err != nil {
			t.Fatal(err)
		}
		if got := m.ParentDigest(); got.Text() != tt.want || got.Exists() != strings.Contains(tt.in, "parentDigest") {
			t.Errorf("%s: got %q", tt.in, got.Text())
		}
	}
}
