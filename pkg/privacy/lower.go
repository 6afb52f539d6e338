package privacy

import (
	"strings"

	"github.com/eaapl/handoff/pkg/privacy/internal/names"
)

// uncapitalised looks for names in a text without capital letters, as in a chat: a first name with
// a surname, or a name announced by the word before it.
func (f *finder) uncapitalised() {
	text := f.text
	if strings.IndexByte(text, ' ') < 0 {
		return
	}
	previous, previousStart := names.Kinds(0), 0
	previousEnd := -2
	for i := 0; i < len(text); {
		if !isWord(text[i]) || isDigit(text[i]) {
			i++
			continue
		}
		start := i
		for i < len(text) && (isWord(text[i]) || text[i] == '\'' || text[i] == '-') {
			i++
		}
		word := strings.TrimSuffix(text[start:i], "'s")
		if len(word) > 32 || len(word) < 2 || starts[f.byteAt(start-1)] == at || f.byteAt(i) == '@' {
			continue
		}
		end := start + len(word)
		kinds := names.Of(word)
		switch {
		case previousEnd == start-1 && text[start-1] == ' ' && previous&names.First != 0 && previous&names.Word == 0 &&
			(kinds&names.Last != 0 && kinds&names.Word == 0 || kinds == 0 && len(word) > 3 && previous&names.Popular != 0):
			f.add(Person, "", previousStart, end, 0.65)
		case (kinds&names.First != 0 && kinds&names.Word == 0 || kinds&names.Popular != 0) && f.announced(start),
			kinds&(names.First|names.Last) != 0 && is(isTitle, f.wordBefore(start)) && f.text[start-1] == ' ':
			f.add(Person, "", start, end, 0.6)
		case kinds&names.Popular != 0 && kinds&names.Word == 0 && (is(isDeed, f.wordAfter(end)) || is(isDeed, f.wordBefore(start))):
			f.add(Person, "", start, end, 0.55)
		}
		previous, previousStart, previousEnd = kinds, start, end
	}
}
