package view

import "strings"

// Joined words are separated if there are at least this many and they have stems of several kinds,
// which names in code hardly ever have.
const (
	minParted = 3
	maxParted = 160 // maximum bytes examined
)

// partedRun returns the run of letters, digits, signs for letters and joints at the start of s, up
// to maxParted bytes.
func partedRun(s string) string {
	n := 0
	for n < min(len(s), maxParted) && (isLeetByte(s[n]) || isJoint(s[n])) {
		n++
	}
	return s[:n]
}

// isJoint reports whether c joins words in a name.
func isJoint(c byte) bool { return c == '_' }

// partBegins reports whether a new part begins at run[i]: a capital that does not follow a capital.
func partBegins(run string, i int) bool {
	return i > 0 && run[i]-'A' < 26 && run[i-1]-'A' >= 26 && !isJoint(run[i-1])
}

// isParted reports whether a run is an instruction in joined words, such as
// IgnoreAllPreviousInstructions.
func isParted(run string) bool {
	if partsOf(run) < minParted {
		return false
	}
	stems := 0
	start := 0
	for i := 1; i <= len(run) && stems < 2; i++ {
		if i < len(run) && !partBegins(run, i) && !isJoint(run[i]) {
			continue
		}
		if word := run[start:i]; len(word) >= stemLen && hasStemIn(word) {
			stems++
		}
		start = i
	}
	return stems >= 2
}

// partsOf returns the number of parts of a run.
func partsOf(run string) int {
	parts := 1
	previous := uint8(partCapital) // no part begins at the start
	for i := range len(run) {
		kind := partKinds[run[i]]
		if kind == partJoint || kind == partCapital && previous == 0 {
			parts++
		}
		previous = kind
	}
	return parts
}

// The kinds of bytes in a run; 0 is any other.
const (
	partCapital = 1 + iota
	partJoint
)

var partKinds = func() (kinds [256]uint8) {
	for c := range kinds {
		switch {
		case byte(c)-'A' < 26:
			kinds[c] = partCapital
		case isJoint(byte(c)):
			kinds[c] = partJoint
		}
	}
	return kinds
}()

// hasStemIn is like hasStem, but for a word with signs in place of letters. It does not allocate.
func hasStemIn(word string) bool {
	var letters [maxLeet]byte
	n := copy(letters[:], word)
	for i, c := range letters[:n] {
		if l := leetLetters[c]; l != 0 {
			c = l
		}
		if c-'A' < 26 {
			c |= 0x20
		}
		letters[i] = c
	}
	lower := string(letters[:n])
	for _, s := range stems {
		if strings.Contains(lower, s) {
			return true
		}
	}
	return false
}

// part writes text with joined words separated.
func part(b *builder) {
	for i := 0; i < len(b.text); {
		run := partedRun(b.text[i:])
		if len(run) < minCode || !isParted(run) {
			b.keep(i, i+max(len(run), 1))
			i += max(len(run), 1)
			continue
		}
		for j := range len(run) {
			if isJoint(run[j]) {
				b.put(" ", i+j, i+j+1)
				continue
			}
			if partBegins(run, j) {
				b.put(" ", i+j, i+j)
			}
			b.keep(i+j, i+j+1)
		}
		i += len(run)
	}
}
