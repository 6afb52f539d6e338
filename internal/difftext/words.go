package difftext

import (
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/eaapl/handoff/internal/term"
	"github.com/eaapl/handoff/pkg/diff"
)

// A piece is a part of a text in one style.
type piece struct {
	text          string
	sort          pieceSort
	before, after string // markers around it
}

type pieceSort int

const (
	keptText pieceSort = iota
	removedText
	addedText
	goneText // removed entirely
	noteText // a note, not text of the value
)

// The numbers of words to show around changes and, of changed text, at its beginning and end. A few
// additional words are not folded.
const (
	contextWords  = 8
	changedHead   = 30
	changedTail   = 10
	fewWords      = 4
	maxPiece      = 400 // in bytes
	longPieceHead = 100
	longPieceTail = 50
)

// pieces returns the pieces of the runs of both sides, or of one. It folds unchanged text away from changes
// unless all text is shown, and marks changes if the output has no colours.
func (t *printer) pieces(runs []diff.Run, old, new bool) []piece {
	var list []piece
	for i, r := range runs {
		head, tail := contextWords, contextWords
		if i == 0 {
			head = 0
		}
		if i == len(runs)-1 {
			tail = 0
		}
		if r.Same {
			list = append(list, t.fold(piece{text: r.New, sort: keptText}, head, tail)...)
			continue
		}
		was, is := apart(r.Old, r.New)
		if old {
			list = append(list, t.changed(piece{was, removedText, "[-", "-]"})...)
		}
		if new {
			list = append(list, t.changed(piece{is, addedText, "{+", "+}"})...)
		}
	}
	return list
}

func (t *printer) changed(p piece) []piece {
	if t.On && strings.TrimSpace(p.text) != "" {
		p.before, p.after = "", ""
	}
	return t.fold(p, changedHead, changedTail)
}

// fold leaves out the text between the first and the last words of a piece if it is long, and the middle of a
// piece with long words.
func (t *printer) fold(p piece, head, tail int) []piece {
	if p.text == "" {
		return nil
	}
	if t.Full {
		return []piece{p}
	}
	parts := []piece{p}
	list := slices.DeleteFunc(diff.SplitWords(p.text), func(w diff.Word) bool { return !w.Counts() })
	if hidden := len(list) - head - tail; hidden > fewWords {
		from, to := 0, len(p.text)
		if head > 0 {
			from = list[head-1].End()
		}
		if tail > 0 {
			to = list[len(list)-tail].At
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
	if len(p.text) <= maxPiece {
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

// without returns the piece without a part, and with a note on its size.
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
