package cmd

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/eaapl/handoff/cmd/internal/term"
	"github.com/eaapl/handoff/pkg/align"
)

// A wordRun is a part of two texts: the same in both, or what one has in the place
// of what the other has.
type wordRun struct {
	old, new string
	same     bool
}

// mostCompared is how many bytes two texts may have together whose words are
// compared.
const mostCompared = 16 << 20

// wordDiff compares two texts by words, or just by their ends if they are very
// long. The runs are both texts, in order; none is empty, and two of one sort never
// follow each other.
func wordDiff(old, new string) []wordRun {
	var d wordDiffer
	i, j := 0, 0 // how far the texts are compared
	if len(old)+len(new) <= mostCompared {
		a, b := words(old), words(new)
		for _, p := range align.Pairs(texts(a), texts(b)) {
			d.between(old[i:a[p.A].at], new[j:b[p.B].at])
			d.add(runLength{len(a[p.A].text), len(b[p.B].text), true})
			i, j = a[p.A].end(), b[p.B].end()
		}
	}
	d.between(old[i:], new[j:])
	return d.finish(old, new)
}

// A word is a run of letters and digits, or another character that is not white
// space, and where in the text it begins.
type word struct {
	text string
	at   int
}

func (w word) end() int { return w.at + len(w.text) }

// counts reports whether it is a word to people.
func (w word) counts() bool {
	r, _ := utf8.DecodeRuneInString(w.text)
	return unicode.IsLetter(r) || unicode.IsDigit(r)
}

func words(s string) []word {
	var list []word
	for at := 0; at < len(s); {
		r, n := utf8.DecodeRuneInString(s[at:])
		if inWord(r) {
			n = len(s) - at - len(strings.TrimLeftFunc(s[at:], inWord))
		}
		if !unicode.IsSpace(r) {
			list = append(list, word{s[at : at+n], at})
		}
		at += n
	}
	return list
}

func texts(list []word) []string {
	all := make([]string, len(list))
	for i, w := range list {
		all[i] = w.text
	}
	return all
}

// inWord reports whether a character makes words with its neighbours. In scripts
// without spaces each stands for itself.
func inWord(r rune) bool {
	return (unicode.IsLetter(r) || unicode.IsDigit(r) || unicode.IsMark(r)) && !unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana)
}

// A wordDiffer puts runs together. It knows them by their lengths, since they
// follow each other in the texts.
type wordDiffer struct{ runs []runLength }

type runLength struct {
	old, new int
	same     bool
}

// between adds what stands between two words that are the same. The white space
// around it may be the same too.
func (d *wordDiffer) between(old, new string) {
	head, tail := 0, 0
	if space := spaceBefore(old); space == spaceBefore(new) {
		head = len(space)
	}
	if space := spaceBehind(old[head:]); space == spaceBehind(new[head:]) {
		tail = len(space)
	}
	d.add(runLength{head, head, true})
	d.add(runLength{len(old) - head - tail, len(new) - head - tail, false})
	d.add(runLength{tail, tail, true})
}

func spaceBefore(s string) string { return s[:len(s)-len(strings.TrimLeftFunc(s, unicode.IsSpace))] }

func spaceBehind(s string) string { return s[len(strings.TrimRightFunc(s, unicode.IsSpace)):] }

// add appends a run, unless it is empty.
func (d *wordDiffer) add(r runLength) {
	if r.old == 0 && r.new == 0 {
		return
	}
	if last := len(d.runs) - 1; last >= 0 && d.runs[last].same == r.same {
		d.runs[last].extend(r)
		return
	}
	d.join()
	d.runs = append(d.runs, r)
}

func (r *runLength) extend(by runLength) {
	r.old += by.old
	r.new += by.new
}

// join makes one run of the last three, two changes and what is the same between
// them, if that is no longer than either: a few common words and spaces in two
// texts that have nothing to do with each other do not help to read them.
func (d *wordDiffer) join() {
	for n := len(d.runs); n >= 3 && !d.runs[n-1].same; n = len(d.runs) {
		before, between, behind := d.runs[n-3], d.runs[n-2], d.runs[n-1]
		if between.old > max(before.old, before.new) || between.old > max(behind.old, behind.new) {
			return
		}
		before.extend(between)
		before.extend(behind)
		d.runs = append(d.runs[:n-3], before)
	}
}

// longWord is from how many bytes on changes without white space are compared by
// their characters, and any changes from longText on.
const (
	longWord = 40
	longText = mostCompared / 4
)

