package ecmascript

import (
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"github.com/eaapl/handoff/pkg/internal/automaton"
)

func TestMatch(t *testing.T) {
	t.Parallel()
	const (
		table = "table"  // of package automaton
		large = "regexp" // of Go
		tries = "program"
	)
	for _, tt := range []struct {
		name, expr      string
		on              string // the matcher; table if ""
		matches, others []string
	}{
		{name: "a part of the text", expr: `b`, matches: []string{"abc"}, others: []string{"ac", ""}},
		{name: "ends of the text", expr: `^abc$`, matches: []string{"abc"}, others: []string{"abc\n", "\nabc", "abcd"}},
		{name: "a dot", expr: `^.$`, matches: []string{"a", "é", "😀", "\u0085", "\v"}, others: []string{"\n", "\r", "\u2028", "\u2029", ""}},
		{name: "digits", expr: `^\d$`, matches: []string{"7"}, others: []string{"٣", "a"}},
		{name: "no digits", expr: `^\D$`, matches: []string{"٣", "a"}, others: []string{"7"}},
		{name: "words", expr: `^\w$`, matches: []string{"a", "_", "0"}, others: []string{"é", "-", "ſ"}},
		{name: "no words", expr: `^\W$`, matches: []string{"é", "-"}, others: []string{"a", "_", "0"}},
		{name: "white space", expr: `^\s$`, matches: []string{" ", "\t", "\n", "\v", "\f", "\r", "\u00a0", "\ufeff", "\u2028", "\u2029", "\u2003", "\u3000"}, others: []string{"\u0085", "\u200b", "\u180e", "a"}},
		{name: "no white space", expr: `^\S$`, matches: []string{"\u0085", "\u200b"}, others: []string{"\v", "\ufeff", "\u00a0"}},
		{name: "white space in a class", expr: `^[\s-]$`, matches: []string{"\ufeff", "-"}, others: []string{"a"}},
		{name: "white space in an inverted class", expr: `^[^\s-]$`, matches: []string{"a"}, others: []string{"\ufeff", "-"}},
		{name: "no white space in a class", expr: `^[\S ]$`, matches: []string{"a", " "}, others: []string{"\ufeff"}},
		{name: "boundaries", expr: `\bb\B`, matches: []string{"bc", "éb_", "a bc"}, others: []string{"b", "abc"}},
		{name: "control characters", expr: `^\cC\cc\t\n\v\f\r\0$`, matches: []string{"\x03\x03\t\n\v\f\r\x00"}},
		{name: "numbers of characters", expr: `^\u0041\x42\u{43}\u{1F600}\uD83D\uDE00$`, matches: []string{"ABC😀😀"}},
		{name: "half a pair", expr: `\uD83D`, others: []string{"😀", "\ufffd"}},
		{name: "halves of pairs as classes", expr: `[\uD800-\uDBFF][\uDC00-\uDFFF]`, others: []string{"😀"}},
		{name: "classes of pairs", expr: `^[\uD83D\uDE00-\uD83D\uDE02]$`, matches: []string{"😁"}, others: []string{"😃"}},
		{name: "the empty class", expr: `[]`, others: []string{"", "a", "]"}},
		{name: "the full class", expr: `^[^]$`, matches: []string{"a", "\n", "😀"}, others: []string{""}},
		{name: "a backspace", expr: `^[\b]$`, matches: []string{"\b"}, others: []string{"b"}},
		{name: "a class with brackets", expr: `^[[(*.^$]$`, matches: []string{"[", "(", "*", ".", "^", "$"}, others: []string{"a"}},
		{name: "identity escapes", expr: `^\-\_\"\/\.\:\@\é$`, matches: []string{`-_"/.:@é`}},
		{name: "identity escapes in a class", expr: `^[\_\"\/\-\:]+$`, matches: []string{`-_"/:`}, others: []string{`\`}},
		{name: "braces", expr: `^{{a}}{,2}]$`, matches: []string{"{{a}}{,2}]"}},
		{name: "a hyphen after a class", expr: `^[\w-x]$`, matches: []string{"w", "-", "x"}, others: []string{"."}},
		{name: "counts", expr: `^(ab){2,3}c{2}d{1,}$`, matches: []string{"ababccd", "abababccdd"}, others: []string{"abccd", "ababcccd", "ababcc"}},
		{name: "lazy counts", expr: `^a+?b??a*?$`, matches: []string{"a", "aba"}, others: []string{"b"}},
		{name: "alternatives", expr: `^(?:|a|b(c|d))$`, matches: []string{"", "a", "bc"}, others: []string{"b"}},
		{name: "categories", expr: `^\p{L}\p{Letter}\p{Lu}\p{gc=Lu}\p{General_Category=Uppercase_Letter}\P{L}$`, matches: []string{"éaÉAB1"}, others: []string{"éaéAB1", "éaÉABC"}},
		{name: "scripts", expr: `^\p{Script=Greek}\p{sc=Cyrillic}$`, matches: []string{"λж"}, others: []string{"жλ"}},
		{name: "properties", expr: `^[\p{Alphabetic}\p{White_Space}]\p{ASCII}\p{Any}\p{Lowercase}\p{Uppercase}$`, matches: []string{"ⓐ0\nªⒶ", "\u0085aaaA"}, others: []string{"0aaaA"}},
		{name: "any case", expr: `^(?i:stra\u00dfe[a-c])d$`, matches: []string{"STRAẞEBd", "ſtraßead"}, others: []string{"straßeaD", "strasseaD"}},
		{name: "any case but part", expr: `^(?i:a(?-i:b))c$`, matches: []string{"Abc"}, others: []string{"ABc", "AbC"}},
		{name: "any case of inverted classes", expr: `^(?i:[^k]\W)$`, matches: []string{"a-"}, others: []string{"\u212a-", "aſ"}},
		{name: "dots for all", expr: `^(?s:.)(?s-i:.)$`, matches: []string{"\n\r"}},
		{name: "too large for a table", expr: `^[a-c]*a[a-c]{12}$`, on: large, matches: []string{"ba" + strings.Repeat("b", 12)}, others: []string{"bb" + strings.Repeat("b", 12)}},
		{name: "invalid UTF-8", expr: `^\ufffd.$`, matches: []string{"\xff\xfe"}, others: []string{"\xff"}},

		{name: "lines", expr: `(?m:^b$)`, on: tries, matches: []string{"a\nb\rc", "a\u2028b\u2029c"}, others: []string{"ab"}},
		{name: "boundaries in any case", expr: `(?i:.\bk)`, on: tries, matches: []string{"-k"}, others: []string{"\u212ak", "ſK"}},
		{name: "look-ahead", expr: `^(?=.*\d)(?!.*_)\w{3}$`, on: tries, matches: []string{"ab1"}, others: []string{"abc", "a_1"}},
		{name: "look-behind", expr: `(?<=\$)\d(?<!0)`, on: tries, matches: []string{"$1"}, others: []string{"€1", "$0"}},
		{name: "look-behind of any length", expr: `(?<=^[ab]+c)d`, on: tries, matches: []string{"abbcd", "acd"}, others: []string{"cd"}},
		{name: "look-behind is read towards the start", expr: `(?<=^(a+)(a))b\1c`, on: tries, matches: []string{"aaabaac", "aabac"}, others: []string{"aaabac"}},
		{name: "a look-ahead does not go back", expr: `^(?=(a+))\1a`, on: tries, others: []string{"aaa"}},
		{name: "a repeated look-ahead", expr: `^(?=a)*b`, on: tries, matches: []string{"b"}},
		{name: "back-references", expr: `^(['"]).*\1$`, on: tries, matches: []string{`"it's"`, `''`}, others: []string{`"it'`}},
		{name: "names", expr: `^(?<quote>['"]).*\k<quote>$`, on: tries, matches: []string{`''`}, others: []string{`'"`}},
		{name: "a reference to what follows", expr: `^\1(a)$`, on: tries, matches: []string{"a"}, others: []string{"aa"}},
		{name: "a repetition forgets", expr: `^(?:(a)|b)*\1$`, on: tries, matches: []string{"ab", "aba"[:2], "aa"}, others: []string{"aba"}},
		{name: "a negative look-ahead forgets", expr: `^(?!(a)b)\1ac$`, on: tries, matches: []string{"ac"}, others: []string{"aac"}},
		{name: "references in any case", expr: `^(?i:(s\u00e9)\1)$`, on: tries, matches: []string{"séſÉ"}, others: []string{"sés"}},
		{name: "large counts", expr: `^[a-z]{2,5000}$`, on: tries, matches: []string{"ab", strings.Repeat("a", 5000)}, others: []string{"a", strings.Repeat("a", 5001)}},
		{name: "large counts of groups", expr: `^(?:ab|c){1500}$`, on: tries, matches: []string{strings.Repeat("ab", 1000) + strings.Repeat("c", 500)}, others: []string{strings.Repeat("c", 1499)}},
		{name: "large counts of large counts", expr: `^((a{1000}){1000}){1000}`, on: tries, others: []string{strings.Repeat("a", 2500)}},
		{name: "repetitions of nothing", expr: `^(?=a)(?:a?|b)*?c(?:){2000}$`, on: tries, matches: []string{"aabc"}, others: []string{"bc"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			p, err := Compile(tt.expr)
			if err != nil {
				t.Fatal(err)
			}
			on := tries
			switch newLinear(p.tree.root).(type) {
			case *automaton.Automaton:
				on = table
			case *regexp.Regexp:
				on = large
			}
			if on != tt.on && !(on == table && tt.on == "") {
				t.Errorf("matched by %s", on)
			}
			rest := p.matcher()
			for i, text := range append(tt.matches, tt.others...) {
				for _, match := range []matcher{p.Match, rest} {
					if got, err := match([]byte(text)); got != (i < len(tt.matches)) || err != nil {
						t.Errorf("%q: %v, error %v", text, got, err)
					}
				}
			}
		})
	}
}

func TestRefused(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ expr, want string }{
		{`(?i)abc`, `character 2: "?i)" after "(": ECMA-262 allows`},
		{`(?P<name>a)`, `character 2: "?P" after "("`},
		{`(?>a)`, `character 2: "?>" after "("`},
		{`(?:a`, `character 1: "(" without ")"`},
		{`é)`, `character 2: ")" without "("`},
		{`[a`, `character 1: "[" without "]"`},
		{`*a`, `character 1: nothing to repeat before "*"`},
		{`a**`, `character 3: nothing to repeat before "*"`},
		{`a|{2}`, `character 3: nothing to repeat before "{2}"`},
		{`^*`, `character 2: nothing to repeat: an assertion is before it`},
		{`(?<=a)*`, `character 7: nothing to repeat: an assertion is before it`},
		{`a{3,2}`, `character 2: a count from 3 to 2`},
		{`[b-a]`, `character 2: a range from 'b' to 'a'`},
		{`a\`, `character 2: "\" at the end`},
		{`\Z`, `character 1: "\Z" does not begin an escape`},
		{`\a`, `"\a" does not begin`},
		{`\u12`, `"\u" does not begin`},
		{`\u{110000}`, `"\u" does not begin`},
		{`\x1`, `"\x" does not begin`},
		{`\c1`, `"\c" does not begin`},
		{`\01`, `"\0" does not begin`},
		{`(a)\2`, `character 4: no group has the number 2`},
		{`[\1]`, `character 2: "\1" does not begin`},
		{`\k<a>`, `character 1: no group has the name "a"`},
		{`(?<a>b)(?<a>c)`, `character 11: a second group "a"`},
		{`(?<1>b)`, `character 4: '1' in the name of a group`},
		{`(?<a`, `the name of a group without ">"`},
		{`\p{Greek}`, `character 1: no property "Greek" here`},
		{`\p{Script_Extensions=Greek}`, `no property "Script_Extensions=Greek" here`},
		{`\p{Other_Lowercase}`, `no property "Other_Lowercase" here`},
		{`\p{L`, `"\p{" without "}"`},
		{`(?i-i:a)`, `character 2: the modifier 'i' twice`},
		{`(?-:a)`, `character 2: "?-:" after "("`},
		{`(?i`, `character 2: modifiers without ":"`},
		{strings.Repeat("(", 201) + strings.Repeat(")", 201), `character 201: groups more than 200 deep`},
		{strings.Repeat("a", maxLength+1), `65537 characters: more than 65536`},
		{strings.Repeat(`\p{L}`, 1000), `classes with more than 131072 ranges`},
		{`(?i:` + strings.Repeat(`[a-z]`, 2000) + ")", `classes with more than 131072 ranges`},
	} {
		if _, err := Compile(tt.expr); err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%.60q: error %v, want %q in it", tt.expr, err, tt.want)
		}
	}
}

// A match that takes too many steps or too much memory has no answer.
func TestUnfinished(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ expr, text string }{
		{`^(?=(a+)+b)`, strings.Repeat("a", 50) + "c"},
		{`^(?:a|aa)*(?=c)`, strings.Repeat("a", 100)},
		{`^(?:(?:(?:){5000}){5000}){5000}$`, ""},
		{`^(?!.*(.*.*.*.*.*=.*))`, strings.Repeat("x", 5000)},
		{`^(?:a|b)*(?=c)`, strings.Repeat("a", maxChoices)},
	} {
		p, err := Compile(tt.expr)
		if err != nil {
			t.Fatal(err)
		}
		if matched, err := p.Match([]byte(tt.text)); matched || !errors.Is(err, ErrUnfinished) {
			t.Errorf("%q: %v, error %v", tt.expr, matched, err)
		}
	}
}

// The patterns of the built-in schemas, which apply to every message, are matched by table.
func TestSchemas(t *testing.T) {
	t.Parallel()
	files, err := filepath.Glob("../../../schemas/*.json")
	if err != nil {
		t.Fatal(err)
	}
	pattern := regexp.MustCompile(`"pattern": ("(?:[^"\\]|\\.)*")`)
	found := 0
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for _, match := range pattern.FindAllSubmatch(text, -1) {
			var expr string
			if err := json.Unmarshal(match[1], &expr); err != nil {
				t.Fatal(err)
			}
			found++
			if p, err := Compile(expr); err != nil {
				t.Errorf("%s: %q: %v", file, expr, err)
			} else if _, byTable := newLinear(p.tree.root).(*automaton.Automaton); !byTable {
				t.Errorf("%s: %q has no table", file, expr)
			}
		}
	}
	if found < 20 {
		t.Errorf("only %d patterns in %d files", found, len(files))
	}
}

