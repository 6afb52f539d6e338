package cmd

import (
	"fmt"
	"io"

	"github.com/eaapl/handoff/cmd/internal/input"
)

// contents reads what the sources hold, decompressed, one after the other. It
// opens each when its turn comes, and names it in errors.
type contents struct {
	list    []input.Source // to be opened
	count   func(int)
	current *input.Content // nil between two
	name    string         // of the current one
}

func (c *contents) Read(p []byte) (int, error) {
	for {
		if c.current == nil {
			if len(c.list) == 0 {
				return 0, io.EOF
			}
			s := c.list[0]
			c.list, c.name = c.list[1:], s.Name
			var err error
			if c.current, err = s.Open(c.count); err != nil {
				return 0, fmt.Errorf("%s: %w", c.name, err)
			}
		}
		n, err := c.current.Read(p)
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
