package jsonstream

import "bytes"

// appendLines appends the text of a draft that is JSON Lines, whose elements may be nested up to depth. An
// existing line keeps the white space around its value; a new line ends like the first line of the
// document.
func (d *Draft) appendLines(dst []byte, depth int) ([]byte, error) {
	base := d.base()
	text := base.Raw()
	if d.now == nil || !d.now.open {
		return append(dst, text...), nil
	}
	ending := newline
	if n := bytes.IndexByte(text, '\n'); n > 0 && text[n-1] == '\r' {
		ending = []byte("\r\n")
	}
	begin := len(dst)
	for _, child := range d.now.children {
		if n := len(dst); n > begin && dst[n-1] != '\n' {
			dst = append(dst, ending...)
		}
		before, after := []byte(nil), ending
		v := child.was
		stays := v.doc == base.doc && v.node().parent == base.i
		if stays {
			before, after = v.line()
		}
		dst = append(dst, before...)
		from := len(dst)
		var err error
		if dst, err = child.append(dst, depth); err != nil {
			return nil, err
		}
		if (!stays || child.now != nil) && bytes.ContainsAny(dst[from:], "\r\n") {
			dst = AppendCompact(dst[:from], dst[from:]) // in place: compact text is never longer
		}
		dst = append(dst, after...)
	}
	return dst, nil
}

// appendArray appends JSON Lines as an array.
func (d *Draft) appendArray(dst []byte, depth int) ([]byte, error) {
	if depth == 0 {
		return nil, ErrTooDeep
	}
	dst = append(dst, '[')
	begin := len(dst)
	for _, child := range d.Children() {
		if len(dst) > begin {
			dst = append(dst, ',')
		}
		var err error
		if dst, err = child.append(dst, depth-1); err != nil {
			return nil, err
		}
	}
	return append(dst, ']'), nil
}

// line returns the text around the value of an element of JSON Lines: before it, from the end of the
// previous line that is not blank, and after it, to the end of its own line. The text after the last
// element extends to the end of the document.
func (v Value) line() (before, after []byte) {
	text, n := v.doc.raw.Bytes, v.node()
	from := int(n.start)
	for from > 0 && isSpace(text[from-1]) {
		from--
	}
	if from > 0 {
		from += bytes.IndexByte(text[from:], '\n') + 1
	}
	end := skipSpace(text, int(n.end))
	if end < len(text) {
		end = int(n.end) + bytes.IndexByte(text[n.end:], '\n') + 1
	}
	return text[from:n.start], text[n.end:end]
}
