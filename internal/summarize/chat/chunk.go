package chat

import (
	"strings"
	"unicode/utf8"
)

const (
	// minRoom is the minimum number of conversation tokens per call: with fewer, a long conversation
	// would take thousands of calls.
	minRoom = 256
	// markTokens bounds the tokens of a block without its label and text: most tokenizers split the
	// 32 digits of the mark into some twenty tokens.
	markTokens = 48
)

const continued = ", continued"

// fill removes from the front of list the blocks that fit into room tokens or, if not even one fits,
// the beginning of the first. It takes nothing if room is too small for that.
func fill(list []block, room int, count func(string) int) (batch, rest []block) {
	for i, b := range list {
		left := room - count(b.label) - markTokens
		n, used := prefix(b.text, left, count)
		if left >= 0 && n == len(b.text) {
			room = left - used
			continue
		}
		if i > 0 || left < minRoom || n == 0 {
			return list[:i], list[i:]
		}
		label := strings.TrimSuffix(b.label, continued) + continued
		list[0] = block{label, b.text[n:]}
		return []block{{b.label, b.text[:n]}}, list
	}
	return list, nil
}

// prefix returns the length of the longest prefix of text that fits into tokens, and its number of
// tokens. A text that does not fit is cut nearly as late as possible, at a gap between words if one
// is near. It counts in steps, so that its cost depends on the result and not on the length of text.
func prefix(text string, tokens int, count func(string) int) (n, used int) {
	for step := 4 * tokens; n < len(text) && step > 0; {
		end := min(len(text), n+step)
		for end > n && end < len(text) && !utf8.RuneStart(text[end]) {
			end--
		}
		c := count(text[n:end])
		if left := tokens - used; c > left {
			step = (end - n) * left / c * 19 / 20
			continue
		}
		if end == n {
			break
		}
		n, used = end, used+c
		step = 4 * (tokens - used)
	}
	if n < len(text) {
		near := n - n/8
		if i := strings.LastIndexAny(text[near:n], " \n"); i >= 0 {
			n = near + i + 1
		}
	}
	return n, used
}
