package jsonstream

import (
	"bytes"
	"fmt"

	"github.com/go-json-experiment/json/jsontext"
)

// Set returns the document's text with the value at pointer replaced by value,
// a JSON text; everything else stays as it is, byte for byte. A member that is
// not there is added at the end of its object; the token "-" or an index equal
// to the length adds an element to an array (RFC 6901, section 4). The object
// or array that is to hold it must be there.
func Set(d *Document, pointer string, value []byte) ([]byte, error) {
	tokens, ok := SplitPointer(pointer)
	if !ok {
		return nil, fmt.Errorf("%q is not a JSON Pointer: write it as /member/0/member", pointer)
	}
	if old := d.Root().At(pointer); old.Exists() {
		n := old.node()
		return splice(d.raw.Bytes, n.start, n.end, value), nil
	}
	holder := d.Root()
	for _, t := range tokens[:len(tokens)-1] {
		holder = holder.child(t)
	}
	last := tokens[len(tokens)-1]
	var name []byte
	switch holder.Kind() {
	case Object:
		name, _ = jsontext.AppendQuote(nil, last)
		name = append(name, ':')
	case Array:
		if index, ok := ArrayIndex(last); last != "-" && (!ok || index != holder.Len()) {
			return nil, fmt.Errorf("%s: the array has %d elements: name one of them, or - for a new one", pointer, holder.Len())
		}
	default:
		return nil, fmt.Errorf("%s: there is no object or array to hold it", pointer)
	}
	if holder.Len() > 0 {
		name = append([]byte{','}, name...)
	}
	end := holder.node().end - 1
	return splice(d.raw.Bytes, end, end, append(name, value...)), nil
}

// Remove returns the document's text without the value at pointer, its name and
// the comma that parted it from a neighbour; everything else stays as it is,
// byte for byte. The value must be there, and not be the root.
func Remove(d *Document, pointer string) ([]byte, error) {
	v := d.Root().At(pointer)
	if !v.Exists() || !v.Parent().Exists() {
		return nil, fmt.Errorf("%s: there is nothing that can be removed", pointer)
	}
	n := v.node()
	from, to := n.start, n.end
	if n.nameEnd != 0 {
		from = n.nameStart
	}
	text := d.raw.Bytes
	after := to + uint32(len(text[to:])-len(bytes.TrimLeft(text[to:], " \t\r\n")))
	before := bytes.TrimRight(text[:from], " \t\r\n")
	switch {
	case before[len(before)-1] == ',':
		from = uint32(len(before) - 1)
	case text[after] == ',':
		to = after + 1
	}
	return splice(text, from, to, nil), nil
}

func splice(text []byte, from, to uint32, with []byte) []byte {
	out := make([]byte, 0, len(text)+len(with))
	out = append(out, text[:from]...)
	out = append(out, with...)
	return append(out, text[to:]...)
}
