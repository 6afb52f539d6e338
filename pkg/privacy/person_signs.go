package privacy

import (
	"strings"
	"unicode/utf8"

	"github.com/eaapl/handoff/pkg/privacy/internal/names"
)

// greeted reports whether a word stands alone after a greeting: "Hi Mark,".
func (f *finder) greeted(w capitalWord) bool {
	before := strings.TrimRight(f.text[max(0, w.start-24):w.start], " ,\n\r\t")
	at := strings.LastIndexAny(before, " ,\n\t") + 1
	next := f.byteAt(w.end)
	return (next == 0 || strings.IndexByte(",!\n.:", next) >= 0) && is(isGreeting, before[at:])
}

// announced reports whether the words before an offset introduce a name: "name is", "name:", "my
// son".
func (f *finder) announced(at int) bool {
	if f.near(at)&ofName == 0 {
		return false
	}
	before := f.wordBefore(at)
	switch before {
	case "is", "was", "", "me", "him", "her", "us":
		return true
	}
	return readLexicon().words[before]&ofName != 0
}

// owns reports whether the text after a name is something that people have: Ada's address.
func (f *finder) owns(at int) bool {
	if b := f.byteAt(at); b != '\'' && b != 0xE2 || !f.possessive(at) {
		return false
	}
	_, size := utf8.DecodeRuneInString(f.text[at:])
	return readLexicon().words[f.wordAfter(at+size+1)]&(ofName|ofAddress|ofPhone|ofBirth) != 0
}

// wordBefore returns the word before an offset, on the same line.
func (f *finder) wordBefore(at int) string {
	end := at
	for end > 0 && at-end < 2 && (f.text[end-1] == ' ' || f.text[end-1] == '.') {
		end--
	}
	start := end
	for start > 0 && end-start < 16 && isWord(f.text[start-1]) {
		start--
	}
	return f.text[start:end]
}

// wordAfter returns the word after an offset, on the same line.
func (f *finder) wordAfter(at int) string {
	if f.byteAt(at) != ' ' {
		return ""
	}
	end := at + 1
	for end < len(f.text) && end-at < 16 && isWord(f.text[end]) {
		end++
	}
	return f.text[at+1 : end]
}

// among reports whether words are used as a name in their sentence: without an article or another
// sign of a thing before them.
func (f *finder) among(words []capitalWord) bool {
	for _, w := range words {
		if w.end-w.start < 3 && !w.initial || strings.IndexByte(f.text[w.start:w.end], '-') > 0 {
			return false
		}
	}
	before := strings.TrimRight(f.text[max(0, words[0].start-12):words[0].start], " ")
	at := strings.LastIndexAny(before, " \n") + 1
	if before == "" || strings.ContainsAny(before[len(before)-1:], "`*_/#[=<>\"") || is(isArticle, before[at:]) {
		return false
	}
	return strings.IndexByte("`*_/]=<>(\"", f.byteAt(words[len(words)-1].end)) < 0
}

// listed adds single names in a list with other names: "Alonso, Lee and Ball".
func (f *finder) listed() {
	begins, ends := map[int]bool{}, map[int]bool{}
	for _, m := range f.found[f.first:] {
		if m.Class == Person {
			begins[m.Start], ends[m.End] = true, true
		}
	}
	for _, w := range f.weak {
		if w.kinds&names.Word == 0 {
			begins[w.start], ends[w.end] = true, true
		}
	}
	for _, w := range f.weak {
		before, after := f.text[max(0, w.start-5):w.start], f.text[w.end:min(len(f.text), w.end+5)]
		for _, link := range []string{" and ", ", ", " & ", " y ", " et ", " und ", " e "} {
			if strings.HasSuffix(before, link) && ends[w.start-len(link)] || strings.HasPrefix(after, link) && begins[w.end+len(link)] {
				f.add(Person, "", w.start, w.end, 0.5)
				break
			}
		}
	}
}
