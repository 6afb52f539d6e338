package viewer

import (
	"bufio"
	"bytes"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io"
	"runtime"

	"github.com/klauspost/compress/gzip"
)

// blockBytes is the approximate size of a block's JSON before compression: small enough to
// decompress without a noticeable delay, large enough to compress well.
const blockBytes = 256 << 10

// A block is the details of consecutive handoffs.
type block struct {
	first, count int
	json         bytes.Buffer
	done         chan error // receives the error of compressing it, once packed is set
	packed       bytes.Buffer
}

// writeBlocks writes the details of n handoffs. While one goroutine requests details, others
// compress as many blocks as there are processors; at most one more block is in memory.
func writeBlocks(out *bufio.Writer, n int, details func(i int) (*Details, error)) error {
	var queue []*block
	shift := func() error {
		b := queue[0]
		queue = queue[1:]
		if err := <-b.done; err != nil {
			return err
		}
		return b.write(out)
	}
	// On an error, the compressing goroutines end on their own: done is buffered.
	for i := 0; i < n; {
		b := &block{first: i, done: make(chan error, 1)}
		for i < n && b.json.Len() < blockBytes {
			d, err := details(i)
			if err != nil {
				return fmt.Errorf("details of handoff %d: %w", i, err)
			}
			if err := b.add(d); err != nil {
				return err
			}
			i++
		}
		go b.compress()
		if queue = append(queue, b); len(queue) > runtime.GOMAXPROCS(0) {
			if err := shift(); err != nil {
				return err
			}
		}
	}
	for len(queue) > 0 {
		if err := shift(); err != nil {
			return err
		}
	}
	return nil
}

func (b *block) add(d *Details) error {
	separator := byte(',')
	if b.count == 0 {
		separator = '['
	}
	b.json.WriteByte(separator)
	b.count++
	text, err := json.Marshal(d)
	b.json.Write(text)
	return err
}

func (b *block) compress() {
	b.json.WriteByte(']')
	z := gzip.NewWriter(&b.packed)
	_, err := io.Copy(z, &b.json)
	if closed := z.Close(); err == nil {
		err = closed
	}
	b.done <- err
}

func (b *block) write(out *bufio.Writer) error {
	fmt.Fprintf(out, `<script type="application/gzip" data-first="%d" data-count="%d">`, b.first, b.count)
	text := base64.NewEncoder(base64.StdEncoding, out)
	if _, err := b.packed.WriteTo(text); err != nil {
		return err
	}
	if err := text.Close(); err != nil {
		return err
	}
	_, err := out.WriteString("</script>\n")
	return err
}
