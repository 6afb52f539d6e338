// Package compress detects, reads and writes gzip (RFC 1952) and zstd (RFC 8878) data in bounded
// memory.
//
// # Units
//
// Data is a sequence of units, each complete with its own checksum: gzip members or zstd frames. A
// [Writer] makes one unit of all content, on all cores. A [UnitWriter] writes one unit after
// another, each of which can be read without the rest.
//
// # Size
//
// Incompressible content is stored. So a unit exceeds its content by at most 18 bytes for the
// header and checksum, and 3 bytes in zstd or 5 in gzip for every 64 KiB begun and every flush.
package compress

import (
	"errors"
	"fmt"
)

// A Codec is a compression format.
type Codec string

// The codecs. None means uncompressed data.
const (
	None Codec = ""
	Gzip Codec = "gzip"
	Zstd Codec = "zstd"
)

// A format has the properties of a codec.
type format struct {
	codec        Codec
	suffix       string
	magic        string // the first bytes of its data
	levels       int    // the maximum level; the minimum is 1
	defaultLevel int
	unit         int // bytes of content that a Writer buffers before it compresses
}

// formats lists the codecs except None, in order of preference.
var formats = []format{
	{Zstd, ".zst", "\x28\xb5\x2f\xfd", 22, 3, 2 << 20},
	{Gzip, ".gz", "\x1f\x8b", 9, 6, 1 << 20},
}

// Codecs returns the codecs except None, in order of preference.
func Codecs() []Codec {
	var list []Codec
	for _, f := range formats {
		list = append(list, f.codec)
	}
	return list
}

// Suffix returns the suffix of file names: ".zst", ".gz", or "" for None.
func (c Codec) Suffix() string { return c.format().suffix }

// format returns the properties of the codec, zero for None.
func (c Codec) format() format {
	for _, f := range formats {
		if f.codec == c {
			return f
		}
	}
	return format{}
}

// ErrWindow reports a zstd frame that exceeds the memory limit, a window of 128 MiB.
var ErrWindow = errors.New("needs a window of more than 128 MiB, the limit: compress it again without zstd's options long and ultra, or with a long window of 27")

// ErrCorrupt reports compressed data that is damaged or cut off.
var ErrCorrupt = errors.New("compressed data is damaged or cut off")

// A DictionaryError reports data that requires a dictionary that is not available.
type DictionaryError struct {
	ID uint32 // of the dictionary
}

func (e *DictionaryError) Error() string {
	return fmt.Sprintf("zstd data was compressed with dictionary %d, which is unknown", e.ID)
}

// A RatioError reports content that exceeds both limits, on its size and on its ratio to the
// compressed size.
type RatioError struct {
	Codec           Codec
	Read, Content   int64 // compressed bytes read, and bytes of content so far
	MaxBytes, Ratio int64 // the limits
}

func (e *RatioError) Error() string {
	return fmt.Sprintf("%s data of %d bytes has grown to %d: content above %d bytes may be at most %d times as long as the data",
		e.Codec, e.Read, e.Content, e.MaxBytes, e.Ratio)
}