// A long text is not a hostile one.
func TestLongText(t *testing.T) {
	t.Parallel()
	text := []byte(strings.Repeat("ab cd\n", 1<<18) + "!")
	for _, expr := range []string{`(?<=\n)!$`, `^(?!x)[^!]*!$`, `(?=!)`, `^[^]{1,2000000}!(?!.)`, `^(?=a)(?:[a-d ]|\n)*?b`} {
		p, err := Compile(expr)
		if err != nil {
			t.Fatal(err)
		}
		if matched, err := p.Match(text); !matched || err != nil {
			t.Errorf("%q: %v, error %v", expr, matched, err)
		}
	}
}

// Every property has a name of ECMA-262, and the same characters as in node, except for a few: its
// version of Unicode is another.
func TestProperties(t *testing.T) {
	t.Parallel()
	names := []string{"Any", "ASCII", "Assigned", "Alphabetic", "Lowercase", "Uppercase", "Cased", "Math", "ID_Start", "ID_Continue"}
	for name := range unicode.Categories {
		names = append(names, name, "gc="+name)
	}
	for name := range unicode.CategoryAliases {
		names = append(names, name, "General_Category="+name)
	}
	for name := range unicode.Scripts {
		names = append(names, "Script="+name, "sc="+name)
	}
	for name := range unicode.Properties {
		if _, ok := property(name); ok {
			names = append(names, name)
		}
	}
	questions := make([]question, len(names))
	for i, name := range names {
		s, ok := property(name)
		if !ok {
			t.Fatalf("no property %q", name)
		}
		q := question{Expr: `^\p{` + name + `}$`}
		for j := 0; j < len(s); j += 2 {
			for _, r := range []rune{s[j] - 1, s[j], s[j+1], s[j+1] + 1} {
				if utf8.ValidRune(r) && !unicode.Is(unicode.Cn, r) { // other versions assign more
					q.Texts = append(q.Texts, string(r))
				}
			}
		}
		questions[i] = q
	}
	compared := 0
	for i, answer := range askNode(t, questions) {
		q := questions[i]
		if answer.Unicode == nil {
			t.Errorf("node knows no %s", q.Expr)
			continue
		}
		p, err := Compile(q.Expr)
		if err != nil {
			t.Fatal(err)
		}
		var differ []string
		for j, text := range q.Texts {
			if got, err := p.Match([]byte(text)); got != answer.Unicode[j] || err != nil {
				differ = append(differ, text)
			}
		}
		if len(differ) > len(q.Texts)/50 {
			t.Errorf("%s: node says otherwise of %d characters of %d: %+q", q.Expr, len(differ), len(q.Texts), differ)
		}
		compared += len(q.Texts)
	}
	if compared < 10000 {
		t.Errorf("only %d characters were compared", compared)
	}
}

