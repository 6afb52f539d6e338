package gzipped_test

import (
	"bytes"
	"encoding/base64"
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/eaapl/handoff/pkg/internal/gzipped"
	"github.com/eaapl/handoff/pkg/jsonstream"
)

func TestThereAndBack(t *testing.T) {
	for _, content := range [][]byte{nil, []byte("a"), bytes.Repeat([]byte("context "), 100_000)} {
		packed := gzipped.Pack(content)
		if !gzipped.Is(packed) || !gzipped.IsBase64(base64.StdEncoding.EncodeToString(packed)) {
			t.Errorf("%x is not known as gzip", packed[:4])
		}
		got, err := gzipped.Unpack(packed, 0)
		if err != nil || !bytes.Equal(got, content) {
			t.Errorf("%d bytes, error %v", len(got), err)
		}
	}
}

// A name of any length, several members and zeros at the end are gzip as well.
func TestForeign(t *testing.T) {
	packed := gzipped.Pack([]byte("one"))
	named := slices.Concat(packed[:3], []byte{8}, packed[4:10], bytes.Repeat([]byte{'x'}, 5000), []byte{0}, packed[10:])
	for _, tt := range []struct {
		in   []byte
		want string
	}{{named, "one"}, {slices.Concat(named, packed), "oneone"}, {append(named, 0, 0, 0), "one"}} {
		if got, err := gzipped.Unpack(tt.in, 0); string(got) != tt.want || err != nil {
			t.Errorf("got %q, %v, want %q", got, err, tt.want)
		}
	}
}

func TestErrors(t *testing.T) {
	packed := gzipped.Pack(bytes.Repeat([]byte{0}, 1000))
	if _, err := gzipped.Unpack(packed, 999); !errors.Is(err, jsonstream.ErrTooLarge) {
		t.Error(err)
	}
	if _, err := gzipped.Unpack(packed, 1000); err != nil {
		t.Error(err)
	}
	if _, err := gzipped.Unpack(packed[:len(packed)-3], 0); err == nil || err.Error() != "gzip that is cut off" {
		t.Error(err)
	}
	packed[len(packed)-8] ^= 1 // the checksum
	if _, err := gzipped.Unpack(packed, 0); err == nil || !strings.Contains(err.Error(), "damaged gzip") {
		t.Error(err)
	}
}
