// Package dictionary trains zstd dictionaries (RFC 8878, section 5) for handoff messages and
// provides a built-in one, trained on varied canonical messages.
//
// # Dictionary ids
//
// A frame refers to its dictionary by a numeric id and cannot be read without it. The built-in
// dictionary is [BuiltinID], in the range that RFC 8878 reserves for private use.
//
// # Compatibility
//
// A released dictionary never changes under its id: an improved one gets a new id and the old one
// stays, so that every existing frame remains readable.
package dictionary

import (
	"bytes"
	_ "embed"
	"errors"
	"fmt"

	"github.com/klauspost/compress/zstd"
)

//go:generate go run -C ../../../tools ./train/dictionary -o ../pkg/compress/dictionary/builtin.zdict

// BuiltinID is the id of the dictionary that [Builtin] returns: "HAND" as a number.
const BuiltinID uint32 = 0x48414e44

// The range of ids for private use (RFC 8878, section 5).
const (
	MinID uint32 = 1 << 15
	MaxID uint32 = 1<<31 - 1
)

//go:embed builtin.zdict
var builtin string

// Builtin returns a copy of the built-in dictionary, for [zstd.WithEncoderDict] and
// [zstd.WithDecoderDicts] or any other zstd implementation.
func Builtin() []byte { return []byte(builtin) }

// magic is the magic number of dictionaries.
const magic = "\x37\xa4\x30\xec"

// ErrDictionary reports bytes that are not a zstd dictionary.
var ErrDictionary = errors.New("not a zstd dictionary")

// ID returns the id of a dictionary. It parses the whole header. The error wraps [ErrDictionary].
func ID(dict []byte) (uint32, error) {
	switch {
	case len(dict) == 0:
		return 0, fmt.Errorf("%w: it is empty", ErrDictionary)
	case !bytes.HasPrefix(dict, []byte(magic)):
		return 0, fmt.Errorf("%w: it starts with % x, a dictionary with % x; train one from samples",
			ErrDictionary, dict[:min(len(dict), len(magic))], magic)
	}
	d, err := zstd.InspectDictionary(dict)
	if err != nil {
		return 0, fmt.Errorf("%w: its header is damaged or cut off: %w", ErrDictionary, err)
	}
	return d.ID(), nil
}
