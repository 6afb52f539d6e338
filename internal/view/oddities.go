package view

import (
	"cmp"
	"slices"
	"unicode/utf8"
)

// An OddityKind is the kind of an [Oddity].
type OddityKind string

// The kinds of oddities.
const (
	TagRun      OddityKind = "tags"         // tag characters outside of flags
	SelectorRun OddityKind = "selectors"    // variation selectors without effect
	ZeroWidth   OddityKind = "zero-width"   // invisible characters, in words or in a row
	Override    OddityKind = "bidi"         // overridden direction of writing
	MixedScript OddityKind = "mixed-script" // a Latin word with look-alikes of another script
	Stacked     OddityKind = "stacked"      // combining marks stacked on one letter
)

// An Oddity is a sign of concealment in itself: there is no honest use of it.
type Oddity struct {
	Kind           OddityKind
	Offset, Length int // bytes of the text
}

// Oddities returns the oddities of text, sorted by offset.
func Oddities(text string) []Oddity {
	if look(text, signOdd)&signOdd == 0 {
		return nil
	}
	o := odd{text: text}
	for i := 0; i < len(text); {
		r, n := utf8.DecodeRuneInString(text[i:])
		if r < utf8.RuneSelf && !isLetter(byte(r)) || r >= utf8.RuneSelf && !classify(r).isWord() {
			i += n
			continue
		}
		w := wordAt(text, i, word{})
		o.word(i, w)
		i = w.end
	}
	if o.broken == 1 && o.fillers == 1 { // an accident of a text editor
		o.found = slices.DeleteFunc(o.found, func(f Oddity) bool { return f == o.last })
	}
	slices.SortStableFunc(o.found, func(a, b Oddity) int { return cmp.Compare(a.Offset, b.Offset) })
	return o.found
}

// odd collects the oddities of a text.
type odd struct {
	text  string
	found []Oddity

	broken  int    // words with invisible characters
	fillers int    // number of such characters
	last    Oddity // the last such word
}

func (o *odd) add(kind OddityKind, start, end int) {
	o.found = append(o.found, Oddity{kind, start, end - start})
}

// word adds the oddities of the word w, which begins at start.
func (o *odd) word(start int, w word) {
	const (
		manySoft  = 3 // soft hyphens in a word
		manyMarks = 3 // on a letter
		manyBlank = 3 // in a row
		minMixed  = 3 // letters
	)
	letters, fillers, soft := 0, 0, 0
	for i := start; i < w.end; {
		r, n := utf8.DecodeRuneInString(o.text[i:w.end])
		c := latin
		if r >= utf8.RuneSelf {
			c = classify(r)
		}
		switch c {
		case latin, alike, letterlike:
			letters++
			i += n
			continue
		}
		end, count := sameClass(o.text[:w.end], i, c)
		before, _ := utf8.DecodeLastRuneInString(o.text[:i])
		switch c {
		case tag:
			flag := 0
			if before == blackFlag {
				flag = flagLen(o.text[i:end])
			}
			if i+flag < end {
				o.add(TagRun, i+flag, end)
			}
		case selector:
			if count > 1 || before < utf8.RuneSelf && isLetter(byte(before)) {
				o.add(SelectorRun, i, end)
			}
		case mark:
			if count >= manyMarks && w.latin {
				o.add(Stacked, i, end)
			}
		case blank:
			switch {
			case isOverride(r):
				o.add(Override, i, i+n)
				end = i + n
			case count >= manyBlank:
				o.add(ZeroWidth, i, end)
			case isLatinBefore(o.text[:i]) && isLatinAt(o.text[end:]):
				if r == 0xAD {
					soft++
				} else {
					fillers++
				}
			}
		}
		i = end
	}
	if fillers > 0 || soft >= manySoft {
		o.add(ZeroWidth, start, w.end)
		o.broken++
		o.fillers += fillers + soft
		o.last = o.found[len(o.found)-1]
	}
	if w.latin && w.alike > 0 && !w.foreign && letters >= minMixed {
		o.add(MixedScript, start, w.end)
	}
}

// sameClass measures the run of characters of class c that begins at s[i]: its end and their
// number.
func sameClass(s string, i int, c class) (end, count int) {
	for end = i; end < len(s) && s[end] >= utf8.RuneSelf; count++ {
		r, n := utf8.DecodeRuneInString(s[end:])
		if classify(r) != c {
			break
		}
		end += n
	}
	return end, count
}

// isOverride reports whether r overrides the direction of text.
func isOverride(r rune) bool { return r == 0x202D || r == 0x202E }

// isLatinBefore reports whether s ends in a Latin letter.
func isLatinBefore(s string) bool {
	r, _ := utf8.DecodeLastRuneInString(s)
	return isLatin(r)
}

// isLatinAt reports whether s begins with a Latin letter.
func isLatinAt(s string) bool {
	r, _ := utf8.DecodeRuneInString(s)
	return isLatin(r)
}

func isLatin(r rune) bool {
	return r < utf8.RuneSelf && isLetter(byte(r)) || r >= utf8.RuneSelf && classify(r) == latin
}
