package automaton_test

import (
	"errors"
	"regexp"
	"regexp/syntax"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/eaapl/handoff/pkg/internal/automaton"
)

const (
	uuid        = `^[0-9A-Fa-f]{8}-[0-9A-Fa-f]{4}-4[0-9A-Fa-f]{3}-[89ABab][0-9A-Fa-f]{3}-[0-9A-Fa-f]{12}$`
	semver      = `^(0|[1-9][0-9]*)\.(0|[1-9][0-9]*)\.(0|[1-9][0-9]*)(-(0|[1-9][0-9]*|[0-9]*[A-Za-z-][0-9A-Za-z-]*)(\.(0|[1-9][0-9]*|[0-9]*[A-Za-z-][0-9A-Za-z-]*))*)?(\+[0-9A-Za-z-]+(\.[0-9A-Za-z-]+)*)?$`
	sha256      = `^sha256:[0-9a-f]{64}$`
	traceparent = `^[0-9a-f]{2}-[0-9a-f]{32}-[0-9a-f]{16}-[0-9a-f]{2}(-.*)?$`
	base64      = `^(?:(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}(?:==)?|[A-Za-z0-9+/]{3}=?)?|(?:[A-Za-z0-9_-]{4})*(?:[A-Za-z0-9_-]{2}(?:==)?|[A-Za-z0-9_-]{3}=?)?)$`
	duration    = `^(0|[1-9][0-9]{0,11})(\.[0-9]{1,9})?s$`
)

var samples = []struct {
	name, expr, text string
}{
	{name: "uuid", expr: uuid, text: "0b9d7e3c-5f1a-4c2e-9a6b-7d8e9f0a1b2c"},
	{name: "semver", expr: semver, text: "1.12.3-alpha.1+build.20260821"},
	{name: "sha256", expr: sha256, text: "sha256:9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08"},
	{name: "traceparent", expr: traceparent, text: "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01"},
	{name: "base64", expr: base64, text: strings.Repeat("SGVsbG8gd29ybGQh", 64)},
	{name: "not blank", expr: `\S`, text: "   A summary of the work"},
	{name: "beyond ASCII", expr: `^\pL+$`, text: strings.Repeat("Übergabe引き継ぎ", 16)},
}

func compile(t interface{ Fatal(...any) }, expr string) *automaton.Automaton {
	a, err := automaton.Compile(expr)
	if err != nil {
		t.Fatal(err)
	}
	return a
}

func TestMatch(t *testing.T) {
	for _, tt := range []struct {
		name    string
		expr    string
		matches []string
		others  []string
	}{
		{
			name:    "uuid",
			expr:    uuid,
			matches: []string{"0b9d7e3c-5f1a-4c2e-9a6b-7d8e9f0a1b2c", "0B9D7E3C-5F1A-4C2E-AA6B-7D8E9F0A1B2C"},
			others:  []string{"", "0b9d7e3c-5f1a-1c2e-9a6b-7d8e9f0a1b2c", "0b9d7e3c-5f1a-4c2e-9a6b-7d8e9f0a1b2", "0b9d7e3c-5f1a-4c2e-9a6b-7d8e9f0a1b2c\n", "x0b9d7e3c-5f1a-4c2e-9a6b-7d8e9f0a1b2c"},
		},
		{
			name:    "semver",
			expr:    semver,
			matches: []string{"0.0.0", "1.2.3", "1.2.3-0.a-b.0a", "1.2.3+00.-", "10.20.30-rc.1+b"},
			others:  []string{"1.2", "01.2.3", "1.2.3-", "1.2.3-01", "1.2.3+", "1.2.3-a..b", "v1.2.3"},
		},
		{
			name:    "sha256",
			expr:    sha256,
			matches: []string{"sha256:" + strings.Repeat("0a", 32)},
			others:  []string{"sha256:" + strings.Repeat("0A", 32), "sha256:" + strings.Repeat("0", 63), "sha256:" + strings.Repeat("0", 65), "sha1:"},
		},
		{
			name:    "traceparent",
			expr:    traceparent,
			matches: []string{"00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01", "01-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01-é"},
			others:  []string{"00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01é", "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01-\n"},
		},
		{
			name:    "a prefix",
			expr:    `^[0-9a-f]{2}-0{32}-`,
			matches: []string{"00-" + strings.Repeat("0", 32) + "-and more"},
			others:  []string{"00-" + strings.Repeat("0", 31) + "1-", "00-" + strings.Repeat("0", 33) + "-"},
		},
		{
			name:    "duration",
			expr:    duration,
			matches: []string{"0s", "999999999999s", "1.5s", "0.000000001s"},
			others:  []string{"", "s", "01s", "1000000000000s", "1.s", "1.0000000001s", "1"},
		},
		{
			name:    "base64",
			expr:    base64,
			matches: []string{"", "AAAA", "AA", "AA==", "AAA", "AAA=", "++//", "--__AA"},
			others:  []string{"A", "A===", "AA=", "AAA==", "+-AA", "AAAA\n", "Ä"},
		},
		{
			name:    "anywhere",
			expr:    `a[b-d]+é`,
			matches: []string{"abé", "aabcdbé", "日本abéx"},
			others:  []string{"aé", "ab", "abe", "ab\xc3", "abÉ"},
		},
		{
			name:    "any case, also beyond ASCII",
			expr:    `(?i)^ſtraßek$`,
			matches: []string{"STRAẞEK", "ſtraße\u212a"},
			others:  []string{"STRASSEK"},
		},
		{
			name:    "lines",
			expr:    `(?m)^b$`,
			matches: []string{"b", "a\nb", "b\na", "a\nb\nc", "\nb\n"},
			others:  []string{"", "ab", "a\nbb", "a\n\nc", "b\r\n"},
		},
		{
			name:    "words",
			expr:    `\bb\B`,
			matches: []string{"bb", "a bb", "éb0"},
			others:  []string{"b", "abb", "a b", "_bb"},
		},
		{
			name:    "an end and then a beginning",
			expr:    `$^`,
			matches: []string{""},
			others:  []string{"a", "\n"},
		},
		{
			name:   "nothing",
			expr:   `[^\x00-\x{10FFFF}]`,
			others: []string{"", "a", "\U0010ffff", "\xff"},
		},
		{
			name:    "everything",
			expr:    `^(?s:.*)$`,
			matches: []string{"", "a\n", "\xff"},
		},
		{
			name:    "a byte that is not UTF-8 as U+FFFD",
			expr:    `^\x{FFFD}{2}$`,
			matches: []string{"\xff\xfe", "\xc3\ufffd", "\xe2\x82"},
			others:  []string{"\xff", "\xff\xfe\xfd", "é"},
		},
	} {
		t.Run(tt.name, func(t *testing.T) {
			a := compile(t, tt.expr)
			for _, text := range tt.matches {
				if !a.Match([]byte(text)) {
					t.Errorf("%q does not match", text)
				}
			}
			for _, text := range tt.others {
				if a.Match([]byte(text)) {
					t.Errorf("%q matches", text)
				}
			}
		})
	}
}

