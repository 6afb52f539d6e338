package compress

import "io"

// A UnitWriter writes units that an [Encoder] made, one after the other. It is not safe for
// concurrent use.
//
// A unit is followed by the first bytes of the next one at once, so that the output always ends
// inside a unit before Close: every reader reports the output of an interrupted run as cut off.
type UnitWriter struct {
	w       io.Writer
	encoder *Encoder
	last    []byte // the unit that nothing has followed yet
	begun   bool   // the first bytes of the next unit have been written
	err     error
}

// NewUnitWriter returns a writer of units that encoder made to w. The caller ends it with Close,
// which does not close w; without Close, what was written is cut off.
func NewUnitWriter(w io.Writer, encoder *Encoder) *UnitWriter {
	return &UnitWriter{w: w, encoder: encoder}
}

// Write writes a unit. Nothing may change its bytes before the next call. An error is that of w;
// every later call returns it again.
func (w *UnitWriter) Write(unit []byte) error {
	err := w.Flush()
	w.last = unit
	return err
}

// Flush writes out everything, and the first bytes of the next unit.
func (w *UnitWriter) Flush() error {
	if w.last != nil {
		w.put(w.last, w.encoder.format.magic)
		w.last = nil
	}
	return w.err
}

// put writes a unit, and what is to follow it.
func (w *UnitWriter) put(unit []byte, next string) {
	if w.begun {
		unit = unit[len(w.encoder.format.magic):]
	}
	w.begun = next != ""
	if w.err == nil {
		_, w.err = w.w.Write(unit)
	}
	if w.err == nil {
		_, w.err = io.WriteString(w.w, next)
	}
}

// Close writes out everything. Units of nothing at all are an empty unit, as is one that was begun.
func (w *UnitWriter) Close() error {
	if w.err == errClosed {
		return nil
	}
	if w.last == nil {
		w.last = w.encoder.Append(nil, nil)
	}
	if w.put(w.last, ""); w.err != nil {
		return w.err
	}
	w.err = errClosed
	return nil
}
