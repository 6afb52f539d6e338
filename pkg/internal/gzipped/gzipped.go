// Package gzipped reads and writes gzip (RFC 1952) inside of messages.
package gzipped

import (
	"bytes"
	"compress/gzip"
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/eaapl/handoff/pkg/compress"
	"github.com/eaapl/handoff/pkg/jsonstream"
)

// IsBase64 reports whether a text begins as the base64 of gzip does: with its magic number and method.
func IsBase64(text string) bool { return strings.HasPrefix(text, "H4sI") }

// AppendBase64 appends a JSON string that holds content in base64, as gzip if packed.
func AppendBase64(dst, content []byte, packed bool) []byte {
	if packed {
		content = Pack(content)
	}
	return append(base64.StdEncoding.AppendEncode(append(dst, '"'), content), '"')
}

// Is reports whether some bytes begin as gzip does.
func Is(b []byte) bool { return bytes.HasPrefix(b, []byte{0x1f, 0x8b, 8}) }

// Unpack returns what gzip holds: at most so many bytes, [jsonstream.DefaultMaxBytes] for 0. More
// is a [jsonstream.ErrTooLarge].
func Unpack(b []byte, maxBytes int64) ([]byte, error) {
	if maxBytes <= 0 {
		maxBytes = jsonstream.DefaultMaxBytes
	}
	r := compress.NewReader(bytes.NewReader(b), compress.ReaderOptions{MaxRatio: -1}) // maxBytes bounds it
	defer r.Close()                                                                   // it holds memory only
	content, err := io.ReadAll(io.LimitReader(r, maxBytes+1))
	switch {
	case errors.Is(err, io.ErrUnexpectedEOF):
		return nil, errors.New("gzip that is cut off")
	case err != nil:
		return nil, fmt.Errorf("damaged gzip: %w", err)
	case int64(len(content)) > maxBytes:
		return nil, fmt.Errorf("gzip of more than %d bytes: %w", maxBytes, jsonstream.ErrTooLarge)
	}
	return content, nil
}

// Pack returns content as gzip: always the same for the same content.
func Pack(content []byte) []byte {
	var b bytes.Buffer
	w, _ := gzip.NewWriterLevel(&b, gzip.BestCompression) // a level that there is
	_, _ = w.Write(content)                               // to memory
	_ = w.Close()
	return b.Bytes()
}
