package neterror

import (
	"encoding/base64"
	"net/url"
	"strings"
	"unicode"
)

// maxSaid is the maximum length of the peer's text in an error, in bytes.
const maxSaid = 500

// PeerText prepares a text from the peer, such as the body of an error response, for an error message: on one
// line, without control characters, short, and without the password of the address and the values of its
// query, which the peer may have repeated.
func PeerText(text string, u *url.URL) string {
	text = strings.ToValidUTF8(hide(text, u), " ")
	text = strings.Join(strings.Fields(strings.Map(func(r rune) rune {
		if !unicode.IsGraphic(r) {
			return ' '
		}
		return r
	}, text)), " ")
	text = hide(text, u) // a secret may have been interrupted by removed characters
	if len(text) > maxSaid {
		text = strings.ToValidUTF8(text[:maxSaid], "") + "…"
	}
	return text
}

// minValue is the minimum length of a query value that may be a secret, in bytes.
const minValue = 6

// hide replaces the password of an address and the values of its query in any encoding.
func hide(text string, u *url.URL) string {
	var secrets []string
	if password, ok := u.User.Password(); ok && password != "" {
		secrets = append(secrets, password, base64.StdEncoding.EncodeToString([]byte(u.User.Username()+":"+password)))
	}
	for _, values := range u.Query() {
		for _, value := range values {
			if len(value) >= minValue {
				secrets = append(secrets, value)
			}
		}
	}
	for _, secret := range secrets {
		for _, written := range []string{secret, url.QueryEscape(secret), url.PathEscape(secret)} {
			text = strings.ReplaceAll(text, written, "xxxxx")
		}
	}
	return text
}
