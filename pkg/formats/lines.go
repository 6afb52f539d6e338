package formats

import (
	"bytes"
	"slices"

	"github.com/eaapl/handoff/pkg/format"
	"github.com/eaapl/handoff/pkg/jsonstream"
)

// headBytes is how much of a line is searched for the members that those of a format have.
const headBytes = 4 << 10

// TakesLines returns a function that reports, by the first line of a file, whether all of its
// lines are one message (see [jsonstream.Splitter.TakeLines]): in a format, or in any that they
// look like if f is "".
func TakesLines(f format.Format) func(first []byte) bool {
	if f == "" {
		return beginsLines
	}
	ofLines := Named(f).IsLines()
	return func([]byte) bool { return ofLines }
}

// A Detector is [Detect] for JSON Lines that come in blocks (see [jsonstream.Blocks]). The zero value
// has seen none.
type Detector struct{ all []candidate }

// Add looks at the next block, whose document must stay valid, and reports whether those after it
// make no difference. Usually the first tells.
func (d *Detector) Add(root jsonstream.Value) (settled bool) {
	if d.all == nil {
		found := count(root)
		d.all = candidates(root, &found)
	} else {
		for i := range d.all {
			d.all[i].look(root)
		}
	}
	return !slices.ContainsFunc(d.all, func(c candidate) bool { return !c.settled })
}

// Format returns the format of the blocks, false if they are in none.
func (d *Detector) Format() (format.Format, bool) {
	if c := best(d.all); c != nil {
		return c.Name, true
	}
	return "", false
}

// beginsLines reports whether a line is the first of a message that is lines.
func beginsLines(first []byte) bool {
	var p jsonstream.Parser
	var doc *jsonstream.Document
	for _, d := range All() {
		if d.Known == nil || !mentions(first, d.Known.Lines) {
			continue
		}
		if doc == nil {
			var err error
			if doc, err = p.Parse(jsonstream.NewRaw(first), jsonstream.Unlimited()); err != nil {
				return false
			}
		}
		if fit := d.Known.Fit(doc.Root()); (fit == format.Typical || fit == format.Beside) && !isMarked(doc.Root()) {
			return true
		}
	}
	return false
}

// mentions reports whether one of the names is that of a member near the beginning of a line:
// reading a long document for nothing would take as long as reading it.
func mentions(line []byte, names []string) bool {
	head := line[:min(len(line), headBytes)]
	for _, name := range names {
		if bytes.Contains(head, []byte(`"`+name+`"`)) {
			return true
		}
	}
	return false
}

// isMarked reports whether a document has the mark of a format, whose messages it could be one
// of.
func isMarked(root jsonstream.Value) bool {
	found := count(root)
	for i, d := range All() {
		if found[i]&mark != 0 && (d.Known == nil || d.Known.Fit(root) != format.Foreign) {
			return true
		}
	}
	return false
}
