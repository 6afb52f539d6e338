package compress

import "io"

// A UnitWriter writes units made by an [Encoder], one after another. It is not safe for concurrent
// use.
//
// The first bytes of the next unit follow each unit immediately, so that before Close the output
// always ends inside a unit: every reader reports the output of an interrupted run as truncated.
type UnitWriter struct {
	w       io.Writer
	encoder *Encoder
	last    []byte // the unit not yet followed by another
	begun   bool   // the first bytes of the next unit have been written
	err     error
}

// NewUnitWriter returns a writer of units, made by encoder, to w. The caller must call Close, which
// does not close w; without it the output is truncated.
func NewUnitWriter(w io.Writer, encoder *Encoder) *UnitWriter {
	return &UnitWriter{w: w, encoder: encoder}
}

// Write writes a unit, which must not be modified before the next call. After an error of w, every
// later call returns it.
func (w *UnitWriter) Write(unit []byte) error {
	err := w.Flush()
	w.last = unit
	return err
}

// Flush writes all buffered data and the first bytes of the next unit.
func (w *UnitWriter) Flush() error {
	if w.last != nil {
		w.put(w.last, w.encoder.format.magic)
		w.last = nil
	}
	return w.err
}

// put writes a unit and the bytes that follow it.
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

// Close writes all buffered data. If no unit was written, or the next one was begun, it writes an
// empty unit.
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
