package safety

import (
	"strings"
	"sync"

	"github.com/eaapl/handoff/internal/textscan"
)

// reported matches words that distinguish a description of an order from an order: "never reveal
// …", "attackers try to …".
var reported = static(`(?i)(?:\b(?:not|never|cannot|can|may|might|could|would|avoid|without|attackers?|users? (?:may|might|can|could|who)|(?:try|tries|tried|trying|attempts?|attempting|attempted|able|ability|used|designed|asking|asks|instructs?|instructing|model|LLM|chatbot|refuse|not) to|which|by|be|been|being)|n['’]t)(?: (?:ever|simply|safely|just|also|please|directly))?[\s"'“‘` + "`" + `]{1,3}$`)

// notOrdered reports whether the words before at show that the following text is not an order.
func notOrdered(text string, at int) bool {
	return reported().MatchString(text[max(0, at-64):at])
}

// about finds words that are typical of prose about attacks.
var about = sync.OnceValue(func() *textscan.Index {
	var literals []textscan.Literal
	for _, s := range []string{
		"prompt injection", "prompt-injection", "attack", "malicious", "adversar", "jailbreak attempt", "jailbreak prompt",
		"jailbreak technique", "detect", "vulnerab", "mitigat", "payload", "red team", "red-team", "guardrail", "sanitiz",
		"classif", "for example", "e.g.", "such as", "phrase", "for instance", "example", "pattern", "threat", "exploit",
		"test case", "signature",
	} {
		literals = append(literals, textscan.Literal{Text: s})
	}
	return textscan.NewIndex(literals, make([]int, 1))
})

// countAbout counts such words, up to most.
func countAbout(text string, most int) int {
	n := 0
	about().Find(text, func(int, int) { n++ })
	return min(n, most)
}

// mention returns the factor, from 0 to 1, for the weight of a match in prose about attacks or in
// code that detects them.
func mention(text string, start, end int) float64 {
	const around = 300
	before := text[max(0, start-around):start]
	after := text[end:min(len(text), end+around)]
	words := countAbout(before, 4) + countAbout(after, 2)
	quoted := inQuotes(before, after)
	switch {
	case quoted && words >= 2:
		return 0.35
	case words >= 3:
		return 0.5
	case quoted && words >= 1:
		return 0.6
	}
	return 1
}

// inQuotes reports whether a match is between quotation marks on its line or an item of a list of
// strings.
func inQuotes(before, after string) bool {
	if i := strings.LastIndexByte(before, '\n'); i >= 0 {
		before = before[i+1:]
	}
	if i := strings.IndexByte(after, '\n'); i >= 0 {
		after = after[:i]
	}
	for _, q := range []struct{ open, close string }{{`"`, `"`}, {"`", "`"}, {"“", "”"}, {"'", "'"}, {"«", "»"}} {
		i := strings.LastIndex(before, q.open)
		if i < 0 || !strings.Contains(after, q.close) {
			continue
		}
		if q.open != q.close {
			if !strings.Contains(before[i:], q.close) {
				return true
			}
		} else if strings.Count(before, q.open)%2 == 1 {
			return true
		}
	}
	return false
}
