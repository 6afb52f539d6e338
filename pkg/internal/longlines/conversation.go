package longlines

import (
	"errors"
	"io"
	"sync"

	"github.com/eaapl/handoff/pkg/conversation"
	"github.com/eaapl/handoff/pkg/format"
	"github.com/eaapl/handoff/pkg/formats"
	"github.com/eaapl/handoff/pkg/jsonstream"
	"github.com/eaapl/handoff/pkg/provider"
)

// Detect returns the format of the text; ok is false if it is unknown. Usually the first block is
// enough. The error is that of [Read].
func (t Text) Detect() (f format.Format, ok bool, err error) {
	var d formats.Detector
	blocks := t.blocks()
	for {
		raw, err := blocks.Next()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return "", false, err
		}
		doc, err := jsonstream.Parse(raw, t.Limits)
		if err != nil {
			return "", false, err
		}
		if d.Add(doc.Root()) {
			break
		}
	}
	f, ok = d.Format()
	return f, ok, nil
}

// A Conversation is the conversation of a text in a format. It keeps only the place of each line,
// and the data needed to find turns and to divide them into stretches.
type Conversation struct {
	text    Text
	layout  *format.Descriptor
	trail   format.Trail
	outline *provider.Outline
	parsers sync.Pool // *[]jsonstream.Parser values
}

// NewConversation returns the conversation of a text, without lines so far. It returns nil for a
// format that does not support it: one without a Trail, with rules of its own, or with messages
// inside messages.
func NewConversation(t Text, layout *format.Descriptor) *Conversation {
	if k := layout.Known; k == nil || k.Trail == nil || len(k.Lines) == 0 || layout.Turns == nil || layout.Provider == "" || layout.Check != nil || layout.Carriers != nil || layout.Handoffs != nil {
		return nil
	}
	c := &Conversation{text: t, layout: layout, trail: layout.Known.Trail(), outline: provider.NewOutline(layout)}
	c.parsers.New = func() any { return new([]jsonstream.Parser) }
	return c
}

// A Block is the data of a conversation from a block of lines.
type Block struct{ trail, outline any }

// Read reads a block. It is safe for concurrent use.
func (c *Conversation) Read(root jsonstream.Value) *Block {
	return &Block{c.trail.Read(root.Elements()), c.outline.Read(root.Elements())}
}

// Add adds a block. Blocks must be added in order.
func (c *Conversation) Add(b *Block) {
	c.trail.Add(b.trail)
	c.outline.Add(b.outline)
}

// Trail returns the trail of the conversation, after all blocks were added.
func (c *Conversation) Trail() format.Trail { return c.trail }

// Losses returns the losses of the conversation, after all blocks were added.
func (c *Conversation) Losses() []format.Loss {
	if lossy, ok := c.trail.(format.Lossy); ok {
		return lossy.Losses()
	}
	return nil
}

// stretchBytes is the approximate size of a stretch.
const stretchBytes = 256 << 10

// EachStretch calls work on the stretches of a conversation, on all cores, and passes the results
// to take in order. All blocks must have been added. The turns are valid only during the call to
// work. The error is that of take or of the reader, or [ErrChanged].
func EachStretch[R any](c *Conversation, places *Places, work func(provider.Stretch, []conversation.Turn) R, take func(R) error) error {
	path := c.trail.Turns()
	stretches := c.outline.Stretches(path, places.Length, stretchBytes)
	type result struct {
		of  R
		err error
	}
	next := func() (s provider.Stretch, err error) {
		if len(stretches) == 0 {
			return s, io.EOF
		}
		s, stretches = stretches[0], stretches[1:]
		return s, nil
	}
	return Ordered(next, func(s provider.Stretch) (r result) {
		parsers := c.parsers.Get().(*[]jsonstream.Parser)
		defer c.parsers.Put(parsers)
		spots := path[s.Begin:s.End]
		var indices []int // of the lines, each once
		for i, at := range spots {
			if i == 0 || spots[i-1].Index != at.Index {
				indices = append(indices, int(at.Index))
			}
		}
		values, err := c.text.Lines(places, indices, parsers)
		if r.err = err; err != nil {
			return r
		}
		turns := make([]conversation.Turn, len(spots))
		next := -1
		for i, v := range c.layout.Known.At(spots, func(int) jsonstream.Value { next++; return values[next] }) {
			turns[i] = conversation.NewTurn(v, int(spots[i].Index))
		}
		r.of = work(s, turns)
		return r
	}, func(r result) error {
		if r.err != nil {
			return r.err
		}
		return take(r.of)
	})
}
