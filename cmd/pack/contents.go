package pack

import (
	"fmt"
	"io"

	"github.com/eaapl/handoff/internal/input"
	"github.com/eaapl/handoff/pkg/compress"
)

// contents reads what the sources hold, decompressed, one after the other. It
// opens each when its turn comes, and names it in errors.
type contents struct {
	list    []input.Source // to be opened
	count   func(int)
	sized   bool           // each file holds its size, and nothing else may be read of it
	current *input.Content // nil between two
	name    string         // of the current one
	left    int64          // of its size
}

// contentSize returns how many bytes files hold, or [compress.Unknown] where only reading tells:
// of a pipe, of compressed data, of a file of /proc.
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
			return 0, fmt.Errorf("%s: changed its length while it was read: compress a copy of it", c.name)
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

// Close closes what is open.
func (c *contents) Close() error {
	if c.current == nil {
		return nil
	}
	closing := c.current
	c.current = nil
	return closing.Close()
}
