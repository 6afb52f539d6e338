package yamldoc

import (
	"bytes"
	"cmp"
	"slices"
	"unicode/utf8"

	"github.com/eaapl/handoff/pkg/jsonstream"
)

// A Placed is a document with the places of its values in the original text.
type Placed struct {
	*jsonstream.Document // the text itself, or the translation of YAML

	places []place // of keys and values, in the order of the translation; nil for the text itself
	lines  lines
}

// A place is the start of a key or value.
type place struct {
	offset       int // in the translation
	line, column int // in the text
}

// ParsePlaced is [Parse] for reports with places in the text.
func ParsePlaced(text []byte) (*Placed, error) {
	if len(text) > MaxBytes {
		return nil, errTooLong
	}
	doc, syntax := jsonstream.Parse(jsonstream.NewRaw(text), jsonstream.Limits{})
	if syntax == nil {
		return &Placed{Document: doc}, nil
	}
	node, err := load(text)
	var t translation
	if err == nil {
		err = t.add(node)
	}
	if err != nil && bytes.HasPrefix(bytes.TrimSpace(text), []byte("{")) {
		return nil, syntax
	}
	if err != nil {
		return nil, err
	}
	doc, err = jsonstream.Parse(jsonstream.NewRaw(t.json), jsonstream.Limits{})
	if err != nil {
		return nil, err
	}
	return &Placed{doc, t.places, newLines(text)}, nil
}

// InText returns the place in the text for a place in the document. For a place inside a YAML scalar, it
// returns the start of the scalar.
func (p *Placed) InText(at jsonstream.Position) jsonstream.Position {
	if p.places == nil {
		return at
	}
	i, exact := slices.BinarySearchFunc(p.places, int(at.Offset), func(known place, offset int) int { return cmp.Compare(known.offset, offset) })
	if !exact {
		i = max(i-1, 0) // the root is at the beginning of the translation
	}
	known := p.places[i]
	return jsonstream.Position{Line: known.line, Column: known.column, Offset: p.lines.offset(known.line, known.column)}
}

// lines are the lines of a text, as YAML counts them.
type lines struct {
	text   []byte
	starts []int // the start of each line
}

func newLines(text []byte) lines {
	l := lines{text, []int{len(text) - len(bytes.TrimPrefix(text, []byte("\ufeff")))}}
	for i := 0; i < len(text); {
		r, size := utf8.DecodeRune(text[i:])
		i += size
		switch r {
		case '\r':
			if i < len(text) && text[i] == '\n' {
				continue
			}
		case '\n', '\u0085', '\u2028', '\u2029':
		default:
			continue
		}
		l.starts = append(l.starts, i)
	}
	return l
}

// offset returns the offset of a character in bytes, at most the length of the text.
func (l lines) offset(line, column int) int64 {
	if line < 1 || line > len(l.starts) {
		return int64(len(l.text))
	}
	at := l.starts[line-1]
	for range column - 1 {
		_, size := utf8.DecodeRune(l.text[at:])
		at += size
	}
	return int64(at)
}
