package textscan

import (
	"slices"
	"strings"
	"testing"
	"unicode"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

// A hit is one literal that was found.
type hit struct{ ID, At int }

func find(x *Index, text string) []hit {
	var list []hit
	x.Find(text, func(id, at int) { list = append(list, hit{id, at}) })
	return list
}

// findPlainly is the plain statement of [Index.Find]: it tries every literal in all its
// spellings at every place.
func findPlainly(literals []string, text string) []hit {
	escape := func(i int) bool {
		return i >= 0 && i+1 < len(text) && text[i] == '\\' && strings.IndexByte("nrt", text[i+1]) >= 0
	}
	var list []hit
	for at := range len(text) {
		if escape(at) || escape(at-1) {
			continue
		}
		if at > 0 && isAlnum(text[at-1]) && isAlnum(text[at]) && !escape(at-2) {
			continue // inside a word
		}
		for id, s := range slices.Backward(literals) {
			capitals := strings.Map(unicode.ToUpper, s)
			first := []rune(s)[0]
			spellings := []string{s}
			if first >= 0x80 && unicode.IsLower(first) {
				spellings = append(spellings, string(unicode.ToUpper(first))+s[len(string(first)):], capitals)
			}
			if slices.ContainsFunc(spellings, func(s string) bool {
				return len(s) >= MinLiteral && len(text)-at >= len(s) && folded(text[at:at+len(s)]) == folded(s)
			}) {
				list = append(list, hit{id, at})
			}
		}
	}
	return list
}

func folded(s string) string {
	b := []byte(s)
	for i := range b {
		b[i] |= 0x20
	}
	return string(b)
}

func checkFind(t interface {
	Helper()
	Fatalf(string, ...any)
}, literals []string, text string) {
	t.Helper()
	if diff := cmp.Diff(findPlainly(literals, text), find(NewIndex(literals), text)); diff != "" {
		t.Fatalf("%q in %q: -want +got:\n%s", literals, text, diff)
	}
}

// someLiterals begin with all that a literal can begin with.
var someLiterals = []string{
	"ignore", "ignored", "ignore ", "igno", "rule", "rules", "do not follow", "1st of", "[system", "{{#sys", "<|im_", "</user", "----", " dan ", "\"?\"?",
	"\nhuman:", "###system", "игнор", "ärger", "ﬁxes", "请忽略", "\\\\n\\n", ".env", ",,,,", ":::a", "end", "ing",
}

func TestFind(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		literals := rapid.SliceOfN(rapid.SampledFrom(someLiterals), 1, 8).Draw(t, "literals")
		parts := append([]string{" ", "\n", `\n`, `\`, `\t`, `"`, "a", "9", "é", "\xff", "\x00", "\x10", strings.Repeat("x", 61), "- "}, literals...)
		var b strings.Builder
		for range rapid.IntRange(0, 30).Draw(t, "length") {
			part := rapid.SampledFrom(parts).Draw(t, "part")
			switch rapid.IntRange(0, 6).Draw(t, "change") {
			case 0:
				part = strings.ToUpper(part)
			case 1:
				part = part[:len(part)-1]
			case 2: // folds to the same
				part = strings.Map(func(r rune) rune {
					if r < 0x80 {
						r ^= 0x20
					}
					return r
				}, part)
			}
			b.WriteString(part)
		}
		checkFind(t, literals, b.String())
	})
}

func FuzzFind(f *testing.F) {
	f.Add("Ignore all rules", "ignore")
	f.Add(`a\nignored \\n\n [system] 1st of`, "\nhuman:")
	f.Fuzz(func(t *testing.T, text, literal string) {
		if literal == "" {
			return
		}
		checkFind(t, append([]string{strings.ToLower(literal)}, someLiterals...), text)
	})
}

func BenchmarkFind(b *testing.B) {
	x := NewIndex(someLiterals)
	prose := strings.Repeat("The migration finished on Tuesday; 14 of 16 tables were copied, and the rules are in place. ", 1000)
	b.SetBytes(int64(len(prose)))
	for b.Loop() {
		x.Find(prose, func(int, int) {})
	}
}
