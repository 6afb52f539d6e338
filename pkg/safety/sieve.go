package safety

import (
	"math/bits"
	"strings"

	"github.com/eaapl/handoff/pkg/internal/view"
)

// A sieve finds the places of a text where rules or readings may find something, so that
// nothing else has to be looked at closely. It goes by the blocks of package view.
type sieve struct {
	set    *RuleSet
	filter *prefilter
	text   string
	json   bool // the text is JSON: its strings are the texts to look at
	views  bool // places are wanted that have readings, too

	at     int // the next block begins here
	next   view.Block
	inWord uint64 // 1 if a letter or digit is before it
	looker view.Looker
	tried  int // up to where literals were looked for
	skip   int // where none begins
	long   int // from where on strings may be long

	memo     memo
	waiting  waiting
	from, to int // the place found
}

// waiting is what the rules wait for as a sieve goes on.
type waiting struct {
	rules ruleBits // those with a literal that waits for one of near
	last  [64]int  // where the last of these began, by the bit
	until int      // where none of them waits any longer
}

// newSieve returns a sieve that begins at the start of text. It has to be put back.
func (set *RuleSet) newSieve(text string, json, views bool) *sieve {
	f := set.index().prefilter()
	s, ok := f.sieves.Get().(*sieve)
	if !ok {
		s = &sieve{set: set, filter: f}
	}
	s.text, s.json, s.views = text, json, views
	s.from, s.to = 0, 0
	s.resume(0)
	return s
}

func (s *sieve) put() {
	s.text, s.looker = "", view.Looker{} // they may be large
	s.filter.sieves.Put(s)
}

// mayFind reports whether rules, or readings if views are wanted, may find something in
// text.
func (set *RuleSet) mayFind(text string, views bool) bool {
	s := set.newSieve(text, false, views)
	defer s.put()
	return s.find()
}

// resume makes the sieve go on at an offset that is inside no text.
func (s *sieve) resume(at int) {
	s.at, s.inWord, s.tried, s.skip, s.long = at, 0, at, -1, at
	s.next = view.ReadBlock(s.text, at, s.filter.marks)
	s.looker = view.NewLooker(s.text, at)
	s.waiting.rules, s.waiting.until = 0, 0
}

// find goes on to the next place in which something may be found. There may be more in
// the text around it.
func (s *sieve) find() bool {
	if s.filter.useless {
		return s.at < len(s.text) && s.found(s.at, len(s.text))
	}
	for s.at < len(s.text) {
		at, b := s.at, s.next
		if s.json && at >= s.long {
			// A text of several pieces is looked through piece by piece.
			if s.long += pieceLen / 2; strings.IndexByte(s.text[at:min(s.long, len(s.text))], '"') < 0 {
				return s.found(at, s.long)
			}
		}
		s.at += view.BlockLen
		s.next = view.ReadBlock(s.text, s.at, s.filter.marks)
		if s.views && s.looker.Block(at, b, s.next) {
			return s.found(at, s.at)
		}
		if s.literals(at, b) {
			return true
		}
		s.inWord = b.Words() >> (view.BlockLen - 1)
	}
	return false
}

func (s *sieve) found(from, to int) bool {
	s.from, s.to = from, to
	return true
}

// meets reports whether something may be found in text[start:end]. The sieve goes on to
// it, so the places asked about have to come one after the other, or to hold those that
// come next.
func (s *sieve) meets(start, end int) bool {
	for s.to <= start {
		s.resume(s.to)
		if !s.find() {
			s.found(len(s.text), len(s.text)+1)
		}
	}
	return s.from < end
}

// pass tells that a text has been looked at that ends at an offset.
func (s *sieve) pass(end int) { s.to = max(s.to, end) }

// literals looks for literals that begin in the block at text[at].
func (s *sieve) literals(at int, b view.Block) bool {
	if at > s.waiting.until {
		s.waiting.rules = 0
	}
	inWord := s.inWord
	if !s.json && at%pieceLen == 0 { // a piece begins, perhaps inside of a word
		inWord = 0
	}
	signs := b.Marks &^ (b.Joints & s.filter.joints)
	words, more := b.Words(), s.next.Words()
	for all := s.suspects(at, b.Starts(inWord), signs); all != 0; all &= all - 1 {
		n := bits.TrailingZeros64(all)
		var found bool
		if signs>>n&1 != 0 {
			found = s.sign(at + n)
		} else {
			found = s.start(at+n, bits.TrailingZeros64(^(words>>n|more<<(view.BlockLen-n))|1<<8))
		}
		if found {
			return true
		}
	}
	return false
}

// suspects returns those of the starts of words and the signs in the block at text[at]
// with which literals may begin. It has no branches that depend on the words.
func (s *sieve) suspects(at int, starts, signs uint64) uint64 {
	var all uint64
	for m := signs; m != 0; m &= m - 1 {
		n := bits.TrailingZeros64(m)
		c := s.text[at+n]
		if c == '\\' || c < ' ' || at+n+minLiteral <= len(s.text) && s.filter.four.bit(hash4(four(s.text[at+n:])|fold4)) != 0 {
			all |= 1 << n
		}
	}
	for m := starts &^ signs; m != 0; m &= m - 1 {
		n := bits.TrailingZeros64(m)
		may := uint64(1)
		if at+n+8 <= len(s.text) {
			v := eight(s.text[at+n:]) | fold8
			may = s.filter.four.bit(hash4(uint32(v))) | s.filter.six.bit(hash6(v))
		}
		all |= may << n
	}
	return all
}

