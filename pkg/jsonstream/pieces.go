package jsonstream

import (
	"bytes"
	"errors"
	"iter"
)

// maxPieces bounds the work on one damaged line.
const maxPieces = 100

// Pieces divides a damaged line of JSON Lines into whole documents and the text between them, in order.
// A writer that was killed leaves a document without its end, and the next one follows without a line end.
// isLine reports whether a document is a line rather than a value within a cut one.
func Pieces(line []byte, limits Limits, isLine func(Value) bool) iter.Seq2[[]byte, bool] {
	return func(yield func(piece []byte, whole bool) bool) {
		var parser Parser
		begin := 0 // of the text that is no document
		for at, n := 0, 0; at < len(line) && n < maxPieces; n++ {
			end := 0
			doc, err := parser.Parse(NewRaw(line[at:]), limits)
			if bad := (*SyntaxError)(nil); errors.As(err, &bad) && bad.Offset > 0 && bad.Offset < int64(len(line)-at) {
				end = int(bad.Offset)
				doc, err = parser.Parse(NewRaw(line[at:at+end]), limits)
			} else {
				end = len(line) - at
			}
			if err == nil && doc.Root().Kind() == Object && isLine(doc.Root()) {
				if begin < at && !yield(line[begin:at], false) || !yield(line[at:at+end], true) {
					return
				}
				at += end
				begin = at
				continue
			}
			next := bytes.Index(line[at+1:], []byte(`{"`))
			if next < 0 {
				break
			}
			at += 1 + next
		}
		if len(bytes.TrimSpace(line[begin:])) > 0 {
			yield(line[begin:], false)
		}
	}
}
