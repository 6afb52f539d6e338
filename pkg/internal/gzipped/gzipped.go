// Package gzipped reads and writes gzip (RFC 1952) data inside messages.
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

// IsBase64 reports whether text begins with the base64 of gzip's magic number and method.
func IsBase64(text string) bool { return strings.HasPrefix(text, "H4sI") }

// AppendBase64 appends a JSON string with content in base64, compressed with gzip if packed.
func AppendBase64(dst, content []byte, packed bool) []byte {
	if packed {
		content = Pack(content)
	}
	return append(base64.StdEncoding.AppendEncode(append(dst, '"'), content), '"')
}

// Is reports whether b begins with gzip's magic number and method.
func Is(b []byte) bool { return bytes.HasPrefix(b, []byte{0x1f, 0x8b, 8}) }

// Unpack decompresses gzip data to at most maxBytes bytes; 0 means [jsonstream.DefaultMaxBytes].
// The error for more is [jsonstream.ErrTooLarge].
func Unpack(b []byte, maxBytes int64) ([]byte, error) {
	if maxBytes <= 0 {
		maxBytes = jsonstream.DefaultMaxBytes
	}
	r := compress.NewReader(bytes.NewReader(b), compress.ReaderOptions{MaxRatio: -1}) // maxBytes limits it
	defer r.Close()                                                                   // it holds only memory
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

// Pack compresses content with gzip. The result is deterministic.
func Pack(content []byte) []byte {
	var b bytes.Buffer
	w, _ := gzip.NewWriterLevel(&b, gzip.BestCompression) // the level is valid
	_, _ = w.Write(content)                               // to memory
	_ = w.Close()
	return b.Bytes()
}
