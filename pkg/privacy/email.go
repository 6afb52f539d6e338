package privacy

import "strings"

// email looks at an "@", for an address of RFC 5321 as people write them: no quotes, no
// comments, no domain in brackets, but letters of any script.
func (f *finder) email(i int) int {
	text := f.text
	start := i
	for start > 0 && i-start < 64 && isLocal(text[start-1]) {
		start--
	}
	for start < i && (text[start] == '.' || text[start] == '\'' || text[start] == '-') {
		start++ // of the sentence around it
	}
	end, dot := i+1, -1
	for end < len(text) && end-i < 255 && (isWord(text[end]) || text[end] == '-' || text[end] == '.') {
		if text[end] == '.' {
			if text[end-1] == '.' || end == i+1 {
				break
			}
			dot = end
		}
		end++
	}
	for end > i && (text[end-1] == '.' || text[end-1] == '-') {
		end--
	}
	if dot >= end {
		dot = strings.LastIndexByte(text[i:end], '.') + i
	}
	if start == i || dot <= i+1 || end-dot < len(".de") || text[i-1] == '.' {
		return i + 1
	}
	for _, b := range []byte(text[dot+1 : end]) {
		if isDigit(b) {
			return i + 1 // a version: package@1.2.3
		}
	}
	score := 0.97
	if text[start:i] == "git" && f.byteAt(end) == ':' {
		score = 0.2 // a place of a repository
	}
	f.add(Email, "", start, end, score)
	return end
}

// isLocal reports whether a byte may stand before the "@", unquoted.
func isLocal(b byte) bool {
	if isWord(b) {
		return true
	}
	// Of what RFC 5322 allows, not what is more often around an address than in one.
	switch b {
	case '.', '_', '%', '+', '-', '\'', '&', '~', '!', '#', '$':
		return true
	}
	return false
}
