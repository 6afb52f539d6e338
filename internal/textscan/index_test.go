package textscan

import (
	"slices"
	"strings"
	"testing"
	"unicode"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

// An announcement is one call of [Index.Find].
type announcement struct{ Rule, At int }

func find(x *Index, text string) []announcement {
	var list []announcement
	x.Find(text, func(rule, at int) { list = append(list, announcement{rule, at}) })
	return list
}

// A hit is one literal that was found.
type hit struct{ ID, At, Len int }

// announcePlainly is a simple implementation of [Index.Find] that tries all literals.
func announcePlainly(literals []Literal, reaches []int, text string) []announcement {
	texts := make([]string, len(literals))
	for i, l := range literals {
		texts[i] = l.Text
	}
	var list []announcement
	ends := make([]int, len(reaches)) // of the latest literals in reach
	waiting := make([][]int, len(reaches))
	for _, h := range findPlainly(texts, text) {
		l := literals[h.ID]
		switch {
		case l.Role == Near:
			ends[l.Rule] = h.At + h.Len
			for _, at := range waiting[l.Rule] {
				if at+reaches[l.Rule] >= ends[l.Rule] {
					list = append(list, announcement{l.Rule, at})
				}
			}
			waiting[l.Rule] = nil
		case l.Role == Announces || ends[l.Rule] > h.At:
			list = append(list, announcement{l.Rule, h.At})
		default:
			waiting[l.Rule] = append(waiting[l.Rule], h.At)
			waiting[l.Rule] = waiting[l.Rule][max(0, len(waiting[l.Rule])-maxPending):]
		}
	}
	return list
}

// findPlainly tries every literal in all its spellings at every place.
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
			i := slices.IndexFunc(spellings, func(s string) bool {
				return len(s) >= MinLiteral && len(text)-at >= len(s) && folded(text[at:at+len(s)]) == folded(s)
			})
			if i >= 0 {
				list = append(list, hit{id, at, len(spellings[i])})
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
}, literals []Literal, reaches []int, text string) {
	t.Helper()
	if diff := cmp.Diff(announcePlainly(literals, reaches, text), find(NewIndex(literals, reaches), text)); diff != "" {
		t.Fatalf("%+v, %v in %q: -want +got:\n%s", literals, reaches, text, diff)
	}
}

// someLiterals have all possible first characters of literals.
var someLiterals = []string{
	"ignore", "ignored", "ignore ", "igno", "rule", "rules", "do not follow", "1st of", "[system", "{{#sys", "<|im_", "</user", "----", " dan ", "\"?\"?",
	"\nhuman:", "###system", "игнор", "ärger", "ﬁxes", "ɐrger", "请忽略", "\\\\n\\n", ".env", ",,,,", ":::a", "end", "ing", "not follow [system", "\"role\": \"",
}

// drawLiterals draws literals for some rules, one for each of texts.
func drawLiterals(t *rapid.T, texts []string) (literals []Literal, reaches []int) {
	reaches = rapid.SliceOfN(rapid.IntRange(0, 100), 1, 70).Draw(t, "reaches")
	roles := []Role{Announces, Waits, Waits, Near, Near}
	for _, text := range texts {
		rule := rapid.IntRange(0, min(3, len(reaches)-1)).Draw(t, "rule")
		literals = append(literals, Literal{text, rule, rapid.SampledFrom(roles).Draw(t, "role")})
	}
	for rule := len(literals); rule < len(reaches); rule++ { // more rules than bits
		literals = append(literals, Literal{"rules", rule, Near})
	}
	return literals, reaches
}

func TestFind(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		texts := rapid.SliceOfN(rapid.SampledFrom(someLiterals), 1, 8).Draw(t, "literals")
		literals, reaches := drawLiterals(t, texts)
		parts := append([]string{" ", "\n", `\n`, `\`, `\t`, `"`, "a", "9", "é", "\xff", "\x00", "\x10", strings.Repeat("x", 61), "- "}, texts...)
		var b strings.Builder
		for range rapid.IntRange(0, 30).Draw(t, "length") {
			part := rapid.SampledFrom(parts).Draw(t, "part")
			switch rapid.IntRange(0, 6).Draw(t, "change") {
			case 0:
				part = strings.ToUpper(part)
			case 1:
				part = part[:len(part)-1]
			case 2: // a spelling that folds to the same text
				part = strings.Map(func(r rune) rune {
					if r < 0x80 {
						r ^= 0x20
					}
					return r
				}, part)
			}
			b.WriteString(part)
		}
		checkFind(t, literals, reaches, b.String())
	})
}

func FuzzFind(f *testing.F) {
	f.Add("Ignore all rules", "ignore")
	f.Add(`a\nignored \\n\n [system] 1st of`, "\nhuman:")
	f.Fuzz(func(t *testing.T, text, literal string) {
		if literal == "" {
			return
		}
		for shift := range 3 {
			literals := []Literal{{strings.ToLower(literal), 0, Role(shift)}}
			for i, s := range someLiterals {
				literals = append(literals, Literal{s, i % 2, Role((i + shift) % 3)})
			}
			checkFind(t, literals, []int{40, 100}, text)
		}
	})
}

func BenchmarkFind(b *testing.B) {
	var literals []Literal
	for i, s := range someLiterals {
		literals = append(literals, Literal{s, i, Announces})
	}
	x := NewIndex(literals, make([]int, len(literals)))
	prose := strings.Repeat("The migration finished on Tuesday; 14 of 16 tables were copied, and the rules are in place. ", 1000)
	b.SetBytes(int64(len(prose)))
	for b.Loop() {
		x.Find(prose, func(int, int) {})
	}
}
