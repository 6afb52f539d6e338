// Package longlines reads JSON Lines that do not fit in memory: in blocks on all cores, and then
// selected lines again.
package longlines

import (
	"bytes"
	"errors"
	"io"
	"runtime"

	"github.com/eaapl/handoff/pkg/jsonstream"
)

// ErrChanged reports a text that changed between two reads.
var ErrChanged = errors.New("the file changed while it was read: read it again")

// A Text is a file of JSON Lines. It is safe for concurrent use.
type Text struct {
	jsonstream.LinesFile
	Limits jsonstream.Limits
}

func (t Text) blocks() *jsonstream.Blocks {
	return jsonstream.NewBlocks(io.NewSectionReader(t.In, t.Start.Offset, t.End-t.Start.Offset), t.Start, t.Limits)
}

// Places are the positions of the lines of a text, 16 bytes each.
type Places struct {
	offsets []int64
	lines   []int32
	lengths []uint32
	columns map[int]int // of lines that begin after very much white space
}

// Len returns the number of lines that are not blank.
func (p *Places) Len() int { return len(p.offsets) }

// Length returns the length of a line in bytes, without its line end.
func (p *Places) Length(index int) int64 { return int64(p.lengths[index]) }

// Offset returns the offset of a line.
func (p *Places) Offset(index int) int64 { return p.offsets[index] }

// add adds the lines of a block.
func (p *Places) add(doc *jsonstream.Document) {
	raw := doc.Raw()
	line, counted := raw.Start.Line, 0
	for index, v := range doc.Root().Elements() {
		line += bytes.Count(raw.Bytes[counted:v.Offset()], []byte{'\n'})
		counted = v.Offset()
		begin := bytes.LastIndexByte(raw.Bytes[:v.Offset()], '\n') + 1
		if begin == 0 && raw.Start.Column > 1 {
			if p.columns == nil {
				p.columns = map[int]int{}
			}
			p.columns[index] = raw.Start.Column
		}
		p.offsets = append(p.offsets, raw.Start.Offset+int64(begin))
		p.lines = append(p.lines, int32(line))
		p.lengths = append(p.lengths, uint32(v.Offset()+len(v.Raw())-begin))
	}
}

// addAll adds the lines of the next block, collected by add.
func (p *Places) addAll(more Places) {
	p.offsets = append(p.offsets, more.offsets...)
	p.lines = append(p.lines, more.lines...)
	p.lengths = append(p.lengths, more.lengths...)
	for index, column := range more.columns {
		if p.columns == nil {
			p.columns = map[int]int{}
		}
		p.columns[index] = column
	}
}

// Read calls work with each block of a text, on all cores, and passes what work returns to take, in
// order. A document is valid only during the call to work. It returns the places of the lines. The
// error is the [*jsonstream.SyntaxError] of parsing the whole text, or that of the reader or take.
func Read[R any](t Text, work func(*jsonstream.Document) R, take func(R) error) (*Places, error) {
	type result struct {
		of     R
		places Places
		err    error
	}
	blocks := t.blocks()
	places := &Places{}
	err := Ordered(blocks.Next, func(raw jsonstream.Raw) (r result) {
		var doc *jsonstream.Document
		if doc, r.err = jsonstream.Parse(raw, t.Limits); r.err == nil {
			r.places.add(doc)
			r.of = work(doc)
		}
		return r
	}, func(r result) error {
		if r.err != nil {
			return r.err
		}
		places.addAll(r.places)
		return take(r.of)
	})
	return places, err
}

// Lines returns the values of some lines, with their positions in the whole text. They are valid
// until the parsers are used again; there will be at least as many parsers as lines. The error is
// that of the reader, or [ErrChanged].
func (t Text) Lines(p *Places, indices []int, parsers *[]jsonstream.Parser) ([]jsonstream.Value, error) {
	for len(*parsers) < len(indices) {
		*parsers = append(*parsers, jsonstream.Parser{})
	}
	size := int64(0)
	for _, index := range indices {
		size += p.Length(index)
	}
	text := make([]byte, 0, size)
	values := make([]jsonstream.Value, len(indices))
	for i, index := range indices {
		begin := len(text)
		text = text[:begin+int(p.Length(index))]
		line := text[begin:]
		if _, err := t.In.ReadAt(line, p.offsets[index]); err != nil && !errors.Is(err, io.EOF) {
			return nil, err
		}
		at := jsonstream.Position{Line: int(p.lines[index]), Column: 1, Offset: p.offsets[index]}
		if column := p.columns[index]; column > 0 {
			at.Column = column
		}
		doc, err := (*parsers)[i].Parse(jsonstream.Raw{Bytes: line, Start: at, Lines: true, First: index, More: true}, t.Limits)
		if err != nil || doc.Root().Len() != 1 {
			return nil, ErrChanged
		}
		values[i] = doc.Root().First()
	}
	return values, nil
}

// Ordered calls next until it returns an error, calls work with each result, on all cores, and
// passes what work returns to take, in order. Only a few are in memory at once. The error is that
// of take, or of next unless it is [io.EOF].
func Ordered[T, R any](next func() (T, error), work func(T) R, take func(R) error) error {
	workers := runtime.GOMAXPROCS(0)
	slots := make(chan struct{}, workers)
	var waiting []chan R
	first := func() error {
		r := <-waiting[0]
		waiting = waiting[1:]
		return take(r)
	}
	for {
		item, err := next()
		if err != nil {
			for len(waiting) > 0 {
				if err := first(); err != nil {
					return err
				}
			}
			if errors.Is(err, io.EOF) {
				err = nil
			}
			return err
		}
		if len(waiting) == 2*workers {
			if err := first(); err != nil {
				return err
			}
		}
		done := make(chan R, 1)
		waiting = append(waiting, done)
		slots <- struct{}{}
		go func() {
			done <- work(item)
			<-slots
		}()
	}
}
