package summarize

import (
	"iter"
	"slices"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"
)

// A FactKind is the kind of a fact.
type FactKind string

// The kinds of facts.
const (
	Identifier FactKind = "identifier" // the name of one thing: "INV-2041", a path, an address
	Figure     FactKind = "figure"     // an amount, a date, a time, a version
	Flag       FactKind = "flag"       // a sentence about a flag, block, approval or refusal
	Warning    FactKind = "warning"    // a sentence with a danger or a prohibition
)

// A Fact is a part of a text that later agents must not lose.
type Fact struct {
	Kind FactKind
	// Text is the fact as written, a sentence cut to about 160 bytes.
	Text string
	// Sums are the sums that [Has] looks for. They are valid until the next fact is
	// yielded.
	Sums []uint32
}

// Facts yields the facts of a text in order, a sentence before its figures. A repeated fact is
// yielded each time. It reads JSON in the text, with its escapes. Questions, and tokens too long for
// a fact, such as base64, are skipped; code and logs only yield identifiers. A level without a time,
// such as "WARNING:", does not make a sentence a log line.
func Facts(text string) iter.Seq[Fact] {
	return func(yield func(Fact) bool) {
		f := finders.Get().(*finder)
		f.yield, f.stopped, f.inBlob = yield, false, false
		f.splitter.split(text)
		f.yield = nil
		if !f.stopped { // otherwise the caller may still use the last fact
			finders.Put(f)
		}
	}
}

// finders are reusable finders: most texts are smaller than a finder.
var finders = sync.Pool{New: func() any {
	f := &finder{table: cues()}
	f.splitter = splitter{emit: f.unit, spaces: true}
	return f
}}

// AppendSums appends the sums of the words of text to dst, unordered and with duplicates. [Has]
// takes the sums of all known texts, sorted together:
//
//	known := AppendSums(AppendSums(nil, summary), state)
//	slices.Sort(known)
func AppendSums(dst []uint32, text string) []uint32 {
	if strings.IndexByte(text, '{') < 0 && strings.IndexByte(text, '[') < 0 {
		return appendSums(dst, text) // no JSON: the ends of units make no difference
	}
	s := splitter{emit: func(text string, _ kind) { dst = appendSums(dst, text) }, spaces: true}
	s.split(text)
	return dst
}

// Has reports whether a fact occurs in the texts whose sorted sums are known. An identifier or
// figure must occur completely, though amounts may be punctuated differently; a sentence occurs if
// at least three in five of its words do.
func Has(known []uint32, f Fact) bool {
	missing := 0
	for _, sum := range f.Sums {
		if _, ok := slices.BinarySearch(known, sum); !ok {
			missing++
		}
	}
	if f.Kind == Identifier || f.Kind == Figure {
		return missing == 0
	}
	return missing*5 <= len(f.Sums)*2
}

// A finder finds the facts of units.
type finder struct {
	splitter splitter
	table    *lexicon
	yield    func(Fact) bool
	stopped  bool
	inBlob   bool   // the previous unit was cut inside a blob
	words    []word // content words of a piece
	sums     []uint32
}

// A word is the position of a token in its unit, which is small.
type word struct {
	from, to uint16
	isFact   bool
}

// unit yields the facts of a unit.
func (f *finder) unit(text string, k kind) {
	if f.stopped {
		return
	}
	isCut := len(text) > maxUnit-utf8.UTFMax && !strings.ContainsAny(text[maxUnit/2:], " \n\t")
	if k == row && strings.Contains(text, ". ") || k == logged && isSpoken(text) {
		f.splitter.sentences(text) // with many figures, or a leading level
		f.inBlob = isCut
		return
	}
	if k == code && !strings.ContainsAny(text, "=(){}<>[]") {
		k = prose // indented, or ending in a semicolon
	}
	var said class
	begin, inKey := 0, k == data
	r := reader{text: text, table: f.table}
	var t token
	for r.next(&t) && t.end > t.start {
		mark := text[t.end-1]
		isKey := k == data && mark == ':'
		isPart := f.inBlob && t.start == 0 || isCut && t.end == len(text)
		isBlob := isPart || t.to-t.from > maxToken
		is := !isKey && !isBlob && isFact(text, &t, k)
		if is || !isBlob && t.classes&stop == 0 {
			f.words = append(f.words, word{uint16(t.from), uint16(t.to), is})
		}
		if !inKey {
			said |= t.classes
		}
		inKey = inKey && !isKey
		if k == data && mark == ';' {
			f.piece(text, begin, t.end, k, said)
			begin, said, inKey = t.end, 0, true
		}
	}
	f.piece(text, begin, len(text), k, said)
	f.inBlob = isCut
}

