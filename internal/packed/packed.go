// Package packed reads the compressed files that the programs embed.
package packed

import (
	"archive/zip"
	"io/fs"
	"strings"

	"github.com/klauspost/compress/zstd"
)

// Zip returns the files of an embedded archive.
func Zip(archive string) fs.FS {
	r, err := zip.NewReader(strings.NewReader(archive), int64(len(archive)))
	if err != nil {
		panic("reading what is embedded: " + err.Error())
	}
	return r
}

// Zstd returns the content of an embedded file.
func Zstd(file []byte) []byte {
	unpacker, err := zstd.NewReader(nil, zstd.WithDecoderConcurrency(1))
	if err != nil {
		panic(err) // the options are valid
	}
	content, err := unpacker.DecodeAll(file, nil)
	if err != nil {
		panic("reading what is embedded: " + err.Error())
	}
	return content
}
