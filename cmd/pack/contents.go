package pack

import (
	"fmt"
	"io"

	"github.com/eaapl/handoff/internal/input"
	"github.com/eaapl/handoff/pkg/compress"
)

// contents reads the decompressed contents of the sources in sequence. It opens each source when needed, and
// names it in errors.
type contents struct {
	list    []input.Source // the sources to open
	count   func(int)
	sized   bool           // read no more than the file size of each source
	current *input.Content // nil between two sources
	name    string         // of the current one
	left    int64          // the rest of its size
}

// contentSize returns the total size of files, or [compress.Unknown] for pipes, compressed data and files of
// /proc, whose sizes are known only after reading.
func contentSize(list []input.Source) int64 {
	total := int64(0)
	for _, s := range list {
		if s.Path == "" || s.Size <= 0 {
			return compress.Unknown
		}
		if codec, err := s.CodecInPlace(); err != nil || codec != compress.None {
			return compress.Unknown
		}
		total += s.Size
	}
	return total
}

func (c *contents) Read(p []byte) (int, error) {
	for {
		if c.current == nil {
			if len(c.list) == 0 {
				return 0, io.EOF
			}
			s := c.list[0]
			c.list, c.name, c.left = c.list[1:], s.Name, s.Size
			var err error
			if c.current, err = s.Open(c.count); err != nil {
				return 0, fmt.Errorf("%s: %w", c.name, err)
			}
		}
		n, err := c.current.Read(p)
		c.left -= int64(n)
		if c.sized && (c.left < 0 || c.left > 0 && err == io.EOF) {
			return 0, fmt.Errorf("%s: changed its size while it was read: compress a copy of it", c.name)
		}
		if err == io.EOF {
			err = c.Close()
		}
		if err != nil {
			return n, fmt.Errorf("%s: %w", c.name, err)
		}
		if n > 0 {
			return n, nil
		}
	}
}

// Close closes the current source.
func (c *contents) Close() error {
	if c.current == nil {
		return nil
	}
	closing := c.current
	c.current = nil
	return closing.Close()
}