// isSpoken reports whether a line that looks like a log line is prose: a level without a time, a
// colon and some words.
func isSpoken(line string) bool {
	const fewestWords = 4
	level, said, _ := strings.Cut(line, ": ")
	if strings.Trim(level, "ABCDEFGHIJKLMNOPQRSTUVWXYZ") != "" {
		return false
	}
	words := 0
	for w := range strings.FieldsSeq(said) {
		if strings.IndexFunc(strings.TrimRight(w, ".,;:!?"), func(r rune) bool { return !unicode.IsLetter(r) }) < 0 {
			words++
		}
	}
	return words >= fewestWords
}

// piece yields a piece of a unit as a sentence, if it is worth keeping, and then its figures and
// identifiers.
func (f *finder) piece(text string, start, end int, k kind, said class) {
	piece := strings.Trim(text[start:end], "; \t\n")
	if said&(warning|ban|flag) != 0 && k != code && k != logged && !strings.HasSuffix(piece, "?") {
		f.sums = f.sums[:0]
		for _, w := range f.words {
			f.sums = appendSums(f.sums, text[w.from:w.to])
		}
		switch {
		case len(f.sums) < minWords:
		case said&flag != 0:
			f.give(Flag, cutSentence(piece))
		default:
			f.give(Warning, cutSentence(piece))
		}
	}
	for _, w := range f.words {
		if !w.isFact {
			continue
		}
		text := text[w.from:w.to]
		if f.sums = appendSums(f.sums[:0], text); len(f.sums) > 0 {
			f.give(kindOf(text), text)
		}
	}
	f.words = f.words[:0]
}

func (f *finder) give(k FactKind, text string) {
	f.stopped = f.stopped || !f.yield(Fact{Kind: k, Text: text, Sums: f.sums})
}

// minWords is the minimum number of content words in a sentence.
const minWords = 3

// cutSentence shortens a sentence at white space.
func cutSentence(text string) string {
	if len(text) <= maxToken {
		return text
	}
	cut := strings.LastIndexByte(text[:maxToken], ' ')
	if cut < 0 {
		for cut = maxToken; !utf8.RuneStart(text[cut]); {
			cut--
		}
	}
	return text[:cut]
}

// isFact reports whether a token is a figure or an identifier, and not a word, a name or a number
// that may be a mere count.
func isFact(text string, t *token, k kind) bool {
	switch w := weigh(text, t, true); {
	case w < 120:
		return false
	case t.digits == 1 && (t.traits&letters == 0 || t.first == digit && t.to-t.from <= 3):
		return t.traits&(sign|hash) != 0 // not "4", "4th" and "3x"
	case k == code || k == logged:
		return t.digits > 2 && kindOf(text[t.from:t.to]) == Identifier
	default:
		return true
	}
}

// kindOf distinguishes figures, which may be followed by a unit, from identifiers.
func kindOf(text string) FactKind {
	figure := strings.TrimLeft(text, "$€£¥§+-.~")
	if figure == "" || !isDigit(figure[0]) {
		return Identifier
	}
	for range 3 {
		figure = strings.TrimRightFunc(figure, func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) })
		if _, size := utf8.DecodeLastRuneInString(figure); !isDigit(figure[len(figure)-1]) {
			figure = figure[:len(figure)-size]
		}
	}
	if strings.IndexFunc(figure, func(r rune) bool { return unicode.IsLetter(r) && r != 'T' }) >= 0 {
		return Identifier
	}
	return Figure
}
