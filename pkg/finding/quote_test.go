package finding_test

import (
	"strings"
	"testing"

	"github.com/eaapl/handoff/internal/secrets"
	"github.com/eaapl/handoff/pkg/finding"
	"github.com/eaapl/handoff/pkg/jsonstream"
)

func TestQuote(t *testing.T) {
	for text, want := range map[string]string{
		"":                      `""`,
		"a\x1b[31m\n":           `"a\x1b[31m\n"`,
		strings.Repeat("é", 60): `"` + strings.Repeat("é", 60) + `"`,
		strings.Repeat("é", 61): `"` + strings.Repeat("é", 59) + `…"`,
		"key password=hunter22": `"key *****************"`,
		strings.Repeat("a ", 1<<20) + secrets.Kinds()[0].Example: `"` + strings.Repeat("a ", 29) + `a…"`,
	} {
		if got := finding.Quote(text); got != want {
			t.Errorf("%.100q is shown as %s, want %s", text, got, want)
		}
	}
}

// No credential is shown, anywhere in a text, in a value, or in a pointer.
func TestNoSecretIsShown(t *testing.T) {
	for _, kind := range secrets.Kinds() {
		hit := secrets.Find(kind.Example)[0]
		value := kind.Example[hit.Offset : hit.Offset+hit.Length]
		for _, text := range []string{kind.Example, "x " + kind.Example, kind.Example + strings.Repeat(" x", 1<<20)} {
			if got := finding.Quote(text); strings.Contains(got, value) || len(got) > 300 {
				t.Errorf("%s is shown as %.300s", kind.ID, got)
			}
		}
		name := jsonstream.AppendPointer("", kind.Example)
		for _, pointer := range []string{name, "/a" + name, "/a" + name + "/b/c"} {
			got := finding.Pointer(pointer)
			if want := strings.TrimSuffix(pointer[:strings.Index(pointer, name)], "/"); strings.Contains(got, value) || got != want {
				t.Errorf("%s in a pointer is shown as %s", kind.ID, got)
			}
		}
	}
}

func TestPlaces(t *testing.T) {
	secret := secrets.Kinds()[0].Example
	long := strings.Repeat("x", 2000)
	doc, err := jsonstream.Parse(jsonstream.NewRaw([]byte("{\"a\": [1,\n {\""+secret+"\": {\"b\": 2}}, {\""+long+"\": 3}]}")), jsonstream.Limits{})
	if err != nil {
		t.Fatal(err)
	}
	list := doc.Root().Get("a")
	var elements []jsonstream.Value
	for _, v := range list.Elements() {
		elements = append(elements, v)
	}
	for _, tt := range []struct {
		name string
		at   finding.Finding
		want string
		line int
	}{
		{"a value", finding.Finding{}.On(elements[0]), "/a/0", 1},
		{"below a secret", finding.Finding{}.On(elements[1].Get(secret).Get("b")), "/a/1", 2},
		{"below a long name", finding.Finding{}.On(elements[2].Get(long)), "/a/2", 2},
		{"a name", finding.Finding{}.OnName(list), "/a", 1},
		{"a name that is a secret", finding.Finding{}.OnName(elements[1].Get(secret)), "/a/1", 2},
		{"inside", finding.Finding{Pointer: "/x"}.Inside(list), "/a/x", 1},
		{"the root", finding.Finding{}.On(doc.Root()), "", 1},
	} {
		if tt.at.Pointer != tt.want || tt.at.Line != tt.line {
			t.Errorf("%s is placed at %q, line %d, want %q, line %d", tt.name, tt.at.Pointer, tt.at.Line, tt.want, tt.line)
		}
	}
	if name := (finding.Finding{}).OnName(list); name.Column != 2 {
		t.Errorf("a name is placed in column %d", name.Column)
	}
}

func TestQuoteValue(t *testing.T) {
	doc, err := jsonstream.Parse(jsonstream.NewRaw([]byte(`{"s":"x","n":1e400,"o":{},"a":[],"t":true,"z":null}`)), jsonstream.Limits{})
	if err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]string{
		"s": `"x"`, "n": "the number 1e400", "o": "an object", "a": "an array", "t": "true", "z": "null", "none": "nothing",
	} {
		if got := finding.QuoteValue(doc.Root().Get(name)); got != want {
			t.Errorf("%s is shown as %s, want %s", name, got, want)
		}
	}
}
