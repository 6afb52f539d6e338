package cli

import (
	"regexp"
	"strings"
	"sync"

	"github.com/eaapl/handoff/internal/secrets"
)

// credentials match parts of a text that may be secret: the user information of a URL, values with the names
// of secrets, and long random or hexadecimal words.
var credentials = sync.OnceValue(func() []credential {
	return []credential{
		{regexp.MustCompile(`//\S*@`), func(string) string { return "//" + hidden + "@" }},
		{
			regexp.MustCompile(`(?i)(?:passw(?:or)?d|passphrase|secret|token|bearer|authorization|api[-_]?key)["']?[\s=:]+(?:bearer\s+)?\S+`),
			func(named string) string {
				return named[:strings.LastIndexAny(strings.TrimRight(named, " \t=:"), " \t=:")+1] + hidden
			},
		},
		{regexp.MustCompile(`[0-9A-Za-z_+/-]{24,}={0,2}`), func(word string) string {
			const hexDigits = "0123456789abcdefABCDEF"
			if secrets.IsRandom(word, 24) || len(word) >= 32 && strings.Trim(word, hexDigits) == "" {
				return hidden
			}
			return word
		}},
	}
})

// A credential is a pattern and its replacement.
type credential struct {
	pattern *regexp.Regexp
	shown   func(match string) string
}

const hidden = "****"

// ShownSetting returns a text that may quote a configured value, without credentials: a password in a URL, or
// a secret set by mistake.
func ShownSetting(text string) string {
	for _, c := range credentials() {
		text = c.pattern.ReplaceAllStringFunc(text, c.shown)
	}
	return secrets.Hide(text)
}
