package compress_test

import (
	"bytes"
	"fmt"
	"io"

	"github.com/eaapl/handoff/pkg/compress"
)

// A reader detects from the data whether and how it is compressed.
func Example() {
	encoder, err := compress.NewEncoder(compress.EncoderOptions{})
	if err != nil {
		panic(err)
	}
	var packed bytes.Buffer
	w := compress.NewWriter(&packed, encoder, compress.Unknown)
	if _, err := io.WriteString(w, `{"handoffId":"h-1"}`); err != nil {
		panic(err)
	}
	if err := w.Close(); err != nil {
		panic(err)
	}
	r := compress.NewReader(&packed, compress.ReaderOptions{MaxBytes: 1 << 20})
	defer r.Close()
	text, err := io.ReadAll(r)
	if err != nil {
		panic(err) // *compress.RatioError: the content exceeds the limits
	}
	fmt.Printf("%s: %s\n", r.Codec(), text)
	// Output: zstd: {"handoffId":"h-1"}
}
