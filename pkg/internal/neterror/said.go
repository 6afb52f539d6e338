package neterror

import (
	"net/url"
	"strings"
	"unicode"
)

// maxSaid is the longest text of the other side that an error shows, in bytes.
const maxSaid = 500

// Said returns a text of the other side, such as the body of an error, fit for an error of
// ours: on one line, without control characters, short, and without the password of the
// address, which the other side may have repeated.
func Said(text string, u *url.URL) string {
	text = strings.ToValidUTF8(hide(text, u), " ")
	text = strings.Join(strings.Fields(strings.Map(func(r rune) rune {
		if !unicode.IsGraphic(r) {
			return ' '
		}
		return r
	}, text)), " ")
	text = hide(text, u) // what was taken out may have been in between
	if len(text) > maxSaid {
		text = strings.ToValidUTF8(text[:maxSaid], "") + "…"
	}
	return text
}

// hide replaces the password of an address, however it is written.
func hide(text string, u *url.URL) string {
	if password, ok := u.User.Password(); ok && password != "" {
		for _, written := range []string{password, url.QueryEscape(password), url.PathEscape(password)} {
			text = strings.ReplaceAll(text, written, "xxxxx")
		}
	}
	return text
}
