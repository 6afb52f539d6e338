package secrets

import (
	"bytes"
	"slices"
	"strconv"
	"sync"
)

// MayHold reports whether [Find] may find a credential in any string or member name of a JSON text. False is
// definite; true means that each must be searched. It takes a fraction of the time of such a search and is
// safe for concurrent use.
func MayHold(json []byte) bool {
	return announced(json, bytes.IndexByte) || escapesASCII(json)
}

// marks are characters that are rare in most texts. Every credential contains one of them, in a context that
// mayBelong accepts, or one of the spellings.
const marks = "AJ_-@"

// minSecret is the minimum length of a credential: "://:" and "@x" around a password of at least four
// characters.
const minSecret = 10

// A bytestring is a text or a document. Converting one to the other would cost as much as the search.
type bytestring interface{ string | []byte }

// announced reports whether text contains a part that some credential requires. JSON text gives the same
// result as the decoded text unless \u escapes hide the part: the only other escape for a character of a
// part is \/.
func announced[T bytestring](text T, indexByte func(T, byte) int) bool {
	const block = 1 << 10 * spellingStride // stays in the processor's cache for all searches
	if len(text) < minSecret {
		return false
	}
	for from := 0; from < len(text); from += block {
		to := min(from+block, len(text))
		if spelledIn(text, from, to) {
			return true
		}
		// With this many marks, the search that follows costs no more.
		tries := 16 + (to-from)/4
		for i := range len(marks) {
			for at := from; at < to; at++ {
				next := indexByte(text[at:to], marks[i])
				if next < 0 {
					break
				}
				at += next
				if tries--; tries < 0 || mayBelong(text, at) {
					return true
				}
			}
		}
	}
	return false
}

// mayBelong reports whether the mark at an offset may belong to a credential. In most cases, the next
// character shows that it does not.
func mayBelong[T bytestring](text T, at int) bool {
	var before, after byte
	if at > 0 {
		before = text[at-1]
	}
	if at+1 < len(text) {
		after = text[at+1]
	}
	switch text[at] {
	case 'A':
		return after == 'I' && isAt(text, at, "AIza") ||
			(after == 'K' && isAt(text, at, "AKIA") || after == 'S' && isAt(text, at, "ASIA")) && areAt(text, at+4, 16, isBase32)
	case 'J': // of the claims of a JSON Web Token, or of OpenAI's name
		return before == 'y' && isAt(text, at-3, ".eyJ") || before == 'F' && isAt(text, at-7, "T3BlbkFJ")
	case '_':
		return isAt(text, at-3, "gh") && areAt(text, at+1, 36, isAlnum) || before == 'k' && isAt(text, at, "_live_") || after == 'p' && isAt(text, at-6, "github_pat_")
	case '-':
		return before == 't' && (isAt(text, at-5, "glpat-") || isAt(text, at-6, "sk-ant-")) ||
			isDigit(after) && (isAt(text, at-4, "xapp-") || isAt(text, at-4, "xox")) ||
			before == 'Y' && isAt(text, at-11, "PRIVATE KEY-----")
	default:
		return endsPassword(text, at)
	}
}

func isAt[T bytestring](text T, at int, part string) bool {
	return at >= 0 && at+len(part) <= len(text) && string(text[at:at+len(part)]) == part
}

func areAt[T bytestring](text T, at, n int, of func(byte) bool) bool {
	if at+n > len(text) {
		return false
	}
	for i := at; i < at+n; i++ {
		if !of(text[i]) {
			return false
		}
	}
	return true
}

func isBase32(c byte) bool { return c-'A' < 26 || c-'2' < 6 }

func isAlnum(c byte) bool { return isDigit(c) || c|0x20-'a' < 26 }

func isDigit(c byte) bool { return c-'0' < 10 }

// endsPassword reports whether "://" precedes the @ at an offset, without characters between them that are
// not allowed in a user or password. Another @ is not allowed, so that all calls together take linear time.
func endsPassword[T bytestring](text T, at int) bool {
	for i := at - 1; i >= 0; i-- {
		switch text[i] {
		case ' ', '@', '"', '\'', '<', '>':
			return false
		case '/':
			return isAt(text, i-2, "://") || isAt(text, i-4, `:\/\/`) || isAt(text, i-3, `:/\/`) || isAt(text, i-3, `:\//`)
		}
	}
	return false
}

// spellings are texts, with 0x20 set in each byte. A credential without a mark contains one of them.
var spellings = []string{"secretaccesskey", "secret\x7faccess\x7fkey", "secret access key", "hooks.slack.com"}

const (
	gramLen     = 4
	minSpelling = len("secretaccesskey")
	// In each spelling, a gram of four bytes begins at a multiple of spellingStride, so only multiples must
	// be checked.
	spellingStride = minSpelling - gramLen + 1
)

// A gramSet has a bit for each hash of four bytes of a spelling, at each of its first
// spellingStride offsets.
type gramSet [1 << 8]uint64

var spellingGrams = sync.OnceValue(func() *gramSet {
	set := new(gramSet)
	for _, s := range spellings {
		for i := range spellingStride {
			h := gramHash(s[i:])
			set[h>>6] |= 1 << (h & 63)
		}
	}
	return set
})

// gramHash returns a hash for a gramSet of the first four bytes of text.
func gramHash[T bytestring](text T) uint32 {
	_ = text[gramLen-1]
	gram := uint32(text[0]) | uint32(text[1])<<8 | uint32(text[2])<<16 | uint32(text[3])<<24
	return (gram | 0x20202020) * 0x9E3779B1 >> 18
}

// spelledIn reports whether text contains a spelling that a search of text[from:to] finds. from is a multiple
// of spellingStride.
func spelledIn[T bytestring](text T, from, to int) bool {
	set := spellingGrams()
	to = min(to, len(text)-gramLen+1)
	for at := from; at < to; at += spellingStride {
		h := gramHash(text[at : at+gramLen])
		if set[h>>6]&(1<<(h&63)) != 0 && isSpelled(text[max(0, at-spellingStride):min(len(text), at+2*spellingStride)]) {
			return true
		}
	}
	return false
}

// isSpelled reports whether a few bytes of text contain a spelling.
func isSpelled[T bytestring](text T) bool {
	var buffer [3 * spellingStride]byte
	folded := buffer[:len(text)]
	for i := range folded {
		folded[i] = text[i] | 0x20
	}
	return slices.ContainsFunc(spellings, func(s string) bool { return bytes.Contains(folded, []byte(s)) })
}

var unicodeEscape = []byte(`\u00`)

// escapesASCII reports whether a JSON text may have \u escapes for characters that announced looks for. It
// ignores the common escapes for control characters and for characters that are special in HTML.
func escapesASCII(json []byte) bool {
	for {
		at := bytes.Index(json, unicodeEscape)
		if at < 0 || at+6 > len(json) {
			return false
		}
		c, err := strconv.ParseUint(string(json[at+4:at+6]), 16, 8)
		if err != nil || c == 0 || c >= ' ' && c < 0x80 && bytes.IndexByte([]byte("<>&'"), byte(c)) < 0 {
			return true
		}
		json = json[at+6:]
	}
}
