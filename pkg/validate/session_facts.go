package validate

import (
	"path"
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/eaapl/handoff/pkg/claims"
	"github.com/eaapl/handoff/pkg/conversation"
	"github.com/eaapl/handoff/pkg/jsonstream"
)

// maxFacts is the maximum number of facts that are looked for in a summary.
const maxFacts = 500

// facts are the facts that the summary of a compaction should name.
type facts struct {
	all  []fact
	seen map[string]bool
}

// A fact is a written file, an error, or a constraint or decision of the user.
type fact struct {
	text  string   // for people
	words []string // in lower case
	least int      // the number of words by which a summary names the fact
}

// expressions match constraints, decisions and errors, in English.
type expressions struct{ constraint, failure, word, sentence *regexp.Regexp }

var factExpressions = sync.OnceValue(func() expressions {
	return expressions{
		constraint: regexp.MustCompile(`(?i)\b(?:never|must|do not|don't|always|only|without|instead of|avoid|should not|shouldn't|no longer|not allowed|except)\b`),
		failure:    regexp.MustCompile(`(?m)^.*\b(?:[A-Z]\w*(?:Error|Exception)|panic:|FAIL(?:ED)?\b|(?i:error):).*$`),
		word:       regexp.MustCompile(`[\p{L}\p{N}_./-]{4,}`),
		sentence:   regexp.MustCompile(`[^.!?\n]+[.!?]?`),
	}
})

// common are frequent words that name nothing.
var common = []string{"that", "this", "with", "from", "then", "when", "have", "must", "never", "always", "only", "without", "instead", "avoid", "should", "your", "please", "into", "there", "they", "them", "will", "would"}

// add adds the facts in a turn.
func (f *facts) add(turn jsonstream.Value) {
	role := conversation.Role(turn)
	for p := range conversation.Parts(turn) {
		switch {
		case p.Kind == conversation.Call:
			for _, file := range claims.Written(p) {
				base := path.Base(strings.ReplaceAll(file, `\`, "/"))
				f.put(fact{base, []string{strings.ToLower(base)}, 1})
			}
		case p.Kind == conversation.Result:
			for _, line := range factExpressions().failure.FindAllString(jsonText(p.Value), 3) {
				f.put(fact{strings.TrimSpace(line), wordsOf(line), 1})
			}
		case p.Kind == conversation.Said && role == "user":
			for _, sentence := range factExpressions().sentence.FindAllString(jsonText(p.Value), -1) {
				if words := wordsOf(sentence); len(words) > 0 && len(sentence) < 500 && factExpressions().constraint.MatchString(sentence) {
					f.put(fact{strings.TrimSpace(sentence), words, (len(words) + 2) / 3})
				}
			}
		}
	}
}

func (f *facts) put(one fact) {
	if f.seen == nil {
		f.seen = map[string]bool{}
	}
	if len(f.all) < maxFacts && len(one.words) > 0 && !f.seen[one.text] {
		f.seen[one.text] = true
		f.all = append(f.all, one)
	}
}

// wordsOf returns the words of a text that name something, in lower case.
func wordsOf(text string) (words []string) {
	for _, word := range factExpressions().word.FindAllString(strings.ToLower(text), -1) {
		if word = strings.Trim(word, "./-_"); len(word) >= 4 && !slices.Contains(common, word) && !slices.Contains(words, word) {
			words = append(words, word)
		}
	}
	return words
}

// isNamed reports whether a text in lower case names the fact.
func (f *fact) isNamed(text string) bool {
	named := 0
	for _, word := range f.words {
		if strings.Contains(text, word) {
			named++
		}
	}
	return named >= f.least
}

// jsonText returns all strings in a value, one per line.
func jsonText(v jsonstream.Value) string {
	if v.Kind() == jsonstream.String {
		return v.Text()
	}
	var all []string
	for text := range v.All() {
		if text.Kind() == jsonstream.String {
			all = append(all, text.Text())
		}
	}
	return strings.Join(all, "\n")
}
