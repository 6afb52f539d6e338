package tokens

// nextO200k matches
//
//	[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]*[\p{Ll}\p{Lm}\p{Lo}\p{M}]+(?i:'s|'t|'re|'ve|'m|'ll|'d)?
//	[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]+[\p{Ll}\p{Lm}\p{Lo}\p{M}]*(?i:'s|'t|'re|'ve|'m|'ll|'d)?
//	\p{N}{1,3}
//	 ?[^\s\p{L}\p{N}]+[\r\n/]*
//	\s*[\r\n]+
//	\s+(?!\S)
//	\s+
func nextO200k(s string, i int) int {
	// Most pieces are a word in lower-case ASCII letters after a space.
	word := i
	if s[i] == ' ' {
		word++
	}
	next := word
	for next < len(s) && s[next]-'a' < 26 {
		next++
	}
	if next > word && (next == len(s) || s[next] < 0x80 && s[next] != '\'') {
		return next
	}
	c, w := classAt(s, i)
	start := i
	if c&prefix != 0 {
		start += w
	}
	end, mixed := casedWord(s, start)
	if c == mark && !mixed {
		// The mark cannot be a prefix here, but it is a word by itself, which
		// is tried before the mark as the prefix of capitals.
		end = i + w
	}
	switch {
	case end > start || c == mark:
		return end + contraction(s, end, true)
	case c == number:
		return digits(s, i)
	case c&symbol != 0 || s[i] == ' ' && start < len(s) && is(s, start, symbol):
		end = run(s, start, symbol)
		for end < len(s) && (s[end] == '\r' || s[end] == '\n' || s[end] == '/') {
			end++
		}
		return end
	}
	return whitespace(s, i, true)
}

// casedWord returns the end of the word at i: capitals, then lower-case letters. Letters without
// case and marks count as both. It is mixed unless all are capitals; a word that cannot end in its
// capitals ends after the last of its letters without case.
func casedWord(s string, i int) (end int, mixed bool) {
	uncased := 0
	for end = i; end < len(s); {
		c, w := classAt(s, end)
		if c&lower != 0 {
			return run(s, end, lower|uncasedLetter|mark), true
		}
		if c&(upper|uncasedLetter|mark) == 0 {
			break
		}
		end += w
		if c != upper {
			uncased = end
		}
	}
	if uncased > 0 {
		return uncased, true
	}
	return end, false
}

// nextCl100k matches
//
//	(?i:'s|'t|'re|'ve|'m|'ll|'d)
//	[^\r\n\p{L}\p{N}]?\p{L}+
//	\p{N}{1,3}
//	 ?[^\s\p{L}\p{N}]+[\r\n]*
//	\s*[\r\n]+
//	\s+(?!\S)
//	\s+
//
// Since 0.8, tiktoken has \s+$ before the line breaks. The split cannot change a count: no token
// continues with blanks after its last line break.
func nextCl100k(s string, i int) int {
	if n := contraction(s, i, true); n > 0 {
		return i + n
	}
	c, w := classAt(s, i)
	start := i
	if c&prefix != 0 {
		start += w
	}
	if end := run(s, start, letter); end > start {
		return end
	}
	switch {
	case c == number:
		return digits(s, i)
	case c&symbol != 0 || s[i] == ' ' && start < len(s) && is(s, start, symbol):
		return run(s, run(s, start, symbol), newline)
	}
	return whitespace(s, i, true)
}

// nextR50k matches
//
//	's|'t|'re|'ve|'m|'ll|'d
//	 ?\p{L}+
//	 ?\p{N}+
//	 ?[^\s\p{L}\p{N}]+
//	\s+(?!\S)
//	\s+
func nextR50k(s string, i int) int {
	if n := contraction(s, i, false); n > 0 {
		return i + n
	}
	start := i
	if s[i] == ' ' && i+1 < len(s) {
		start++
	}
	switch c, w := classAt(s, start); {
	case c&letter != 0:
		return run(s, start+w, letter)
	case c == number:
		return run(s, start+w, number)
	case c&symbol != 0:
		return run(s, start+w, symbol)
	}
	return whitespace(s, i, false)
}

// digits returns the end of the one to three numbers at i.
func digits(s string, i int) int {
	for range 3 {
		if i == len(s) {
			break
		}
		c, w := classAt(s, i)
		if c != number {
			break
		}
		i += w
	}
	return i
}

// whitespace returns the end of the piece that starts with the white space at i: after the last line
// break, if lines count; else all of it at the end of the text, and elsewhere all but the last
// character, which belongs to the next piece.
func whitespace(s string, i int, lines bool) int {
	last, end, afterBreak := i, i, i
	for end < len(s) {
		c, w := classAt(s, end)
		if c&(blank|newline) == 0 {
			break
		}
		last = end
		end += w
		if c == newline {
			afterBreak = end
		}
	}
	switch {
	case lines && afterBreak > i:
		return afterBreak
	case end < len(s) && last > i:
		return last
	}
	return end
}

// contraction returns the length of the 's, 't, 're, 've, 'm, 'll or 'd at i, or 0.
func contraction(s string, i int, anyCase bool) int {
	if i+1 >= len(s) || s[i] != '\'' {
		return 0
	}
	var fold byte
	if anyCase {
		fold = 'a' - 'A'
	}
	a := s[i+1] | fold
	switch a {
	case 's', 't', 'm', 'd':
		return 2
	}
	if i+2 >= len(s) {
		return 0
	}
	b := s[i+2] | fold
	switch {
	case a == 'l' && b == 'l', a == 'v' && b == 'e', a == 'r' && b == 'e':
		return 3
	case anyCase && s[i+1] == 0xC5 && s[i+2] == 0xBF: // ſ, which is an s when case is ignored
		return 3
	}
	return 0
}
