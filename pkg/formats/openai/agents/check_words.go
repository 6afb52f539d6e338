package agents

import (
	"strings"
	"sync"
	"unicode"

	"github.com/eaapl/handoff/pkg/finding"
	"github.com/eaapl/handoff/pkg/jsonstream"
)

// minWords is the minimum number of meaningful words in a description.
const minWords = 2

// maxCompared is the maximum number of an agent's handoffs that are compared with each
// other.
const maxCompared = 50

// maxLooked is the number of bytes of a text that are searched for words.
const maxLooked = 2 << 10

// meaningless are words that do not describe the purpose of an agent.
var meaningless = sync.OnceValue(func() map[string]bool {
	return setOf(`a an the and or of for to in on with about by from at as is are it its this that all any other
	agent agents assistant bot specialist expert handler helper service team department model ai
	handle handles handling help helps helping deal deals dealing do does can will use used task tasks request requests question questions
	query queries issue issues thing things stuff related matter matters topic topics user users customer customers`)
})

func setOf(words string) map[string]bool {
	set := map[string]bool{}
	for word := range strings.FieldsSeq(words) {
		set[word] = true
	}
	return set
}

// words returns the words of a text in lower case. In scripts without spaces between words,
// each character is a word.
func words(text string) []string {
	var all []string
	var word strings.Builder
	end := func() {
		if word.Len() > 0 {
			all = append(all, word.String())
			word.Reset()
		}
	}
	for i, r := range text {
		if i >= maxLooked {
			break
		}
		switch {
		case unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Thai, unicode.Lao, unicode.Khmer, unicode.Myanmar):
			end()
			all = append(all, string(r))
		case unicode.IsLetter(r) || unicode.IsDigit(r) || unicode.IsMark(r):
			word.WriteRune(unicode.ToLower(r))
		case r != '\'' && r != '’':
			end()
		}
	}
	end()
	return all
}

// telling returns the set of meaningful words in a text, without the words in but.
func telling(text string, but map[string]bool) map[string]bool {
	set := map[string]bool{}
	for _, word := range words(text) {
		if !meaningless()[word] && !but[word] {
			set[word] = true
		}
	}
	return set
}

// nameWords returns the meaningful words in a name: billing_refunds and BillingRefunds have
// two.
func nameWords(name string) []string {
	var spaced strings.Builder
	var before rune
	for _, r := range name {
		if unicode.IsUpper(r) && unicode.IsLower(before) {
			spaced.WriteByte(' ')
		}
		spaced.WriteRune(r)
		before = r
	}
	var all []string
	for _, word := range words(spaced.String()) {
		if !meaningless()[word] {
			all = append(all, word)
		}
	}
	return all
}

// checkDescriptions checks each description once, even if it is used several times.
func (c *checker) checkDescriptions() {
	checked := map[jsonstream.Value]bool{}
	for _, a := range c.Agents {
		for _, h := range a.Handoffs {
			text, at := h.describes()
			switch {
			case h.To == nil || h.Never():
			case strings.TrimSpace(text) == "":
				if at = h.To.at.Get("name"); !checked[at] {
					c.report(ruleUndescribed, at, "%s hands over to %s, which has no description: write a handoff_description", finding.Quote(a.Name), finding.Quote(h.Name))
				}
			case checked[at]:
			case len(telling(text, nameSet(h.Name))) < minWords:
				c.report(ruleVague, at, "%s adds hardly anything to the name of %s: describe its tasks and their limits", finding.Quote(text), finding.Quote(h.Name))
			}
			checked[at] = true
		}
	}
}

func nameSet(name string) map[string]bool {
	set := map[string]bool{}
	for _, word := range nameWords(name) {
		set[word] = true
	}
	return set
}

// checkSimilar compares the descriptions of an agent's handoffs.
func (c *checker) checkSimilar(a *Agent) {
	var sets []map[string]bool
	var compared []*Handoff
	for _, h := range a.Handoffs {
		text, _ := h.describes()
		set := telling(text, nil)
		if len(set) == 0 || h.Never() || len(sets) == maxCompared {
			continue
		}
		for i, other := range sets {
			if compared[i].Name != h.Name && similar(set, other) {
				c.report(ruleSimilar, h.at, "the descriptions of %s and %s are almost the same: describe the tasks that only one of them does", finding.Quote(h.Name), finding.Quote(compared[i].Name))
				break
			}
		}
		sets, compared = append(sets, set), append(compared, h)
	}
}

// similar reports whether two sets share three quarters of their words.
func similar(a, b map[string]bool) bool {
	if len(a) > 2*len(b) || len(b) > 2*len(a) {
		return false
	}
	shared := 0
	for word := range a {
		if b[word] {
			shared++
		}
	}
	return 4*shared >= 3*(len(a)+len(b)-shared)
}
