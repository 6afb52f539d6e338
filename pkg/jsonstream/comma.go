package jsonstream

// AppendComma appends the comma before an element or a member of the array or object that
// dst ends in, unless it is the first.
func AppendComma(dst []byte) []byte {
	if last := dst[len(dst)-1]; last == '[' || last == '{' {
		return dst
	}
	return append(dst, ',')
}
