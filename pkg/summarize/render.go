package summarize

import (
	"bytes"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// appendClean adds a text on one line: white space and control characters become single spaces, and
// characters that would reverse or hide the surrounding text are left out.
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

// between separates two units of a speaker unless the first ends in a full stop.
const between = " · "

const (
	headerEnd = " earlier turns:"

	oldHeaderStart = "Earlier conversation (" // written by earlier versions
	oldHeaderEnd   = " turns, shortened):"
)

// header returns the first line of a summary of turns, "" if turns is 0.
func header(turns int) string {
	if turns == 0 {
		return ""
	}
	return strconv.Itoa(turns) + headerEnd
}

// cutHeader removes the header of a summary and returns the number of turns in it.
func cutHeader(summary string) (turns int, rest string, ok bool) {
	number, rest, ok := strings.Cut(summary, headerEnd)
	if old, found := strings.CutPrefix(summary, oldHeaderStart); found {
		number, rest, ok = strings.Cut(old, oldHeaderEnd)
	}
	if n, err := strconv.Atoi(number); ok && err == nil && n >= 0 && n < 1<<30 {
		return n, rest, true
	}
	return 0, summary, false
}

// render writes the chosen parts in order of the conversation: the values, one line per turn, and
// then the sentences, one line per speaker.
func (s *candidates) render(head string, speakers []speaker) string {
	var at []int
	list := s.list
	for i := range list {
		if list[i].form != absent {
			at = append(at, i)
		}
	}
	if len(at) == 0 {
		return ""
	}
	slices.SortFunc(at, func(a, b int) int { return inOrder(list[a].unit, list[b].unit) })
	dst := []byte(head)
	turn := int32(-1)
	for _, i := range at {
		if c := &list[i]; c.form == sheet {
			dst = s.appendEntries(dst, c, &speakers[c.speaker], &turn)
		}
	}
	last := int32(-1)
	for _, i := range at {
		c := &list[i]
		if c.form == sheet {
			continue
		}
		who := speakers[c.speaker].label
		if last < 0 || c.speaker != last && (who == "" || who != speakers[last].label) {
			if len(dst) > 0 {
				dst = append(dst, '\n')
			}
			if who != "" {
				dst = append(append(dst, who...), ": "...)
			}
		} else if endsSaid(dst) {
			dst = append(dst, ' ')
		} else {
			dst = append(dst, between...)
		}
		if c.form == lead {
			dst = append(bytes.TrimRight(appendClean(dst, c.text[:c.lead]), " ,;(—–，、"), "…"...)
		} else {
			dst = bytes.TrimRight(appendClean(dst, c.text), " ")
		}
		last = c.speaker
	}
	return string(dst)
}

// endsSaid reports whether a text ends as a sentence does.
func endsSaid(text []byte) bool {
	r, size := utf8.DecodeLastRune(text)
	return size > 0 && strings.ContainsRune(".!?"+stops, r)
}

// appendEntries adds the values of a candidate on the line of its turn.
func (s *candidates) appendEntries(dst []byte, c *candidate, said *speaker, turn *int32) []byte {
	for _, id := range c.owns {
		e := &s.entries[id]
		if !e.on {
			continue
		}
		if said.turn != *turn {
			if *turn = said.turn; len(dst) > 0 {
				dst = append(dst, '\n')
			}
			dst = append(strconv.AppendInt(dst, int64(said.turn), 10), said.mark, ' ')
		} else {
			dst = append(dst, apart...)
		}
		if e.named {
			dst = append(appendClean(dst, e.name), ": "...)
		}
		dst = bytes.TrimRight(appendClean(dst, e.value), " ")
	}
	return dst
}
