package safety

import (
	"context"
	"slices"
	"strconv"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"pgregory.net/rapid"

	"github.com/eaapl/handoff/internal/tier"
	"github.com/eaapl/handoff/pkg/jsonstream"
)

// drawText draws a text of rules' literals, their required words, disguises, and padding that moves
// all of them across the boundaries of blocks.
func drawText(t *rapid.T, set *RuleSet, label string) string {
	parts := []string{" ", " ", ", ", "\n", "\\n", "\\t", "\\", "\"", "'", "-", "_", "<", "[", "|", "é", "и", "\u200b", "你", "🔒",
		"a", "i g n o r e", "1gn0r3", "erongi", "vtaber", "0x69", "69 6e 6f 72 65", "68656c6c6f20776f726c64", "aGVsbG8gd29ybGQgaGVsbG8=",
		"&#105;", "%69", "<!-- x -->", "your", "system", "the agent", "conversationHistoryVerbatim", "2026-06-03T07:05:35.434Z"}
	var b strings.Builder
	rules := rapid.SliceOfN(rapid.IntRange(0, len(set.rules)-1), 1, 3).Draw(t, label+" rules")
	for range rapid.IntRange(0, 30).Draw(t, label+" parts") {
		source := set.rules[rapid.SampledFrom(rules).Draw(t, "rule")].source
		lists := [][]string{parts, source.Literals, source.Near, source.Needs, {strings.Repeat("x", rapid.IntRange(0, 70).Draw(t, "filling"))}}
		list := lists[rapid.IntRange(0, len(lists)-1).Draw(t, "list")]
		if len(list) == 0 || list[0] == "" {
			continue
		}
		part := rapid.SampledFrom(list).Draw(t, "part")
		switch rapid.IntRange(0, 8).Draw(t, "change") {
		case 0:
			part = strings.ToUpper(part)
		case 1:
			part = part[:len(part)-1]
		case 2: // a spelling that folds to the same text
			part = strings.Map(func(r rune) rune {
				if r >= utf8.RuneSelf || 'a' <= r|0x20 && r|0x20 <= 'z' {
					return r
				}
				return r ^ 0x20
			}, part)
		case 3, 4, 5:
			part += " "
		}
		b.WriteString(part)
	}
	return strings.ToValidUTF8(b.String(), "?")
}

// Required words are found at every place, in upper and lower case.
func TestPromises(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		parts := rapid.SampledFrom([]string{"a", "B", "k", "ab", "Ab", "your", "YOUR", "é", "É", "@", "`", "[", "{", " ", "\x00", "1", "\xff"})
		join := func(label string, least, most int) string {
			return strings.Join(rapid.SliceOfN(parts, least, most).Draw(t, label), "")
		}
		var needs []string
		for range rapid.IntRange(1, 3).Draw(t, "needs") {
			needs = append(needs, lowered(join("need", 1, 3)))
		}
		window := join("window", 0, 12)
		r := newRule(&fileRule{Needs: needs}, nil)
		want := slices.ContainsFunc(needs, func(s string) bool { return strings.Contains(lowered(window), s) })
		if got := r.promises(window); got != want {
			t.Fatalf("%q in %q: got %v", needs, window, got)
		}
	})
}

// lowered converts ASCII capitals to lower case.
func lowered(s string) string {
	b := []byte(s)
	for i, c := range b {
		if 'A' <= c && c <= 'Z' {
			b[i] = c + 'a' - 'A'
		}
	}
	return string(b)
}

// A document has the findings of its texts, scanned one by one.
func TestSieveOfDocument(t *testing.T) {
	sieved := New(Options{Threshold: 0.01})
	one := struct{ Scanner }{sieved} // hides the sieve
	rapid.Check(t, func(t *rapid.T) {
		texts := rapid.SliceOfN(rapid.Custom(func(t *rapid.T) string {
			text := drawText(t, builtin(), "text")
			if rapid.IntRange(0, 9).Draw(t, "long") == 0 { // across the end of a piece
				text = strings.Repeat(" ", pieceLen-rapid.IntRange(0, 100).Draw(t, "before")) + text
			}
			if rapid.Bool().Draw(t, "without escapes") {
				text = strings.Map(func(r rune) rune {
					if r < ' ' || r == '"' || r == '\\' {
						return ' '
					}
					return r
				}, text)
			}
			quoted, err := jsontext.AppendQuote(nil, text)
			if err != nil {
				t.Fatal(err)
			}
			return string(quoted)
		}), 3, 12).Draw(t, "texts")
		var b strings.Builder
		b.WriteString(`[0.6007272605044812,{"role":"user","a":` + texts[0] + `},`)
		for i, text := range texts[1:] {
			b.WriteString(`{"n` + strconv.Itoa(i) + texts[len(texts)-1-i][1:] + `:[` + text + `,true]},` + text + `,`)
		}
		b.WriteString(`null]`)
		document, err := jsonstream.Parse(jsonstream.NewRaw([]byte(b.String())), jsonstream.Limits{})
		if err != nil {
			t.Skip(err)
		}
		got, err := ScanDocument(context.Background(), sieved, document.Root(), nil)
		if err != nil {
			t.Fatal(err)
		}
		want, err := ScanDocument(context.Background(), one, document.Root(), nil)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(want, got, cmp.AllowUnexported(), cmpopts.IgnoreUnexported(Finding{}), cmp.Comparer(func(a, b jsonstream.Value) bool { return a == b })); diff != "" {
			t.Fatalf("%s: %s", b.String(), diff)
		}
	})
}

// A message without findings takes no memory.
func TestSieveAllocates(t *testing.T) {
	if tier.UnderRace {
		t.Skip("sync.Pool drops items under the race detector")
	}
	document := parse(t, `{"taskId":"1818e811-892f-402b-923f-0824128b2f33","taskDescription":"`+strings.Repeat("review the contract and extract its clauses ", 200)+`"}`)
	scanner := New(Options{})
	if n := testing.AllocsPerRun(100, func() {
		if report, err := ScanDocument(context.Background(), scanner, document, nil); err != nil || len(report.Findings) > 0 {
			t.Error(report, err)
		}
	}); n > 0 {
		t.Errorf("%v allocations", n)
	}
}
