package privacy

import "strings"

// email looks for an e-mail address around an "@": RFC 5321 without quotes, comments and domain
// literals, but with letters of any script.
func (f *finder) email(i int) int {
	text := f.text
	start := i
	for start > 0 && i-start < 64 && isLocal(text[start-1]) {
		start--
	}
	for start < i && (text[start] == '.' || text[start] == '\'' || text[start] == '-') {
		start++ // part of the surrounding sentence
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
		score = 0.2 // a repository URL
	}
	f.add(Email, "", start, end, score)
	return end
}

// isLocal reports whether a byte may occur unquoted before the "@".
func isLocal(b byte) bool {
	if isWord(b) {
		return true
	}
	// RFC 5322 allows more; these characters more often surround an address.
	switch b {
	case '.', '_', '%', '+', '-', '\'', '&', '~', '!', '#', '$':
		return true
	}
	return false
}
