package formats

import (
	"bytes"
	"slices"

	"github.com/eaapl/handoff/pkg/format"
	"github.com/eaapl/handoff/pkg/jsonstream"
)

// headBytes is the length of a line's prefix that is searched for the members of a format.
const headBytes = 4 << 10

// TakesLines returns a function that reports, by the first line of a file, whether all of its
// lines form one message (see [jsonstream.Splitter.TakeLines]) in the format f, or in any
// format if f is "".
func TakesLines(f format.Format) func(first []byte) bool {
	if f == "" {
		return beginsLines
	}
	ofLines := Named(f).IsLines()
	return func([]byte) bool { return ofLines }
}

// A Detector is [Detect] for JSON Lines that come in blocks (see [jsonstream.Blocks]). The zero value
// is ready to use.
type Detector struct{ all []candidate }

// Add examines the next block, whose document must stay valid, and reports whether the result is
// settled. The first block usually suffices.
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

// Format returns the format of the blocks, or false if no format fits.
func (d *Detector) Format() (format.Format, bool) {
	if c := best(d.all); c != nil {
		return c.Name, true
	}
	return "", false
}

// beginsLines reports whether first is the first line of a message in a format of lines.
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

// mentions reports whether one of the names is a member near the beginning of a line. It
// avoids parsing long documents just to detect their format.
func mentions(line []byte, names []string) bool {
	head := line[:min(len(line), headBytes)]
	for _, name := range names {
		if bytes.Contains(head, []byte(`"`+name+`"`)) {
			return true
		}
	}
	return false
}

// isMarked reports whether a document has a mark of a format that it could be a message of.
func isMarked(root jsonstream.Value) bool {
	found := count(root)
	for i, d := range All() {
		if found[i]&mark != 0 && (d.Known == nil || d.Known.Fit(root) != format.Foreign) {
			return true
		}
	}
	return false
}
