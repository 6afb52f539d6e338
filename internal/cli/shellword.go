package cli

import "strings"

// ShellWord returns a word for a POSIX shell, in quotes if it has special characters.
func ShellWord(word string) string {
	if word != "" && word[0] != '-' && !strings.ContainsFunc(word, isSpecial) {
		return word
	}
	return ShellQuoted(word)
}

// ShellQuoted returns a word for a POSIX shell, in quotes.
func ShellQuoted(word string) string { return "'" + strings.ReplaceAll(word, "'", `'\''`) + "'" }

// isSpecial reports whether a character may be special to a shell.
func isSpecial(c rune) bool {
	return !('a' <= c|0x20 && c|0x20 <= 'z' || '0' <= c && c <= '9' || strings.ContainsRune("-_./:@+,%", c))
}
