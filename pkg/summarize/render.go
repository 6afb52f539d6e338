package summarize

import (
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// appendForm adds the unit in a form.
func (c *candidate) appendForm(dst []byte, form int, table *lexicon) []byte {
	if form == whole {
		return appendClean(dst, c.text)
	}
	begin := len(dst)
	left := false
	for _, p := range c.pieces {
		if !p.kept {
			left = len(dst) > begin
			continue
		}
		if left {
			dst = append(dst, "… "...)
			left = false
		}
		text := c.text[p.start:p.end]
		if form == bare && c.kind != data && c.kind != code && c.kind != logged {
			dst = appendBare(dst, text, table)
		} else {
			dst = appendClean(dst, text)
		}
		if len(dst) > begin && dst[len(dst)-1] != ' ' {
			dst = append(dst, ' ')
		}
	}
	for len(dst) > begin && strings.IndexByte(" ,;(", dst[len(dst)-1]) >= 0 {
		dst = dst[:len(dst)-1]
	}
	return dst
}

// appendBare adds a text without its function words.
func appendBare(dst []byte, text string, table *lexicon) []byte {
	r := reader{text: text, table: table}
	var t token
	for r.next(&t) {
		if t.words == 1 && t.digits == 0 && t.classes&^endsPhrase == stop && t.end-t.start <= t.to-t.from {
			continue
		}
		dst = appendClean(dst, text[t.start:t.end])
		if len(dst) > 0 && r.at < len(text) && text[r.at] <= ' ' {
			dst = append(dst, ' ')
		}
	}
	return dst
}

// appendClean adds a text on one line: white space and control characters become single
// spaces, and characters that would reverse or hide the text around them are left out.
func appendClean(dst []byte, text string) []byte {
	begin := len(dst)
	space := false
	for i := 0; i < len(text); {
		end := i
		for end < len(text) && text[end]-'!' <= '~'-'!' {
			end++
		}
		if end > i {
			if space {
				dst = append(dst, ' ')
				space = false
			}
			dst = append(dst, text[i:end]...)
			i = end
			continue
		}
		c, size := rune(text[i]), 1
		if c >= utf8.RuneSelf {
			c, size = utf8.DecodeRuneInString(text[i:])
		}
		char := text[i : i+size]
		i += size
		switch {
		case c <= ' ' || c == 0x7f || c == 0xA0 || c == 0x2028 || c == 0x2029:
			space = len(dst) > begin
			continue
		case c == utf8.RuneError && size == 1 || c >= utf8.RuneSelf && unicode.In(c, unicode.Cf, unicode.Cc):
			continue
		}
		if space {
			dst = append(dst, ' ')
			space = false
		}
		dst = append(dst, char...)
	}
	if space {
		dst = append(dst, ' ')
	}
	return dst
}

// between separates two units of a speaker if no full stop does.
const between = " · "

const (
	headerStart = "Earlier conversation ("
	headerEnd   = " turns, shortened):"
)

// header returns the first line of a summary, "" for one of no turns.
func header(turns int) string {
	if turns == 0 {
		return ""
	}
	return headerStart + strconv.Itoa(turns) + headerEnd
}

// cutHeader removes the header of a summary, and returns how many turns it is of.
func cutHeader(summary string) (turns int, rest string, ok bool) {
	rest, ok = strings.CutPrefix(summary, headerStart)
	if !ok {
		return 0, summary, false
	}
	number, rest, ok := strings.Cut(rest, headerEnd)
	if n, err := strconv.Atoi(number); ok && err == nil && n >= 0 && n < 1<<30 {
		return n, rest, true
	}
	return 0, summary, false
}

// render writes the chosen candidates in order of the conversation, a line for
// each speaker.
func render(head string, list []candidate, chosen []int8, speakers []speaker, table *lexicon) string {
	var at []int
	for i, form := range chosen {
		if form >= 0 {
			at = append(at, i)
		}
	}
	if len(at) == 0 {
		return ""
	}
	slices.SortFunc(at, func(a, b int) int { return int(list[a].order) - int(list[b].order) })
	dst := []byte(head)
	last := int32(-1)
	for _, i := range at {
		c := &list[i]
		who := speakers[c.speaker].label
		if last < 0 || c.speaker != last && (who == "" || who != speakers[last].label) {
			if len(dst) > 0 {
				dst = append(dst, '\n')
			}
			if who != "" {
				dst = append(append(dst, who...), ": "...)
			}
		} else if strings.IndexByte(".!?", dst[len(dst)-1]) >= 0 {
			dst = append(dst, ' ')
		} else {
			dst = append(dst, between...)
		}
		dst = c.appendForm(dst, int(chosen[i]), table)
		for dst[len(dst)-1] == ' ' {
			dst = dst[:len(dst)-1]
		}
		last = c.speaker
	}
	return string(dst)
}
