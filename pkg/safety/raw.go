package safety

import (
	"unsafe"

	"github.com/eaapl/handoff/pkg/jsonstream"
)

// rawText returns the text of a value without a copy, which would cost as much as to
// look through it. Documents never change.
func rawText(v jsonstream.Value) string {
	raw := v.Raw()
	return unsafe.String(unsafe.SliceData(raw), len(raw))
}

// offsetIn returns where a part of a document's text begins in another that holds it.
func offsetIn(whole string, part []byte) int {
	return int(uintptr(unsafe.Pointer(unsafe.SliceData(part))) - uintptr(unsafe.Pointer(unsafe.StringData(whole))))
}
