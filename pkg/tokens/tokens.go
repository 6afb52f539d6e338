// Package tokens counts the tokens of a text as language models do.
//
// Counts equal OpenAI's tiktoken (encode_ordinary) on every text: splitting and merging are
// implemented here, and only the vocabularies come from a library. Time is linear in the length of
// any text, and memory is about a megabyte in addition to the vocabulary.
package tokens

import (
	"fmt"
	"strings"
)

// An Encoding names a tokenizer.
type Encoding string

// The encodings. O200kHarmony counts the same as O200kBase: the two differ only in special tokens,
// which texts do not have. Bytes counts the bytes of a text.
const (
	O200kBase    Encoding = "o200k_base"
	O200kHarmony Encoding = "o200k_harmony"
	Cl100kBase   Encoding = "cl100k_base"
	P50kBase     Encoding = "p50k_base"
	P50kEdit     Encoding = "p50k_edit"
	R50kBase     Encoding = "r50k_base"
	Bytes        Encoding = "bytes"
)

// Tokens of a chat in addition to its texts, as documented by OpenAI for its models since
// gpt-3.5-turbo-0613. The role counts as a text.
const (
	PerMessage = 3 // every message
	PerName    = 1 // a message with a name, in addition to the name's own tokens
	PerReply   = 3 // the start of the reply, once
)

// A Counter counts the tokens of texts. Its methods are safe for concurrent use.
type Counter struct {
	encoding Encoding
	load     func() *vocabulary        // nil for Bytes
	next     func(s string, i int) int // the end of the piece of s that starts at i < len(s)
}

// counters has one for each encoding, the default first.
var counters = []Counter{
	{O200kBase, o200k, nextO200k},
	{O200kHarmony, o200k, nextO200k},
	{Cl100kBase, cl100k, nextCl100k},
	{P50kBase, p50k, nextR50k},
	{P50kEdit, p50k, nextR50k},
	{R50kBase, r50k, nextR50k},
	{Bytes, nil, nil},
}

// Encodings returns all encodings, the default first.
func Encodings() []Encoding {
	var all []Encoding
	for _, c := range counters {
		all = append(all, c.encoding)
	}
	return all
}

// New returns a counter for an encoding. It is cheap: the vocabulary is loaded at the first count,
// once for all counters of the program. The error for an unknown encoding lists the known ones.
func New(e Encoding) (*Counter, error) {
	var known []string
	for i, c := range counters {
		if c.encoding == e {
			return &counters[i], nil
		}
		known = append(known, string(c.encoding))
	}
	return nil, fmt.Errorf("unknown tokenizer %q: use one of %s", string(e), strings.Join(known, ", "))
}

// Encoding returns the encoding that c counts in.
func (c *Counter) Encoding() Encoding { return c.encoding }

// Count returns the number of tokens of text. Special tokens such as <|endoftext|> count as ordinary
// text.
func (c *Counter) Count(text string) int {
	if c.load == nil {
		return len(text)
	}
	v := c.load()
	m := v.memos.Get().(*memo)
	n := 0
	for i := 0; i < len(text); {
		end := c.next(text, i)
		n += countKnown(m, v, text[i:end])
		i = end
	}
	v.memos.Put(m)
	return n
}
