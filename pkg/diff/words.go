package diff

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/eaapl/handoff/pkg/internal/align"
)

// A Run is a part of two texts: common to both, or a differing part of each.
type Run struct {
	Old, New string
	Same     bool
}

// maxCompared is the maximum total size of two texts, in bytes, for comparing their words.
const maxCompared = 16 << 20

// Words compares two texts by words, or only by their ends if they are very long. The
// runs cover both texts, in order; none is empty, and two of one kind are never adjacent.
func Words(old, new string) []Run {
	var d runJoiner
	i, j := 0, 0 // ends of the compared parts
	if len(old)+len(new) <= maxCompared {
		a, b := SplitWords(old), SplitWords(new)
		for _, p := range align.Pairs(wordTexts(a), wordTexts(b)) {
			d.between(old[i:a[p.A].At], new[j:b[p.B].At])
			d.add(runLength{len(a[p.A].Text), len(b[p.B].Text), true})
			i, j = a[p.A].End(), b[p.B].End()
		}
	}
	d.between(old[i:], new[j:])
	return d.finish(old, new)
}

// A Word is the unit that [Words] compares: adjacent letters and digits, or one other
// character that is not white space.
type Word struct {
	Text string
	At   int // the byte of the text at which it begins
}

// End returns the offset after the word.
func (w Word) End() int { return w.At + len(w.Text) }

// Counts reports whether the word contains letters or digits.
func (w Word) Counts() bool {
	r, _ := utf8.DecodeRuneInString(w.Text)
	return unicode.IsLetter(r) || unicode.IsDigit(r)
}

// SplitWords returns the words of a text in order.
func SplitWords(s string) []Word {
	var list []Word
	for at := 0; at < len(s); {
		r, n := utf8.DecodeRuneInString(s[at:])
		if inWord(r) {
			n = len(s) - at - len(strings.TrimLeftFunc(s[at:], inWord))
		}
		if !unicode.IsSpace(r) {
			list = append(list, Word{s[at : at+n], at})
		}
		at += n
	}
	return list
}

func wordTexts(list []Word) []string {
	all := make([]string, len(list))
	for i, w := range list {
		all[i] = w.Text
	}
	return all
}

// inWord reports whether a character is part of a longer word. In scripts without spaces
// each is a word.
func inWord(r rune) bool {
	return (unicode.IsLetter(r) || unicode.IsDigit(r) || unicode.IsMark(r)) && !unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana)
}

// A runJoiner joins runs. It needs only the lengths of the runs, because they cover the texts.
type runJoiner struct{ runs []runLength }

type runLength struct {
	old, new int
	same     bool
}

// between adds the text between two equal words. The white space around it may be equal too.
func (d *runJoiner) between(old, new string) {
	head, tail := 0, 0
	if space := spaceBefore(old); space == spaceBefore(new) {
		head = len(space)
	}
	if space := spaceAfter(old[head:]); space == spaceAfter(new[head:]) {
		tail = len(space)
	}
	d.add(runLength{head, head, true})
	d.add(runLength{len(old) - head - tail, len(new) - head - tail, false})
	d.add(runLength{tail, tail, true})
}

func spaceBefore(s string) string { return s[:len(s)-len(strings.TrimLeftFunc(s, unicode.IsSpace))] }

func spaceAfter(s string) string { return s[len(strings.TrimRightFunc(s, unicode.IsSpace)):] }

// add appends a run, unless it is empty.
func (d *runJoiner) add(r runLength) {
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

// join merges the last three runs, two changes and the common part between them, if the common
// part is not longer than either: a few common words and spaces in two unrelated texts do not
// help a reader.
func (d *runJoiner) join() {
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

// Changes of at least wholeWord bytes are compared by characters if they have no white space,
// and changes of at least longText bytes in any case.
const (
	wholeWord = 40
	longText  = maxCompared / 4
)

func (d *runJoiner) finish(old, new string) []Run {
	d.join()
	var list []Run
	for _, r := range d.runs {
		run := Run{old[:r.old], new[:r.new], r.same}
		old, new = old[r.old:], new[r.new:]
		if long := min(r.old, r.new); r.same || long < wholeWord || long < longText && strings.ContainsFunc(run.Old, unicode.IsSpace) {
			list = appendRun(list, run)
			continue
		}
		head, tail := commonEnds(run.Old, run.New)
		oldEnd, newEnd := len(run.Old)-tail, len(run.New)-tail
		list = appendRun(list, Run{run.Old[:head], run.New[:head], true})
		list = appendRun(list, Run{run.Old[head:oldEnd], run.New[head:newEnd], false})
		list = appendRun(list, Run{run.Old[oldEnd:], run.New[newEnd:], true})
	}
	return list
}

// appendRun appends a run, unless it is empty.
func appendRun(list []Run, r Run) []Run {
	if r.Old == "" && r.New == "" {
		return list
	}
	if last := len(list) - 1; last >= 0 && list[last].Same && r.Same {
		list[last].Old += r.Old
		list[last].New += r.New
		return list
	}
	return append(list, r)
}

// commonEnds returns the lengths, in bytes of whole characters, of the common beginning of two
// texts and of the common end of the rest.
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