func (d *wordDiffer) finish(old, new string) []wordRun {
	d.join()
	var list []wordRun
	for _, r := range d.runs {
		run := wordRun{old[:r.old], new[:r.new], r.same}
		old, new = old[r.old:], new[r.new:]
		if long := min(r.old, r.new); r.same || long < longWord || long < longText && strings.ContainsFunc(run.old, unicode.IsSpace) {
			list = appendRun(list, run)
			continue
		}
		head, tail := commonEnds(run.old, run.new)
		oldEnd, newEnd := len(run.old)-tail, len(run.new)-tail
		list = appendRun(list, wordRun{run.old[:head], run.new[:head], true})
		list = appendRun(list, wordRun{run.old[head:oldEnd], run.new[head:newEnd], false})
		list = appendRun(list, wordRun{run.old[oldEnd:], run.new[newEnd:], true})
	}
	return list
}

// appendRun appends a run, unless it is empty.
func appendRun(list []wordRun, r wordRun) []wordRun {
	if r.old == "" && r.new == "" {
		return list
	}
	if last := len(list) - 1; last >= 0 && list[last].same && r.same {
		list[last].old += r.old
		list[last].new += r.new
		return list
	}
	return append(list, r)
}

// commonEnds returns how many bytes of whole characters two texts have in common
// at their beginning, and of the rest at their end.
func commonEnds(a, b string) (head, tail int) {
	for head < len(a) && head < len(b) && a[head] == b[head] {
		head++
	}
	for head > 0 && (head < len(a) && !utf8.RuneStart(a[head]) || head < len(b) && !utf8.RuneStart(b[head])) {
		head--
	}
	for tail < len(a)-head && tail < len(b)-head && a[len(a)-1-tail] == b[len(b)-1-tail] {
		tail++
	}
	for tail > 0 && !utf8.RuneStart(a[len(a)-tail]) {
		tail--
	}
	return head, tail
}

// A piece is a part of a text that is shown in one way.
type piece struct {
	text          string
	sort          pieceSort
	before, after string // marks
}

type pieceSort int

const (
	keptText pieceSort = iota
	removedText
	addedText
	goneText // removed as a whole
	noteText // not of the text
)

// How many words are shown around changes, and of what changed at its beginning
// and end. Folding away just a few is not worth it.
const (
	contextWords  = 8
	changedHead   = 30
	changedTail   = 10
	fewWords      = 4
	longestPiece  = 400 // bytes
	longPieceHead = 100
	longPieceTail = 50
)

// pieces returns the runs as they are shown: both sides, or one. All but the
// changes and their surroundings is folded, unless all is to be shown. Changes are
// marked where colours do not show them.
func (t *diffText) pieces(runs []wordRun, old, new bool) []piece {
	var list []piece
	for i, r := range runs {
		head, tail := contextWords, contextWords
		if i == 0 {
			head = 0
		}
		if i == len(runs)-1 {
			tail = 0
		}
		if r.same {
			list = append(list, t.fold(piece{text: r.new, sort: keptText}, head, tail)...)
			continue
		}
		was, is := apart(r.old, r.new)
		if old {
			list = append(list, t.changed(piece{was, removedText, "[-", "-]"})...)
		}
		if new {
			list = append(list, t.changed(piece{is, addedText, "{+", "+}"})...)
		}
	}
	return list
}

func (t *diffText) changed(p piece) []piece {
	if t.On && strings.TrimSpace(p.text) != "" {
		p.before, p.after = "", ""
	}
	return t.fold(p, changedHead, changedTail)
}

// fold leaves out what is between the first and the last words of a piece, if that
// is much, and the middle of what is long for its words.
func (t *diffText) fold(p piece, head, tail int) []piece {
	if p.text == "" {
		return nil
	}
	if t.full {
		return []piece{p}
	}
	parts := []piece{p}
	list := slices.DeleteFunc(words(p.text), func(w word) bool { return !w.counts() })
	if hidden := len(list) - head - tail; hidden > fewWords {
		from, to := 0, len(p.text)
		if head > 0 {
			from = list[head-1].end()
		}
		if tail > 0 {
			to = list[len(list)-tail].at
		}
		parts = p.without(from, to, term.Plural(hidden, "word"))
	}
	var folded []piece
	for _, part := range parts {
		folded = append(folded, part.shorten()...)
	}
	return folded
}

func (p piece) shorten() []piece {
	if len(p.text) <= longestPiece {
		return []piece{p}
	}
	from, to := longPieceHead, len(p.text)-longPieceTail
	for !utf8.RuneStart(p.text[from]) {
		from--
	}
	for !utf8.RuneStart(p.text[to]) {
		to++
	}
	return p.without(from, to, term.Plural(to-from, "byte"))
}

// without returns the piece without some of it, and a note that says how much.
func (p piece) without(from, to int, what string) []piece {
	var list []piece
	if from > 0 || p.before != "" {
		list = append(list, piece{text: p.text[:from], sort: p.sort, before: p.before})
	}
	list = append(list, piece{text: "… " + what + " …", sort: noteText})
	if to < len(p.text) || p.after != "" {
		list = append(list, piece{text: p.text[to:], sort: p.sort, after: p.after})
	}
	return list
}
