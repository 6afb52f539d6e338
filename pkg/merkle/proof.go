package merkle

import (
	"bytes"
	"crypto/ed25519"
	"crypto/sha256"
	"encoding/base64"
	"errors"
	"fmt"
	"strings"

	"github.com/eaapl/handoff/internal/base64text"
)

// A Proof proves, given only a public key, that a record is in the log of a checkpoint. Its text is defined
// by c2sp.org/tlog-proof@v1.
type Proof struct {
	Index      int64  // of the record
	Hashes     []Hash // from [ProveRecord], for the size of the checkpoint
	Checkpoint []byte // the signed note, unchanged
	// Extra is for readers: neither signed nor proven. Empty means none.
	Extra []byte
}

const (
	proofHeader = "c2sp.org/tlog-proof@v1"
	// maxProof is the maximum length of a proof, in bytes.
	maxProof = 16 << 20
	// maxProofLines is greater than the number of lines before the checkpoint in a proof for the largest
	// tree.
	maxProofLines = 64
)

// FormatProof returns the text of a proof. It fails where [ParseProof] would.
func FormatProof(p Proof) ([]byte, error) {
	var b bytes.Buffer
	fmt.Fprintln(&b, proofHeader)
	if len(p.Extra) > 0 {
		fmt.Fprintln(&b, "extra", base64.StdEncoding.EncodeToString(p.Extra))
	}
	fmt.Fprintln(&b, "index", p.Index)
	for _, h := range p.Hashes {
		fmt.Fprintln(&b, base64.StdEncoding.EncodeToString(h[:]))
	}
	fmt.Fprintln(&b)
	b.Write(p.Checkpoint)
	if _, err := ParseProof(b.Bytes()); err != nil {
		return nil, err
	}
	return b.Bytes(), nil
}

// ParseProof parses the text of a proof. It only checks the syntax: see [VerifyProof]. The checkpoint is part
// of the text.
func ParseProof(text []byte) (Proof, error) {
	if len(text) > maxProof {
		return Proof{}, fmt.Errorf("proof of %d bytes: expected at most %d", len(text), maxProof)
	}
	head, checkpoint, found := bytes.Cut(text, []byte("\n\n"))
	lines := strings.SplitN(string(head), "\n", maxProofLines) // if there are too many, the last one is not a hash
	if lines[0] != proofHeader {
		return Proof{}, fmt.Errorf("proof, line 1: expected %q, found %.80q", proofHeader, lines[0])
	}
	if !found {
		return Proof{}, errors.New("proof: expected an empty line and a checkpoint, found the end")
	}
	at := 1 // current line
	p := Proof{Checkpoint: checkpoint}
	if extra, ok := strings.CutPrefix(line(lines, at), "extra "); ok {
		decoded, err := base64text.Decode(extra, base64text.Canonical)
		if err != nil || len(decoded) == 0 {
			return Proof{}, fmt.Errorf("proof, line %d: expected extra data in base64, found %.80q", at+1, extra)
		}
		p.Extra = decoded
		at++
	}
	index, ok := strings.CutPrefix(line(lines, at), "index ")
	var err error
	if p.Index, err = parseNumber(index); !ok || err != nil {
		return Proof{}, fmt.Errorf("proof, line %d: expected \"index\" and the number of the record, found %.80q", at+1, line(lines, at))
	}
	for at++; at < len(lines); at++ {
		h, err := parseHash(lines[at])
		if err != nil {
			return Proof{}, fmt.Errorf("proof, line %d: %w", at+1, err)
		}
		p.Hashes = append(p.Hashes, h)
	}
	if _, err := ParseCheckpoint(checkpoint); err != nil {
		return Proof{}, fmt.Errorf("proof: %w", err)
	}
	return p, nil
}

// line returns a line, "" after the last.
func line(lines []string, at int) string {
	if at < len(lines) {
		return lines[at]
	}
	return ""
}

// VerifyProof checks that a record, given as canonical JSON, is in the log of the proof's checkpoint, and
// that the key has signed the checkpoint under the name; "" is any name. It returns the checkpoint. It
// returns the errors of [VerifyCheckpoint] and [CheckRecord].
func VerifyProof(record []byte, p Proof, name string, key ed25519.PublicKey) (Checkpoint, error) {
	c, err := VerifyCheckpoint(p.Checkpoint, name, key)
	if err != nil {
		return Checkpoint{}, err
	}
	if err := CheckRecord(p.Hashes, c.Size, c.Root, p.Index, sha256.Sum256(record)); err != nil {
		return Checkpoint{}, err
	}
	return c, nil
}
