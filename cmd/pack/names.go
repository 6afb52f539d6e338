package pack

import (
	"errors"
	"fmt"
	"strings"

	"github.com/eaapl/handoff/internal/input"
	"github.com/eaapl/handoff/internal/output"
	"github.com/eaapl/handoff/pkg/compress"
)

// packedName returns the name of the compressed file that replaces a source.
func (f *compressFlags) packedName(s input.Source) (string, error) {
	codec, err := s.CodecInPlace()
	switch {
	case err != nil:
		return "", err
	case codec != compress.None && s.Found:
		return "", nil
	case codec != compress.None:
		return "", fmt.Errorf("is already %s data: left unchanged", codec)
	case output.CodecOf(s.Path) != compress.None:
		return "", fmt.Errorf("is not compressed, but its name ends in %s: rename it first", output.CodecOf(s.Path).Suffix())
	}
	return s.Path + compress.Codec(f.codec).Suffix(), nil
}

// unpackedName returns the name of the decompressed file that replaces a source.
func unpackedName(s input.Source) (string, error) {
	codec, err := s.CodecInPlace()
	switch {
	case err != nil:
		return "", err
	case codec == compress.None && s.Found:
		return "", nil
	case codec == compress.None:
		return "", errors.New("is neither gzip nor zstd data: left unchanged")
	case output.CodecOf(s.Path) == compress.None:
		return "", errors.New("has no suffix .zst or .gz to remove: use -o")
	}
	return strings.TrimSuffix(s.Path, output.CodecOf(s.Path).Suffix()), nil
}
