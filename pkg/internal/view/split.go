package view

import "strings"

// splitters are signs that, between two letters, may split a word to hide it.
const splitters = "-*~^"

// splitsWord reports whether the sign at text[i] stands between two letters and parts
// one of the stems, perhaps together with other such signs.
func splitsWord(text string, i int) bool {
	if i == 0 || i+1 >= len(text) || !isLetter(text[i-1]) || !isLetter(text[i+1]) ||
		!insideStems()[three(text[i-1], text[i+1], 0)] {
		return false
	}
	const reach = 2 * maxStem // with signs between its letters
	var word [2 * reach]byte
	from := i
	for from > 0 && i-from < reach && (isLetter(text[from-1]) || isSplitter(text[from-1])) {
		from--
	}
	n, joint := 0, 0
	for ; from < len(text) && n < len(word) && from-i < reach; from++ {
		switch c := text[from]; {
		case from == i:
			joint = n
		case isLetter(c):
			word[n] = c | 0x20
			n++
		case !isSplitter(c):
			return stemAcross(string(word[:n]), joint)
		}
	}
	return stemAcross(string(word[:n]), joint)
}

func isSplitter(c byte) bool { return strings.IndexByte(splitters, c) >= 0 }

// stemAcross reports whether one of the stems is in word across position i.
func stemAcross(word string, i int) bool {
	for _, s := range stems {
		if strings.Contains(word[max(0, i-len(s)+1):min(len(word), i+len(s)-1)], s) {
			return true
		}
	}
	return false
}
