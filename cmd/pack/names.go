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
		return "", fmt.Errorf("is %s data already, and stays", codec)
	case output.CodecOf(s.Path) != compress.None:
		return "", fmt.Errorf("is not compressed, though its name ends in %s: fix the name first", output.CodecOf(s.Path).Suffix())
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
		return "", errors.New("is neither gzip nor zstd data, and stays")
	case output.CodecOf(s.Path) == compress.None:
		return "", errors.New("has no .zst or .gz to take off its name: use -o")
	}
	return strings.TrimSuffix(s.Path, output.CodecOf(s.Path).Suffix()), nil
}
