package pack

import (
	"bytes"
	"crypto/sha256"
	"errors"
	"fmt"
	"hash"
	"io"

	"github.com/eaapl/handoff/internal/output"
	"github.com/eaapl/handoff/internal/regular"
	"github.com/eaapl/handoff/pkg/compress"
)

// verifyFile reads the output file again and compares it with the content.
func (p *packed) verifyFile(out *output.File, dictionaries [][]byte) error {
	if out.Target == "" {
		return fmt.Errorf("--verify: %s cannot be read again", out.File.Name())
	}
	if err := out.Flush(); err != nil {
		return err
	}
	if err := out.File.Sync(); err != nil {
		return output.Error(out.Target, err)
	}
	file, err := regular.Open(out.File.Name())
	if err != nil {
		return output.Error(out.Target, err)
	}
	defer file.Close() // read only: nothing can be lost
	return p.compare(contentSum(file, p.packs, dictionaries))
}

// compare compares the sum of the output, read again, with that of the content.
func (p *packed) compare(sum []byte, err error) error {
	switch {
	case err != nil:
		return fmt.Errorf("the output cannot be read again: %w", err)
	case !bytes.Equal(sum, p.sum):
		return errors.New("the output differs from the input: the disk or the memory may be failing")
	}
	p.Verified = true
	return nil
}

// contentSum returns the SHA-256 of data or, if packs is set, of its decompressed content.
func contentSum(data io.Reader, packs bool, dictionaries [][]byte) ([]byte, error) {
	if packs {
		r := compress.NewReader(data, compress.ReaderOptions{MaxRatio: -1, Dictionaries: dictionaries})
		defer r.Close() // read only: nothing can be lost
		data = r
	}
	hash := sha256.New()
	_, err := io.Copy(hash, data)
	return hash.Sum(nil), err
}

// rereading decompresses the data written to stdout at the same time. It returns a function that waits for
// the end and returns the content's SHA-256.
func rereading(o *output.File, stdout io.Writer, dictionaries [][]byte) func() ([]byte, error) {
	type result struct {
		sum []byte
		err error
	}
	done := make(chan result, 1)
	pr, pw := io.Pipe()
	go func() {
		sum, err := contentSum(pr, true, dictionaries)
		pr.CloseWithError(err)
		done <- result{sum, err}
	}()
	o.Writer = o.All.Buffered("standard output", io.MultiWriter(stdout, pw))
	return func() ([]byte, error) {
		pw.Close()
		r := <-done
		return r.sum, r.err
	}
}

// A tally counts the bytes written to w, and hashes them if hash is set.
type tally struct {
	w     io.Writer // nil to discard the data
	hash  hash.Hash
	bytes int64
}

// newTally returns a tally, with a hash for --verify.
func (f *packing) newTally(w io.Writer) *tally {
	if f.verify {
		return &tally{w: w, hash: sha256.New()}
	}
	return &tally{w: w}
}

func (t *tally) Write(p []byte) (int, error) {
	t.bytes += int64(len(p))
	if t.hash != nil {
		t.hash.Write(p)
	}
	if t.w == nil {
		return len(p), nil
	}
	return t.w.Write(p)
}