// start looks for literals that begin with the word at text[i], or right before it. The
// word has n bytes, or at least eight if n is 8.
func (s *sieve) start(i, n int) bool {
	if i+8 >= len(s.text) {
		return s.word(i, true)
	}
	w := s.memo.of(s.filter, wordKey(eight(s.text[i:])|fold8, n))
	onward := w.onward >> (s.text[i+onwardAt(n)] & 31) & 1
	led := w.led >> (s.text[max(i, 1)-1] & 31) & 1
	if uint64(w.near&s.waiting.rules)|uint64(w.acts|onward|led) == 0 {
		return false
	}
	if w.only == 0 || onward|led != 0 {
		return s.word(i, led != 0)
	}
	if i < s.tried || i == s.skip && i%pieceLen != 0 {
		return false
	}
	s.tried = i + 1
	return s.candidate(&s.filter.candidates[w.only-1], i)
}

// sign looks for literals that begin with the sign at text[i].
func (s *sieve) sign(i int) bool {
	if s.text[i] < ' ' { // it may fold to a digit, with which a word begins
		return s.word(i, true)
	}
	if s.text[i] != '\\' {
		return s.literal(i)
	}
	if s.json {
		return s.found(i, i+1)
	}
	if i+1 < len(s.text) && (s.text[i+1] == 'n' || s.text[i+1] == 'r' || s.text[i+1] == 't') {
		s.skip = i + 1 // as index.find does
		if s.skip%pieceLen == 0 && s.literal(s.skip) {
			return true
		}
		return i+2 < len(s.text) && alnum(s.text[i+2]) && s.literal(i+2)
	}
	return s.literal(i)
}

// word looks for literals that begin with the word at text[i], and, if it may be led,
// with what is right before it.
func (s *sieve) word(i int, led bool) bool {
	if i == s.skip && i%pieceLen != 0 {
		return false
	}
	if led {
		j := i
		for j > s.tried && j > i-s.filter.lead && !alnum(s.text[j-1]) {
			j--
		}
		for ; j < i; j++ {
			if s.literal(j) {
				return true
			}
		}
	}
	return s.literal(i)
}

// literal looks for literals that begin at text[at].
func (s *sieve) literal(at int) bool {
	if at < s.tried || at+minLiteral > len(s.text) {
		return false
	}
	s.tried = at + 1
	text := s.text[at:]
	g := s.filter.find(four(text) | fold4)
	if g == nil {
		return false
	}
	if !g.others && g.near&s.waiting.rules == 0 {
		return false
	}
	more := second4(text)
	for i, t := range s.filter.tails[g.from:g.to] {
		if more&t.mask != t.more {
			continue
		}
		if c := &s.filter.candidates[int(g.from)+i]; hasPrefixFold(text, c.text) && s.candidate(c, at) {
			return true
		}
	}
	return false
}

// candidate goes by the rules of a literal as [RuleSet.piece] does. It looks where any of
// the literals may lead to a look that it does not tell apart.
func (s *sieve) candidate(c *candidate, at int) bool {
	w := &s.waiting
	for m := c.announces; m != 0; m &= m - 1 {
		if s.promises(m, at, at) {
			return s.found(at, at+1)
		}
	}
	if c.overlaps != 0 && s.overlapsNear(at, c.overlaps) {
		return s.found(at, at+1)
	}
	end := at + len(c.text)
	for m := c.near & w.rules; m != 0; m &= m - 1 {
		p := w.last[bits.TrailingZeros64(uint64(m))]
		if p == at || !s.parted(p, at) && s.promises(m, p, end) {
			return s.found(p, p+1)
		}
	}
	w.rules &^= c.near & s.filter.single
	w.rules |= c.waits
	for m := c.waits; m != 0; m &= m - 1 {
		bit := bits.TrailingZeros64(uint64(m))
		w.last[bit] = at
		for i := bit; i < len(s.set.rules); i += 64 {
			w.until = max(w.until, at+s.set.rules[i].reach)
		}
	}
	return false
}

// overlapsNear reports whether a literal of near of the rules begins at or before
// text[at] and goes on there.
func (s *sieve) overlapsNear(at int, rules ruleBits) bool {
	for i := at; i >= 0 && at-i < s.filter.longestNear; i-- {
		if i%pieceLen != 0 && alnum(s.text[i]) && alnum(s.text[i-1]) && (i == 1 || s.text[i-2] != '\\') {
			continue
		}
		text := s.text[i:]
		g := s.filter.find(four(text) | fold4)
		if g == nil || g.near&rules == 0 {
			continue
		}
		for k := g.from; k < g.to; k++ {
			if c := &s.filter.candidates[k]; c.near&rules != 0 && i+len(c.text) > at && hasPrefixFold(text, c.text) {
				return true
			}
		}
	}
	return false
}

// parted reports whether text[i] and text[j] belong to different texts.
func (s *sieve) parted(i, j int) bool {
	return s.json && strings.IndexByte(s.text[i:j], '"') >= 0
}

// promises is [rule.promises] for the rules of the lowest bit of m and their literals of
// which the last is at text[last], and which reach up to end.
func (s *sieve) promises(m ruleBits, last, end int) bool {
	for i := bits.TrailingZeros64(uint64(m)); i < len(s.set.rules); i += 64 {
		r := s.set.rules[i]
		if last+r.reach < end {
			continue
		}
		from, to := max(0, min(last, end-r.reach)), min(len(s.text), last+r.reach)
		if n := strings.IndexByte(s.text[last:to], '"'); s.json && n > 0 {
			to = last + n
		}
		if to-from > maxReach || r.promises(s.text[from:to]) {
			return true
		}
	}
	return false
}
