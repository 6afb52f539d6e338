// Package dictionary trains zstd dictionaries (RFC 8878, section 5) for handoff
// messages, and has one built in that was trained on varied canonical messages.
//
// # Dictionary ids
//
// A frame names the dictionary it was made with by a number, and can be read
// with that dictionary only. The built-in one is [BuiltinID], in the range that
// RFC 8878 leaves for private use.
//
// # Compatibility
//
// A dictionary that was shipped never changes under its id: an improved one gets
// a new id, and the old one stays, so that every frame ever written remains
// readable.
package dictionary

import (
	"bytes"
	_ "embed"
	"errors"
	"fmt"

	"github.com/klauspost/compress/zstd"
)

//go:generate go run -C ../../../tools ./train/dictionary -o ../pkg/compress/dictionary/builtin.zdict

// BuiltinID is the id of the dictionary that [Builtin] returns: "HAND" as a
// number.
const BuiltinID uint32 = 0x48414e44

// The ids that RFC 8878, section 5, leaves for private use.
const (
	MinID uint32 = 1 << 15
	MaxID uint32 = 1<<31 - 1
)

//go:embed builtin.zdict
var builtin string

// Builtin returns the built-in dictionary, for [zstd.WithEncoderDict] and
// [zstd.WithDecoderDicts] or any other zstd. It is a copy: call Builtin once.
func Builtin() []byte { return []byte(builtin) }

// magic starts every dictionary.
const magic = "\x37\xa4\x30\xec"

// ErrDictionary reports bytes that are not a zstd dictionary.
var ErrDictionary = errors.New("not a zstd dictionary")

// ID returns the id of a dictionary, by which frames made with it name it. It
// reads the whole header. The error wraps [ErrDictionary].
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
