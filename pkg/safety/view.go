package safety

import "unicode/utf8"

// Text is unfolded in pieces, so that a long one needs little memory. They overlap by
// more than a phrase is long, even at four bytes and a filler for each letter.
const (
	pieceLen     = 8 << 10
	pieceOverlap = 1 << 10
)

// disguised reports whether unfold could change what a reader sees in s: characters
// that do not show, full-width letters, or letters set apart one by one.
func disguised(s string) bool {
	for i := 0; i < len(s); {
		if s[i] < utf8.RuneSelf {
			i++
			continue
		}
		r, n := utf8.DecodeRuneInString(s[i:])
		if invisible(r) || r >= 0xFF21 && r <= 0xFF5A {
			return true
		}
		i += n
	}
	return spaced(s)
}

// spaced reports whether s has eight bytes in a row of the form "i g n o r". It looks
// at every fourth byte only: what it misses is too short to say much.
func spaced(s string) bool {
next:
	for i := 0; i+8 <= len(s); i += 4 {
		first := separator(s[i])
		if first == separator(s[i+1]) {
			continue
		}
		for j := 0; j < 8; j += 2 {
			if separator(s[i+j]) != first || separator(s[i+j+1]) == first {
				continue next
			}
		}
		return true
	}
	return false
}

// separator reports whether c may part single letters: a space or ASCII punctuation.
func separator(c byte) bool { return c-' ' < '0'-' ' }

// unfold returns s as a model would read it, without disguise, and for each byte of it
// the offset in s it came from.
func unfold(s string) (view string, at []int32) {
	out := make([]byte, 0, len(s))
	at = make([]int32, 0, len(s)+1)
	for i := 0; i < len(s); {
		r, n := utf8.DecodeRuneInString(s[i:])
		from := int32(i)
		i += n
		switch {
		case r >= 0xE0020 && r <= 0xE007E: // tag characters shadow ASCII
			r -= 0xE0000
		case r >= 0xFF01 && r <= 0xFF5E:
			r -= 0xFEE0
		case r == utf8.RuneError, invisible(r), r == 0xFE0F:
			continue
		}
		k := len(out)
		out = utf8.AppendRune(out, r)
		for range out[k:] {
			at = append(at, from)
		}
	}
	k := join(out, at)
	return string(out[:k]), append(at[:k], int32(len(s)))
}

// join closes up, in place, single letters set apart by one separator, and makes
// several spaces one. It returns the new length.
func join(b []byte, at []int32) int {
	single := func(i int) bool {
		return i >= 0 && i < len(b) && alnum(b[i]) && (i == len(b)-1 || !alnum(b[i+1]))
	}
	k := 0
	alone := false // the last byte kept is, in b, a letter by itself
	for i := 0; i < len(b); i++ {
		switch c := b[i]; {
		case alnum(c):
			alone = single(i) && (i == 0 || !alnum(b[i-1]))
		case alone && separator(c) && single(i+1):
			continue
		case c == ' ' && i > 0 && b[i-1] == ' ':
			continue
		default:
			alone = false
		}
		b[k], at[k] = b[i], at[i]
		k++
	}
	return k
}

// covert finds the first run of characters that can only be there to carry hidden
// data: tags, variation selectors that vary nothing, or many invisible ones. Emoji,
// flags, and the joiners of Persian and Indic scripts have no such runs.
func covert(s string) (start, end int, ok bool) {
	const (
		none = iota
		tag
		selector
		blank
	)
	least := [...]int{tag: 4, selector: 4, blank: 8}
	kind, count := none, 0
	var before rune // the last one outside a run
	for i := 0; i < len(s); {
		r, n := utf8.DecodeRuneInString(s[i:])
		k := none
		switch {
		case r >= 0xE0020 && r <= 0xE007F:
			k = tag
		case r >= 0xE0100 && r <= 0xE01EF:
			k = selector
		case invisible(r):
			k = blank
		default:
			before = r
		}
		if k != kind {
			kind, count, start = k, 0, i
		}
		i += n
		count++
		if k == tag && before == 0x1F3F4 { // the flag of England is a black flag and tags
			continue
		}
		if k != none && count >= least[k] {
			return start, i, true
		}
	}
	return 0, 0, false
}

// invisible reports whether r takes no room: soft hyphen, zero-width and bidi marks,
// word joiners, tags, supplementary variation selectors.
func invisible(r rune) bool {
	switch {
	case r < 0xAD:
		return false
	case r == 0xAD, r == 0x34F, r == 0x61C, r == 0x180E, r == 0xFEFF:
		return true
	case r >= 0x200B && r <= 0x200F, r >= 0x202A && r <= 0x202E, r >= 0x2060 && r <= 0x206F:
		return true
	}
	return r >= 0xE0000 && r <= 0xE0FFF
}

func alnum(c byte) bool {
	return '0' <= c && c <= '9' || 'a' <= c|0x20 && c|0x20 <= 'z'
}
