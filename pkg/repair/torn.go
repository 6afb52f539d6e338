package repair

import (
	"bytes"
	"errors"
	"fmt"
	"slices"

	"github.com/eaapl/handoff/pkg/formats"
	"github.com/eaapl/handoff/pkg/jsonstream"
)

// Torn is what of JSON Lines is no line: whoever was ended while writing leaves the beginning of
// one, and a machine that lost its power zeros. Whoever writes next may go on right after it.
type Torn struct {
	Line  int // from 1
	Bytes int // how many were taken out
	last  bool
}

func (t Torn) step() Step {
	if t.last {
		return Step{cutOff, "", fmt.Sprintf("cut off the last line, which is not whole: %d bytes", t.Bytes)}
	}
	return Step{cutOff, "", fmt.Sprintf("took what is no whole line out of line %d: %d bytes", t.Line, t.Bytes)}
}

// cutOff is the rule that each line of JSON Lines is whole.
const cutOff = "lines/cut-off"

// Damage is what [Parse] took out of a text, for [Options.Damage].
type Damage struct {
	Torn []Torn
	text []byte // before that
}

// Parse is [jsonstream.Parse], but that it leaves out what is no line of JSON Lines: damage says
// what, nil if there is nothing. The error is that of [jsonstream.Parse] where not even half of the
// lines are whole, or something else is wrong with one.
func Parse(raw jsonstream.Raw, limits jsonstream.Limits) (doc *jsonstream.Document, damage *Damage, err error) {
	doc, err = jsonstream.Parse(raw, limits)
	if err == nil || !raw.Lines {
		return doc, nil, err
	}
	d := &Damage{text: raw.Bytes}
	var whole []byte
	var parser jsonstream.Parser
	lines := 0
	for number, rest := 1, raw.Bytes; len(rest) > 0; number++ {
		line := rest
		if end := bytes.IndexByte(rest, '\n'); end >= 0 {
			line = rest[:end+1]
		}
		rest = rest[len(line):]
		kept := line
		if _, failed := parser.Parse(jsonstream.NewRaw(line), limits); isWhole(failed) {
			return nil, nil, err
		} else if failed != nil && len(bytes.TrimSpace(line)) > 0 {
			kept = line[len(line)-len(lineIn(line, limits)):]
			d.Torn = append(d.Torn, Torn{number, len(line) - len(kept), len(rest) == 0 && len(kept) == 0})
		}
		if len(kept) > 0 {
			lines++
		}
		whole = append(whole, kept...)
	}
	if len(d.Torn) > lines {
		return nil, nil, err
	}
	raw.Bytes = whole
	if doc, failed := jsonstream.Parse(raw, limits); failed == nil {
		return doc, d, nil
	}
	return nil, nil, err
}

// isWhole reports whether an error is that of a line that nobody cut off.
func isWhole(err error) bool {
	return errors.Is(err, jsonstream.ErrTooLarge) || errors.Is(err, jsonstream.ErrTooDeep) || errors.Is(err, jsonstream.ErrDuplicateName)
}

// lineIn returns the end of a line that is a line itself, of a format whose messages are lines: it
// was written after the beginning of another. It is empty if there is none.
func lineIn(line []byte, limits jsonstream.Limits) []byte {
	const tries = 100
	for at, n := 1, 0; at < len(line) && n < tries; n++ {
		next := bytes.Index(line[at:], []byte(`{"`))
		if next < 0 {
			return nil
		}
		at += next
		if doc, err := jsonstream.Parse(jsonstream.NewRaw(line[at:]), limits); err == nil && isLine(doc.Root()) {
			return line[at:]
		}
		at++
	}
	return nil
}

// isLine reports whether a value has what every line of some format has.
func isLine(v jsonstream.Value) bool {
	for _, d := range formats.All() {
		if d.IsLines() && slices.ContainsFunc(d.Known.Lines, func(name string) bool { return v.Get(name).Exists() }) {
			return true
		}
	}
	return false
}
