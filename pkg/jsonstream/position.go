package jsonstream

import (
	"bytes"
	"encoding/binary"
	"math/bits"
	"unicode/utf8"
)

// A Position is a place in the original text, after decompression.
type Position struct {
	Line   int   // 1-based
	Column int   // 1-based, in characters (Unicode code points)
	Offset int64 // 0-based, in bytes
}

// advance returns the position after text, which begins at p.
func (p Position) advance(text []byte) Position {
	if n := bytes.Count(text, newline); n > 0 {
		p.Line += n
		p.Column = 1
		p.Offset += int64(bytes.LastIndexByte(text, '\n') + 1)
		text = text[bytes.LastIndexByte(text, '\n')+1:]
	}
	p.Column += len(text) - continuations(text)
	p.Offset += int64(len(text))
	return p
}

// continuations counts UTF-8 continuation bytes, which have no column of their own, even if text is cut
// inside a character. It processes eight bytes at a time.
func continuations(text []byte) int {
	const lows = 0x0101010101010101
	n := 0
	for ; len(text) >= 8; text = text[8:] {
		x := binary.LittleEndian.Uint64(text)
		n += bits.OnesCount64(x >> 7 &^ (x >> 6) & lows)
	}
	for _, c := range text {
		if !utf8.RuneStart(c) {
			n++
		}
	}
	return n
}

var newline = []byte{'\n'}

func positionAt(raw Raw, offset int) Position {
	return raw.Start.advance(raw.Bytes[:offset])
}

// checkpointEvery is the maximum number of bytes that one look-up of a position counts: the cost of a
// document with many findings must not be findings times size.
const checkpointEvery = 4096

// positionAt returns the position of a byte of the document.
func (d *Document) positionAt(offset int) Position {
	if offset < checkpointEvery {
		return positionAt(d.raw, offset)
	}
	d.checkpointsOnce.Do(func() {
		at := d.raw.Start
		for from := 0; from < len(d.raw.Bytes); from += checkpointEvery {
			d.checkpoints = append(d.checkpoints, at)
			at = at.advance(d.raw.Bytes[from:min(from+checkpointEvery, len(d.raw.Bytes))])
		}
	})
	i := offset / checkpointEvery
	if i >= len(d.checkpoints) {
		return positionAt(d.raw, offset)
	}
	return d.checkpoints[i].advance(d.raw.Bytes[i*checkpointEvery : offset])
}
