package tokens

import (
	"regexp"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

// The patterns of tiktoken without the last two alternatives, which [splitBy] implements: Go has no
// (?!\S). Go's \s is ASCII only, so \s and \S of the original are spelled out.
const (
	ws         = `\t-\r \x{85}\x{A0}\x{1680}\x{2000}-\x{200A}\x{2028}\x{2029}\x{202F}\x{205F}\x{3000}`
	anyCase    = `(?i:'s|'t|'re|'ve|'m|'ll|'d)`
	o200kUpper = `[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]`
	o200kLower = `[\p{Ll}\p{Lm}\p{Lo}\p{M}]`
)

var references = map[Encoding]*regexp.Regexp{
	O200kBase: regexp.MustCompile(`^(?:` + strings.Join([]string{
		`[^\r\n\p{L}\p{N}]?` + o200kUpper + `*` + o200kLower + `+` + anyCase + `?`,
		`[^\r\n\p{L}\p{N}]?` + o200kUpper + `+` + o200kLower + `*` + anyCase + `?`,
		`\p{N}{1,3}`, ` ?[^` + ws + `\p{L}\p{N}]+[\r\n/]*`, `[` + ws + `]*[\r\n]+`}, "|") + `)`),
	Cl100kBase: regexp.MustCompile(`^(?:` + strings.Join([]string{
		anyCase, `[^\r\n\p{L}\p{N}]?\p{L}+`, `\p{N}{1,3}`, ` ?[^` + ws + `\p{L}\p{N}]+[\r\n]*`,
		`[` + ws + `]*[\r\n]+`}, "|") + `)`),
	R50kBase: regexp.MustCompile(`^(?:` + strings.Join([]string{
		`'s|'t|'re|'ve|'m|'ll|'d`, ` ?\p{L}+`, ` ?\p{N}+`, ` ?[^` + ws + `\p{L}\p{N}]+`}, "|") + `)`),
}

var blanks = regexp.MustCompile(`^[` + ws + `]+`)

// splitBy splits by a reference pattern.
func splitBy(re *regexp.Regexp, s string) []string {
	var pieces []string
	for s != "" {
		piece := re.FindString(s)
		if piece == "" {
			piece = blanks.FindString(s)
			if _, w := utf8.DecodeLastRuneInString(piece); len(piece) < len(s) && len(piece) > w {
				piece = piece[:len(piece)-w]
			}
		}
		pieces = append(pieces, piece)
		s = s[len(piece):]
	}
	return pieces
}

func split(how Encoding, s string) []string {
	var pieces []string
	c, _ := New(how)
	for i := 0; i < len(s); {
		end := c.next(s, i)
		pieces = append(pieces, s[i:end])
		i = end
	}
	return pieces
}

func checkSplit(t interface {
	Helper()
	Errorf(string, ...any)
}, s string) {
	t.Helper()
	for how, re := range references {
		if want, got := splitBy(re, s), split(how, s); !slices.Equal(got, want) {
			t.Errorf("%s: %+q: got %+q, want %+q", how, s, got, want)
		}
	}
}

// TestSplitShort tries all texts of up to four critical characters.
func TestSplitShort(t *testing.T) {
	alphabet := []string{"a", "B", "中", "\u0301", "1", " ", "\n", "'s", "!", "\t"}
	level := []string{""}
	for range 4 {
		var next []string
		for _, s := range level {
			for _, c := range alphabet {
				next = append(next, s+c)
			}
		}
		level = next
		for _, s := range level {
			checkSplit(t, s)
		}
	}
}

func TestSplitRandom(t *testing.T) {
	awkward := rapid.SampledFrom([]string{
		" ", "  ", "\n", "\r", "\r\n", "\t", "\v", "\u0085", "\u00a0", "\u2028", "\u3000", "\u200b", "a", "Z", "é", "É", "ǅ", "ʰ", "ª", "中", "क",
		"\u0301", "\u093f", "\u20e3", "1", "٣", "Ⅷ", "½", "'s", "'S", "'ſ", "'ll", "'Re", "'", "’", "K", "!", "/", "<|", "_", "😀", "\u200d",
	})
	rapid.Check(t, func(t *rapid.T) {
		text := rapid.OneOf(
			rapid.Map(rapid.SliceOfN(awkward, 1, 40), func(s []string) string { return strings.Join(s, "") }),
			rapid.StringOf(rapid.Rune().Filter(func(r rune) bool { return !pinned(r) })),
		).Draw(t, "text")
		checkSplit(t, text)
	})
}

// pinned reports whether the class of r differs between versions of Unicode.
func pinned(r rune) bool {
	for _, p := range unicode16 {
		if p.first <= r && r <= p.last {
			return true
		}
	}
	return false
}

func FuzzSplit(f *testing.F) {
	for _, s := range []string{"a\n  \nb", "Hello WORLD's 1234 ǅ中A\u0301!\r\n/ ", " \u0301A \n\n x", "'ſK'LL"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		if utf8.ValidString(s) && !strings.ContainsFunc(s, pinned) {
			checkSplit(t, s)
		}
		for how := range references { // the pieces together are the text, for any bytes
			if got := strings.Join(split(how, s), ""); got != s {
				t.Errorf("%s: %+q became %+q", how, s, got)
			}
		}
	})
}

// TestClasses compares the number of characters in each class with Unicode 16: UnicodeData.txt, and
// White_Space in PropList.txt.
func TestClasses(t *testing.T) {
	got := map[class]int{}
	for _, block := range classes() {
		for _, c := range block {
			got[c]++
		}
	}
	want := map[class]int{
		upper: 1889, lower: 2258, uncasedLetter: 136881, mark: 2501, number: 1911, blank: 23, newline: 2, other: 968647,
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("characters by class (-want +got):\n%s", diff)
	}
	for i, c := range ascii {
		if got := classes()[0][i]; got != c {
			t.Errorf("%q is of class %b in one table and %b in the other", rune(i), c, got)
		}
	}
}
