package tree

import (
	"bufio"
	"cmp"
	"crypto/sha256"
	"encoding/base64"
	"hash"
	"strconv"
	"sync"

	"github.com/eaapl/handoff/pkg/jsonstream"
)

// A Digest identifies a value. Equal values have equal digests, whatever the order of their members
// and the spelling of their numbers. The zero digest is that of None.
type Digest [16]byte

// String returns the digest in base64.
func (d Digest) String() string { return base64.RawURLEncoding.EncodeToString(d[:]) }

// DigestIn parses a digest. It returns the digest of no value for an invalid text.
func DigestIn(text string) Digest {
	var d Digest
	if text == "" {
		return d
	}
	if b, err := base64.RawURLEncoding.Strict().DecodeString(text); err == nil && len(b) == len(d) && Digest(b) != d {
		return Digest(b)
	}
	sum := sha256.Sum256([]byte(text))
	return Digest(sum[:len(d)])
}

// Digest returns the 128-bit digest of a value.
func (n Node) Digest() Digest {
	var sum Digest
	if n.isMade() {
		sum = n.body.sum
	} else {
		sum = n.body.doc.sums[n.i]
	}
	if sum != (Digest{}) {
		return sum
	}
	d := digesters.Get().(*digester)
	defer digesters.Put(d)
	switch sum = d.of(n); {
	case n.isMade():
		n.body.sum = sum
	case len(n.v().Raw()) >= largeValue:
		n.body.doc.sums[n.i] = sum
	}
	return sum
}

var digesters = sync.Pool{New: func() any { return new(digester) }}

// A digester digests values. pending are bytes that are not hashed yet.
type digester struct{ pending []byte }

// maxPending is the maximum length of pending.
const maxPending = 32 << 10

func (d *digester) of(n Node) Digest {
	start := len(d.pending)
	var h hash.Hash
	flush := func() {
		if h == nil {
			h = sha256.New()
		}
		h.Write(d.pending[start:])
		d.pending = d.pending[:start]
	}
	add := func(value Node) {
		sum := d.of(value)
		if d.pending = base64.RawURLEncoding.AppendEncode(d.pending, sum[:]); len(d.pending)-start > maxPending {
			flush()
		}
	}
	switch n.Kind() {
	case jsonstream.Object:
		d.pending = append(d.pending, '{')
		n.inOrder(cmp.Compare[string], func(m Member) {
			d.pending = append(strconv.AppendInt(d.pending, int64(len(m.Name)), 10), ':')
			d.pending = append(d.pending, m.Name...)
			add(m.Value)
		})
	case jsonstream.Array:
		d.pending = append(d.pending, '[')
		for c := n.Children(); c.Next(); {
			add(c.Value)
		}
	case jsonstream.String:
		d.pending = append(d.pending, '"')
		if n.isMade() && n.body.holds != nil {
			flush()
			b := bufio.NewWriter(h)
			n.body.holds.write(b)
			b.Flush()
		} else if n.isMade() && len(n.body.text) <= maxPending {
			d.pending = append(d.pending, n.body.text...)
		} else if chars := n.chars(); len(chars) > maxPending {
			flush()
			h.Write(chars)
		} else {
			d.pending = append(d.pending, chars...)
		}
	case jsonstream.Number:
		d.pending = jsonstream.AppendNormal(append(d.pending, '0'), n.NumberText())
	case jsonstream.Null:
		d.pending = append(d.pending, "null"...)
	case jsonstream.True:
		d.pending = append(d.pending, "true"...)
	case jsonstream.False:
		d.pending = append(d.pending, "false"...)
	}
	var sum [sha256.Size]byte
	if h == nil {
		sum = sha256.Sum256(d.pending[start:])
	} else {
		flush()
		h.Sum(sum[:0])
	}
	d.pending = d.pending[:start]
	return Digest(sum[:len(Digest{})])
}
