package chunked

import (
	"crypto/sha256"
	"encoding/hex"
	"slices"
	"strconv"

	"github.com/eaapl/handoff/pkg/jsonstream"
	"github.com/eaapl/handoff/pkg/message"
	"github.com/eaapl/handoff/pkg/sign"
)

// digestPrefix is the prefix of every chunk digest.
const digestPrefix = "sha256:"

// chainDigest returns the SHA-256 of a chunk as sent, by which the next chunk refers to it.
func chainDigest(chunk []byte) string {
	sum := sha256.Sum256(chunk)
	return digestPrefix + hex.EncodeToString(sum[:])
}

// A chain writes the chunks of one stream.
type chain struct {
	options SplitOptions
	stream  []byte // its id, quoted
	sender  []byte // members that a signed chunk repeats from the message, for the check of trust
	next    int    // sequence number
	before  string // digest of the preceding chunk, "" for the first
}

// newChain begins the stream of a message.
func newChain(first jsonstream.Value, o SplitOptions) *chain {
	c := &chain{options: o, stream: first.Get("handoffId").Raw()}
	if o.Key != nil {
		c.sender = slices.Concat([]byte(`,"fromAgent":{"agentId":`), first.Get("fromAgent").Get("agentId").Raw(),
			[]byte(`},"timestamp":`), first.Get("timestamp").Raw())
	}
	return c
}

// room returns the maximum length of a chunk's body within the options' chunk size.
func (c *chain) room() int {
	const head = len(`{"handoffChunk":"1.0","streamId":,"sequence":999999999,"kind":"append","previous":""}`) + len(digestPrefix) + 2*sha256.Size
	room := c.options.chunkBytes() - head - len(c.stream) - len(c.sender)
	if c.options.Key != nil {
		const signature = len(`,"signatureKeyId":"","signature":""`) + len("ed25519:") + 86 // the longest signature
		room -= signature + 2*len(c.options.Key.ID)
	}
	return max(room, MinChunkBytes/4)
}

// chunk returns the next chunk with a body of members, which begins with a comma.
func (c *chain) chunk(kind Kind, body []byte) ([]byte, error) {
	text := make([]byte, 0, c.options.chunkBytes()+len(body)/8)
	text = append(append(append(text, `{"handoffChunk":"`+Version+`","streamId":`...), c.stream...), `,"sequence":`...)
	text = append(append(append(strconv.AppendInt(text, int64(c.next), 10), `,"kind":"`...), kind...), '"')
	if c.before != "" {
		text = append(append(append(text, `,"previous":"`...), c.before...), '"')
	}
	text = append(append(append(text, c.sender...), body...), '}')
	if c.options.Key != nil {
		m, err := message.ParseInPlace(jsonstream.NewRaw(text), message.Options{Limits: jsonstream.Unlimited()})
		if err != nil {
			return nil, err
		}
		if text, err = sign.Sign(m, *c.options.Key, false); err != nil {
			return nil, err
		}
	}
	c.next++
	c.before = chainDigest(text)
	return text, nil
}

// last returns the last chunk of a message whose text is size bytes long.
func (c *chain) last(m *message.Message, size int) ([]byte, error) {
	body := append(strconv.AppendInt([]byte(`,"chunks":`), int64(c.next)+1, 10), `,"bytes":`...)
	body = append(strconv.AppendInt(body, int64(size), 10), `,"digest":`...)
	if digest, err := m.Digest(); err == nil {
		body = append(append(append(body, '"'), digest.String()...), '"')
	} else {
		body = append(body, "null"...) // a number is out of the range of doubles: the message has no canonical form
	}
	return c.chunk(Last, body)
}