func TestCompileRejects(t *testing.T) {
	for _, tt := range []struct {
		name string
		expr string
		// syntax is set if package regexp rejects the expression as well.
		syntax bool
	}{
		{name: "no expression", expr: `a(b`, syntax: true},
		{name: "a repetition over the limit of the syntax", expr: `(\pL{1000}){1000}`, syntax: true},
		{name: "a state for each choice of the last 30", expr: `(a|b)*a(a|b){30}`},
		{name: "too many states in a row", expr: `^a{1000}b{1000}`},
		{name: "many long repetitions", expr: strings.Repeat(`(?:a?b?c?){300}x`, 20) + `$`},
		{name: "states of too many instructions", expr: `.{900}x`},
		{name: "too many instructions", expr: `^(?:` + strings.Repeat(`a`, 100) + `){1000}`},
		{name: "far too many instructions", expr: strings.Repeat(`x{1000}`, 3000)},
		{name: "too many different sets", expr: strings.Repeat(`\pL\PL\p{Greek}`, 200)},
		{name: "too wide a table", expr: distinct(400) + `$`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			_, err := automaton.Compile(tt.expr)
			var bad *syntax.Error
			if errors.As(err, &bad) != tt.syntax || errors.Is(err, automaton.ErrTooLarge) == tt.syntax {
				t.Errorf("the error is %v", err)
			}
		})
	}
}

// distinct gives n different characters beyond ASCII.
func distinct(n rune) string {
	var b strings.Builder
	for r := range n {
		b.WriteRune('一' + r)
	}
	return b.String()
}

// check compares an automaton with package regexp.
func check(t interface {
	Helper()
	Fatalf(string, ...any)
}, expr, text string) {
	t.Helper()
	re, wantErr := regexp.Compile(expr)
	a, err := automaton.Compile(expr)
	switch {
	case errors.Is(err, automaton.ErrTooLarge) && wantErr == nil:
		return
	case err != nil && wantErr != nil && err.Error() == wantErr.Error():
		return
	case err != nil || wantErr != nil:
		t.Fatalf("%q: error %v, package regexp gives %v", expr, err, wantErr)
	}
	if got, want := a.Match([]byte(text)), re.MatchString(text); got != want {
		t.Fatalf("%q on %q is %t, package regexp gives %t", expr, text, got, want)
	}
}

