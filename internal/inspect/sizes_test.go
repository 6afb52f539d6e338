package inspect

import (
	"fmt"
	"strings"
	"testing"

	"github.com/go-json-experiment/json/jsontext"
	"pgregory.net/rapid"

	"github.com/eaapl/handoff/pkg/format"
	"github.com/eaapl/handoff/pkg/jsonstream"
	"github.com/eaapl/handoff/pkg/message"
)

// TestSizes compares sizes with the lengths of compact texts and quoted names.
func TestSizes(t *testing.T) {
	text := rapid.StringOf(rapid.SampledFrom([]rune("ab \"\\/\n\t\x00\x7f\u2028é中😀")))
	space := rapid.SampledFrom([]string{"", "", " ", "\n\t"})
	rapid.Check(t, func(t *rapid.T) {
		var b strings.Builder
		b.WriteString("{")
		for i, name := range rapid.SliceOfNDistinct(text, 0, 4, rapid.ID).Draw(t, "names") {
			if i > 0 {
				b.WriteString(",")
			}
			quoted, _ := jsontext.AppendQuote(nil, name)
			if rapid.Bool().Draw(t, "more escapes") {
				quoted = []byte(strings.ReplaceAll(strings.ReplaceAll(string(quoted), "a", `\u0061`), "/", `\/`))
			}
			value, _ := jsontext.AppendQuote(nil, text.Draw(t, "value"))
			fmt.Fprintf(&b, "%s%s%s:%s[%s%s,1]", space.Draw(t, "space"), quoted, space.Draw(t, "space"), space.Draw(t, "space"), value, space.Draw(t, "space"))
		}
		b.WriteString("}")
		d, err := jsonstream.Parse(jsonstream.NewRaw([]byte(b.String())), jsonstream.Limits{})
		if err != nil {
			t.Fatal(err)
		}
		sizes, whole := newSizer(d.Root())
		for v := range d.Root().All() {
			if got, want := sizes.size(v), len(jsonstream.AppendCompact(nil, v.Raw())); got != want {
				t.Errorf("%s: got %d, want %d", v.Raw(), got, want)
			}
		}
		if want := sizes.size(d.Root()); whole != want {
			t.Errorf("got %d for all, want %d", whole, want)
		}
		for name, v := range d.Root().Members() {
			quoted, _ := jsontext.AppendQuote(nil, name)
			if got := quotedSize(v.RawName(), name); got != len(quoted) {
				t.Errorf("%s: got %d, want %d", v.RawName(), got, len(quoted))
			}
		}
	})
}

func BenchmarkOf(b *testing.B) {
	turn := `{"role":"user","content":"` + strings.Repeat("the supplier is liable ", 12) + `","timestamp":"2026-06-11T10:15:00Z"}`
	text := `{"schemaVersion":"2.0","handoffId":"h","taskId":"t","fromAgent":{"agentId":"a","agentVersion":"1.0.0"},"toAgent":{"agentType":"b"},` +
		`"conversationHistoryVerbatim":[` + strings.Repeat(turn+",", 19) + turn + `],"constraints":["returnJSON:true"]}`
	m, err := message.Parse([]byte(text), message.Options{})
	if err != nil {
		b.Fatal(err)
	}
	b.SetBytes(int64(len(text)))
	b.ReportAllocs()
	for b.Loop() {
		Of(m, format.EAAPL, jsonstream.Limits{})
	}
}
