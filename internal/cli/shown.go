package cli

import (
	"regexp"
	"strings"
	"sync"

	"github.com/eaapl/handoff/internal/secrets"
)

// credentials are parts of a text that may be secret: what comes before the host of a URL,
// what is called so, and long words drawn at random or in hexadecimal digits.
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

// A credential is what may be secret, and what is shown of it.
type credential struct {
	pattern *regexp.Regexp
	shown   func(match string) string
}

const hidden = "****"

// ShownSetting returns a text of which a part may be a value that was set, without
// credentials: a password in a URL, and what was meant to be set elsewhere.
func ShownSetting(text string) string {
	for _, c := range credentials() {
		text = c.pattern.ReplaceAllStringFunc(text, c.shown)
	}
	return secrets.Hide(text)
}