func FuzzMatch(f *testing.F) {
	for _, s := range samples {
		f.Add(s.expr, s.text)
	}
	for _, expr := range []string{
		``, `|`, `a||b`, `()`, `(?:)`, `a`, `ab|ac|b`, `(a|ab)(c|bcd)`, `.`, `(?s).`, `..$`, `.*`, `.+?x`, `(?U)a+b*`, `(?U)a+?`,
		`[abc]`, `[^abc]`, `[^a\n]`, `[a-cx-z]{2,3}`, `[^\x00-\x{10FFFF}]`, `[\x00-\x{10FFFF}]`, `[[:alpha:]][[:^digit:]]`,
		`\d\D\w\W\s\S`, `^\d+$`, `\pL\PL`, `\p{Greek}+$`, `\p{^Lu}`, `[\pN\pP]`, `(?i)straße`, `(?i)[k-s]+$`, `(?i)kſ`, `(?i:a)b(?-i:C)`,
		`a{0}`, `a{0,}`, `a{2}`, `a{2,}`, `a{0,3}?b`, `(a{2,3}){2}$`, `(a*)*`, `(a|b)*abb`, `((a?){3}b){2}`, `x*?$`,
		`^`, `$`, `^$`, `$^`, `a^b`, `a$b`, `(^a|b$)c?`, `\Aa\z`, `(?m)^a$`, `(?m)$^`, `(?m)a$\nb`, `(?m)^$`, `(?m:^)a\z`, `(?m)\A^\n^`,
		`\ba`, `a\b`, `\Ba`, `a\B`, `\b\B`, `(?m)\b^a|b\B$`, `\bé\b`, `(\b|a)*b`, `(?:\b$|^\B)`,
		`\x{FFFD}`, `[^\x{FFFD}]$`, `\x{10FFFF}`, `\Qa.b\E`, `\x00`, `é+`, `[à-ÿ]`, `[^é]`, `日|本`, `^(?:[\x{D7FF}-\x{E000}])$`,
		`(?P<name>a)b`, `(`, `a**`, `[b-a]`, `(?<x>a)`, `\C`, `\8`, `(a|b)*a(a|b){30}`,
	} {
		for _, text := range []string{
			"", "a", "b", "ab", "aab\nabb", "abcd", "\n", "a\n", "\na", "a b", "aaaaaaa", "ABC", "\u212a\u017f", "é", "aéb", "日本", "STRASSE", "straẞe",
			"\xff", "a\xc3", "\xe2\x82", "\ufffd", "\xed\xa0\x80", "\U0010ffff", "\x00", "0_9",
		} {
			f.Add(expr, text)
		}
	}
	f.Fuzz(func(t *testing.T, expr, text string) {
		check(t, expr, text)
	})
}

// expressions generates expressions of a small grammar.
func expressions() *rapid.Generator[string] {
	atoms := rapid.SampledFrom([]string{
		`a`, `b`, `é`, `日`, `.`, `(?s:.)`, `[ab]`, `[^a]`, `[é-日]`, `[^b\n]`, `\w`, `\W`, `\s`, `\S`, `\pL`, `(?i:k)`, `\n`, `\x{FFFD}`,
		`^`, `$`, `\A`, `\z`, `(?m:^)`, `(?m:$)`, `\b`, `\B`, ``,
	})
	suffixes := rapid.SampledFrom([]string{`*`, `+`, `?`, `*?`, `+?`, `??`, `{2}`, `{0,2}`, `{1,}`, `{0}`})
	var of func(depth int) *rapid.Generator[string]
	of = func(depth int) *rapid.Generator[string] {
		if depth == 0 {
			return atoms
		}
		deeper := rapid.Deferred(func() *rapid.Generator[string] { return of(depth - 1) })
		return rapid.OneOf(
			atoms,
			rapid.Custom(func(t *rapid.T) string { return deeper.Draw(t, "left") + deeper.Draw(t, "right") }),
			rapid.Custom(func(t *rapid.T) string {
				return "(?:" + deeper.Draw(t, "left") + "|" + deeper.Draw(t, "right") + ")"
			}),
			rapid.Custom(func(t *rapid.T) string { return "(" + deeper.Draw(t, "part") + ")" + suffixes.Draw(t, "suffix") }),
		)
	}
	return of(4)
}

func TestMatchLikeRegexp(t *testing.T) {
	pieces := rapid.SampledFrom([]string{"a", "b", "k", "\u212a", "é", "日", " ", "\n", "_", "\xff", "\xe6", "\ufffd"})
	rapid.Check(t, func(t *rapid.T) {
		expr := expressions().Draw(t, "expression")
		for range 8 {
			check(t, expr, strings.Join(rapid.SliceOfN(pieces, 0, 8).Draw(t, "text"), ""))
		}
	})
}

func BenchmarkMatch(b *testing.B) {
	for _, s := range samples {
		text := []byte(s.text)
		b.Run(s.name, func(b *testing.B) {
			a := compile(b, s.expr)
			if !a.Match(text) {
				b.Fatal("no match")
			}
			b.SetBytes(int64(len(text)))
			b.ReportAllocs()
			for b.Loop() {
				a.Match(text)
			}
		})
	}
}

func BenchmarkCompile(b *testing.B) {
	for _, s := range samples {
		b.Run(s.name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				compile(b, s.expr)
			}
		})
	}
}
