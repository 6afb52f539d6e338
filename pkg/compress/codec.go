// Package compress recognises, reads and writes gzip (RFC 1952) and zstd
// (RFC 8878) data, in bounded memory.
//
// # Units
//
// Data is a row of units, each complete in itself with its checksum: gzip members or zstd
// frames. A [Writer] makes one unit of all that is written to it, on all cores. A [UnitWriter]
// writes one after the other, so that each can be read without the rest.
//
// # Size
//
// Incompressible content is stored, so a unit is never longer than its content, a header and a
// checksum, 18 bytes in all, and 3 bytes in zstd, 5 in gzip, for every 64 KiB begun and every flush.
package compress

import (
	"errors"
	"fmt"
)

// A Codec is a compression format.
type Codec string

// The codecs. None is that of plain data.
const (
	None Codec = ""
	Gzip Codec = "gzip"
	Zstd Codec = "zstd"
)

// A format has the properties of a codec.
type format struct {
	codec        Codec
	suffix       string
	magic        string // that its data begins with
	levels       int    // the highest level; the lowest is 1
	defaultLevel int
	unit         int // how much content a Writer holds before it compresses some of it, in bytes
}

// formats lists the codecs but None, the first choice first.
var formats = []format{
	{Zstd, ".zst", "\x28\xb5\x2f\xfd", 22, 3, 2 << 20},
	{Gzip, ".gz", "\x1f\x8b", 9, 6, 1 << 20},
}

// Codecs lists the codecs but None, the first choice first.
func Codecs() []Codec {
	var list []Codec
	for _, f := range formats {
		list = append(list, f.codec)
	}
	return list
}

// Suffix returns the suffix of file names: ".zst", ".gz", "" for None.
func (c Codec) Suffix() string { return c.format().suffix }

// format returns the codec's; its zero value for None.
func (c Codec) format() format {
	for _, f := range formats {
		if f.codec == c {
			return f
		}
	}
	return format{}
}

// ErrWindow reports a zstd frame that asks for more memory than is allowed: a window of
// more than 128 MiB.
var ErrWindow = errors.New("needs a window of more than 128 MiB, the limit: compress it again without zstd's options long and ultra, or with a long window of 27")

// ErrCorrupt reports compressed data that is damaged or cut off.
var ErrCorrupt = errors.New("compressed data is damaged or cut off")

// A DictionaryError reports data that can only be read with a dictionary that is not
// available.
type DictionaryError struct {
	ID uint32 // of the dictionary
}

func (e *DictionaryError) Error() string {
	return fmt.Sprintf("zstd data was compressed with dictionary %d, which is not known here", e.ID)
}

// A RatioError reports data whose content is too many times its own size.
type RatioError struct {
	Codec           Codec
	Read, Content   int64 // bytes read, and their content so far
	MaxBytes, Ratio int64 // the limits
}

func (e *RatioError) Error() string {
	return fmt.Sprintf("%s data of %d bytes has grown to %d: content beyond %d bytes may be %d times as long as the data",
		e.Codec, e.Read, e.Content, e.MaxBytes, e.Ratio)
}