// The matchers agree, and all of them end.
func FuzzMatch(f *testing.F) {
	for _, s := range []struct{ expr, text string }{
		{`^(?:a|b)*\d{2,3}$`, "ab12"}, {`[^\s-]+\b`, "a b"}, {`(?i:[^k]\W)`, "k-"}, {`^(a*)*$`, "aab"}, {`(?<=(a)|b)\1`, "aa"},
		{`\p{Lu}\u{1F600}`, "A😀"}, {`(?m:^b?$)`, "a\nb"}, {`((a{1000}){1000}){1000}`, "aaa"}, {`(?:)*\B`, ""},
	} {
		f.Add(s.expr, s.text)
	}
	f.Fuzz(func(t *testing.T, expr, text string) {
		p, err := Compile(expr)
		if err != nil {
			return
		}
		want, err := p.program.match([]byte(text), maxSteps)
		if err != nil {
			if !errors.Is(err, ErrUnfinished) {
				t.Fatal(err)
			}
			return
		}
		for name, match := range map[string]matcher{"Match": p.Match, "matcher": p.matcher()} {
			if got, err := match([]byte(text)); got != want || err != nil {
				t.Errorf("%q on %q: %s says %v, error %v; the program says %v", expr, text, name, got, err, want)
			}
		}
	})
}
