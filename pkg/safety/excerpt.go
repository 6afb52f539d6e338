package safety

import (
	"strconv"
	"strings"

	"github.com/eaapl/handoff/internal/secrets"
)

// maxExcerpt is the maximum length of an excerpt, in characters.
const maxExcerpt = 60

// excerpt quotes the start of text[start:end] without the hidden secrets.
func excerpt(text string, start, end int, hidden []secrets.Secret) string {
	var b strings.Builder
	for _, s := range hidden {
		if s.Offset+s.Length <= start || s.Offset >= end {
			continue
		}
		b.WriteString(text[start:max(start, s.Offset)] + "[secret]")
		start = min(end, s.Offset+s.Length)
	}
	b.WriteString(text[start:min(end, start+8*maxExcerpt)])
	quoted := []rune(strconv.QuoteToGraphic(b.String()))
	if len(quoted) > maxExcerpt {
		quoted = append(quoted[:maxExcerpt-2], '…', '"')
	}
	return string(quoted)
}
