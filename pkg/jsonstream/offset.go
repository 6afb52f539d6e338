package jsonstream

// Offset returns the offset of the value in the bytes of its document, which must exist.
func (v Value) Offset() int { return int(v.node().start) }

// NameOffset returns the offset of a member's name, including its quote, in the bytes of its document.
func (v Value) NameOffset() int { return int(v.node().nameStart) }

// An Offsets converts offsets in a string's text to offsets in its quoted form.
type Offsets struct {
	quoted   []byte
	at, text int // an offset in quoted, and the corresponding offset in the text
}

// NewOffsets returns the Offsets of a quoted string of strict JSON.
func NewOffsets(quoted []byte) Offsets { return Offsets{quoted: quoted, at: 1} }

// Of returns the offset in the quoted string for an offset in its text; for a character written as an
// escape, the beginning of the escape. Ascending offsets take linear time in total.
func (o *Offsets) Of(offset int) int {
	if offset < o.text {
		o.at, o.text = 1, 0
	}
	for last := len(o.quoted) - 1; o.text < offset && o.at < last; {
		if o.quoted[o.at] != '\\' {
			o.at++
			o.text++
			continue
		}
		end := scanEscape(o.quoted, o.at)
		length := escapedLen(o.quoted[o.at:end])
		if o.text+length > offset {
			break
		}
		o.at = end
		o.text += length
	}
	return o.at
}
