package view

import "unicode/utf8"

// unrotate writes text with each letter thirteen places on.
func unrotate(b *builder) {
	for i := range len(b.text) {
		if c := b.text[i]; isLetter(c) {
			b.put(string(rune(rotate(c))), i, i+1)
		} else {
			b.keep(i, i+1)
		}
	}
}

// unreverse writes text backwards.
func unreverse(b *builder) { b.backwards(0, len(b.text)) }

// unreverseWords writes text with each of its words backwards.
func unreverseWords(b *builder) {
	text := b.text
	for i := 0; i < len(text); {
		start := i
		for i < len(text) && (isAlnum(text[i]) || text[i] >= utf8.RuneSelf) {
			i++
		}
		b.backwards(start, i)
		if i < len(text) {
			b.keep(i, i+1)
			i++
		}
	}
}
