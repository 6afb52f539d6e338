package safety

import (
	"context"
	"encoding/base64"
	"encoding/hex"
	"math/rand/v2"
	"strconv"
	"strings"
	"testing"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"pgregory.net/rapid"

	"github.com/eaapl/handoff/pkg/jsonstream"
)

// drawMutation draws an example of a rule, changed as an attacker or an editor might.
func drawMutation(t *rapid.T) string {
	examples := func() string {
		source := rapid.SampledFrom(builtin().rules).Draw(t, "rule").source
		return rapid.SampledFrom(append(source.Match[:1:1], source.Pass[0])).Draw(t, "example")
	}
	text := examples()
	random := rand.New(rand.NewPCG(uint64(rapid.IntRange(0, 1<<20).Draw(t, "seed")), 0))
	for range random.IntN(4) {
		i := random.IntN(len(text) + 1)
		j := min(len(text), i+random.IntN(30))
		part := text[i:j]
		switch random.IntN(11) {
		case 0:
			part = ""
		case 1:
			part = strings.ToUpper(part)
		case 2:
			part = base64.StdEncoding.EncodeToString([]byte(part))
		case 3:
			part = hex.EncodeToString([]byte(part))
		case 4:
			part = strings.Join(strings.Split(part, ""), " ")
		case 5:
			part = strings.NewReplacer("e", "3", "o", "0", "i", "1", "a", "@").Replace(part)
		case 6:
			part = strings.NewReplacer("e", "е", "o", "о", " ", "\u200b").Replace(part)
		case 7:
			part = strings.ReplaceAll(part, " ", []string{"\n", "\t", "_", "  ", `\n`, `"`, "-"}[random.IntN(7)])
		case 8:
			part = strconv.Quote(part)
		case 9:
			part = "<!-- " + part + " -->"
		case 10:
			part += "func (s *sieve) add(quoted []byte) {\n\treturn \"" + examples() + "\"\n}"
		}
		text = text[:i] + part + text[j:]
	}
	return strings.ToValidUTF8(text, "?")
}

// Documents have the findings of their texts, scanned one by one, also if the texts are known from a
// previous document, in other fields and with other thresholds.
func TestKnown(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		texts := rapid.SliceOfN(rapid.Custom(drawMutation), 1, 5).Draw(t, "texts")
		for _, threshold := range []float64{0.5, 0.1} {
			known := New(Options{Threshold: threshold})
			for _, role := range []string{"user", "tool", "user"} {
				raw := []byte(`{"messages":[`)
				for _, text := range texts {
					raw = append(raw, `{"role":"`+role+`","content":`...)
					var err error
					if raw, err = jsontext.AppendQuote(raw, text); err != nil {
						t.Fatal(err)
					}
					raw = append(raw, "},"...)
				}
				document, err := jsonstream.Parse(jsonstream.NewRaw(append(raw, "0]}"...)), jsonstream.Limits{})
				if err != nil {
					t.Fatal(err)
				}
				got, err := ScanDocument(context.Background(), known, document.Root(), nil)
				if err != nil {
					t.Fatal(err)
				}
				want, err := ScanDocument(context.Background(), struct{ Scanner }{known}, document.Root(), nil)
				if err != nil {
					t.Fatal(err)
				}
				if diff := cmp.Diff(want, got, cmpopts.IgnoreUnexported(Finding{}), cmp.Comparer(func(a, b jsonstream.Value) bool { return a == b })); diff != "" {
					t.Fatalf("%s: %s", raw, diff)
				}
			}
		}
	})
}
