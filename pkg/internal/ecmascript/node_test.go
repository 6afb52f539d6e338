package ecmascript

import (
	"bytes"
	"encoding/json"
	"errors"
	"math/rand/v2"
	"os"
	"os/exec"
	"strings"
	"testing"

	"github.com/eaapl/handoff/internal/tier"
)

// A question is a task for node's RegExp.
type question struct {
	Expr  string   `json:"expr"`
	Flags string   `json:"flags"`
	Texts []string `json:"texts"`
}

// An answer has the match, nil if node rejects the expression.
type answer struct {
	Unicode []bool // with the flag u
	Legacy  []bool // without
}

// askNode skips the test if node is not installed, or fails it if CI is set.
func askNode(t *testing.T, questions []question) (answers []answer) {
	t.Helper()
	if _, err := exec.LookPath("node"); err != nil {
		if os.Getenv("CI") != "" {
			t.Fatal(err)
		}
		t.Skip(err)
	}
	const program = `
const questions = JSON.parse(require("fs").readFileSync(0, "utf8"));
const ask = (q, flags) => {
  try { const r = new RegExp(q.expr, flags); return q.texts.map(t => r.test(t)); } catch { return null; }
};
console.log(JSON.stringify(questions.map(q => ({Unicode: ask(q, q.flags + "u"), Legacy: ask(q, q.flags)}))));`
	in, err := json.Marshal(questions)
	if err != nil {
		t.Fatal(err)
	}
	node := exec.Command("node", "-e", program)
	node.Stdin, node.Stderr = bytes.NewReader(in), os.Stderr
	out, err := node.Output()
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(out, &answers); err != nil {
		t.Fatal(err)
	}
	if len(answers) != len(questions) {
		t.Fatalf("%d answers to %d questions", len(answers), len(questions))
	}
	return answers
}

// A generator writes random expressions and texts.
type generator struct {
	*rand.Rand
	groups int
}

func (g *generator) one(texts ...string) string { return texts[g.IntN(len(texts))] }

var letters = []string{"a", "b", "A", "B", "k", "K", "\u212a", "s", "ſ", "é", "É", "ß", "\n", "\r", "\u2028", " ", "\ufeff", "\u00a0", "\v", "\u0085", "0", "9", "٣", "-", "_", "😀", "Σ", "ς", "\x00"}

func (g *generator) text() string {
	var b strings.Builder
	for range g.IntN(7) {
		b.WriteString(g.one(letters...))
	}
	return b.String()
}

func (g *generator) class() string {
	var b strings.Builder
	b.WriteString(g.one("[", "[^"))
	for range g.IntN(4) {
		b.WriteString(g.one("a", "b-s", "A-Z", "é", `\d`, `\w`, `\W`, `\s`, `\S`, `\D`, `\b`, `\-`, `\u{1F600}`, `\p{Lu}`, `\P{Ll}`, "😀", `\n-\r`, "^", ".", `\]`, "$", `\x41`, "ſ"))
	}
	b.WriteString(g.one("", "", "", "-", `\w-`, `\w-x`))
	return b.String() + "]"
}

func (g *generator) atom(depth int) string {
	if depth == 0 || g.IntN(3) == 0 {
		switch g.IntN(6) {
		case 0:
			return g.class()
		case 1:
			return g.one(".", `\d`, `\w`, `\W`, `\s`, `\S`, `\D`, `\p{L}`, `\P{L}`, `\p{Script=Greek}`, `\p{Alphabetic}`, `\uD83D\uDE00`, `\uD83D`, `\u0041`, `\x61`, `\cJ`, `\0`, `\t`, `\_`, `\-`, `]`, `}`, `{`, `\k`, `\a`, `\1`, `\2`, `\3`)
		}
		return strings.NewReplacer("-", `\x2d`, "\x00", `\0`).Replace(g.one(letters...))
	}
	open := g.one("(", "(", "(?:", "(?:", "(?=", "(?!", "(?<=", "(?<!", "(?<n>")
	if open == "(" || open == "(?<n>" {
		g.groups++
	}
	return open + g.alternatives(depth-1) + ")"
}

func (g *generator) term(depth int) string {
	if g.IntN(8) == 0 {
		return g.one("^", "$", `\b`, `\B`)
	}
	return g.atom(depth) + g.one("", "", "", "", "*", "+", "?", "*?", "+?", "??", "{2}", "{1,}", "{0,2}", "{0}", "{1,2}?", "{2,1}", "{,2}", "{")
}

func (g *generator) alternatives(depth int) string {
	var b strings.Builder
	for i := range 1 + g.IntN(4)/2 {
		if i > 0 {
			b.WriteString("|")
		}
		for range g.IntN(4) {
			b.WriteString(g.term(depth))
		}
	}
	return b.String()
}

// Node and this package agree on every expression that node accepts with the flag u. Other expressions have
// the same meaning as in node without the flag.
func TestNode(t *testing.T) {
	t.Parallel()
	cases := tier.Count(2000, 200_000)
	g := &generator{Rand: rand.New(rand.NewPCG(1, 2))}
	questions := make([]question, cases)
	for i := range questions {
		q := question{Expr: g.alternatives(3), Flags: g.one("", "", "", "i", "m", "s", "ims")}
		for range 12 {
			q.Texts = append(q.Texts, g.text())
		}
		questions[i] = q
	}
	compiled, lenient, linear, unfinished := 0, 0, 0, 0
	for i, answer := range askNode(t, questions) {
		q := questions[i]
		expr := q.Expr
		if q.Flags != "" {
			expr = "(?" + q.Flags + ":" + expr + ")"
		}
		p, err := Compile(expr)
		if err != nil {
			if answer.Unicode != nil {
				t.Errorf("%q: %v; node takes it", expr, err)
			}
			continue
		}
		want := answer.Unicode
		if want == nil {
			lenient++
			if want = answer.Legacy; want == nil {
				t.Errorf("%q: taken; node refuses it", expr)
				continue
			}
		}
		compiled++
		if newLinear(p.tree.root) != nil {
			linear++
		}
		rest := p.matcher()
		for j, text := range q.Texts {
			if answer.Unicode == nil && (q.Flags != "" || !isPlain(text+expr)) {
				continue
			}
			if strings.Contains(expr, `\B`) && !isPlain(text) {
				continue // V8 finds a match between the halves of a surrogate pair
			}
			for _, match := range []matcher{p.Match, rest} {
				got, err := match([]byte(text))
				switch {
				case errors.Is(err, ErrUnfinished):
					unfinished++
				case err != nil || got != want[j]:
					t.Errorf("%q on %q: %v, error %v; node says %v", expr, text, got, err, want[j])
				}
			}
		}
	}
	t.Logf("%d of %d expressions compiled, %d of them linear, %d taken beyond the flag u; %d matches unfinished", compiled, cases, linear, lenient, unfinished)
	if compiled < cases/3 || linear < cases/10 || lenient < cases/100 || unfinished > cases/1000 {
		t.Error("too few expressions were compared")
	}
}

// isPlain reports whether a text has neither characters beyond the Basic Multilingual Plane nor
// escapes that require the flag u.
func isPlain(text string) bool {
	if strings.Contains(text, `\p`) || strings.Contains(text, `\P`) || strings.Contains(text, `\u`) {
		return false
	}
	for _, r := range text {
		if r > 0xffff {
			return false
		}
	}
	return true
}
