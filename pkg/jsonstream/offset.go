package jsonstream

// Offset returns where the value begins in the bytes of its document, which must exist.
func (v Value) Offset() int { return int(v.node().start) }

// NameOffset returns where the name of a member begins in the bytes of its document, with
// its quote.
func (v Value) NameOffset() int { return int(v.node().nameStart) }

// An Offsets finds characters of a quoted string in its spelling.
type Offsets struct {
	quoted   []byte
	at, text int // a place in quoted, and the offset of the text that it is of
}

// NewOffsets returns the offsets of a quoted string of strict JSON.
func NewOffsets(quoted []byte) Offsets { return Offsets{quoted: quoted, at: 1} }

// Of returns where in the quoted string the byte at an offset of its text is; in an escape,
// where that begins. Offsets that grow are found in linear time altogether.
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
