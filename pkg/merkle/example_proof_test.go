package merkle_test

import (
	"bytes"
	"context"
	"crypto/ed25519"
	"crypto/sha256"
	"fmt"

	"github.com/eaapl/handoff/pkg/merkle"
)

// short is a log with too few records for nodes.
type short []merkle.Hash

func (s short) RecordHashes(_ context.Context, first, n int64) ([]merkle.Hash, error) {
	return s[first : first+n], nil
}

func (s short) Nodes(context.Context, int, int64, int64) ([]merkle.Hash, error) { return nil, nil }

// The owner of the log proves one of its records to someone who has only the public key.
func Example() {
	records := []string{`{"sequence":0}`, `{"sequence":1}`, `{"sequence":2}`}
	var log short
	for _, r := range records {
		log = append(log, sha256.Sum256([]byte(r)))
	}
	private := ed25519.NewKeyFromSeed(bytes.Repeat([]byte{1}, ed25519.SeedSize))
	public := private.Public().(ed25519.PublicKey)

	ctx := context.Background()
	root, err := merkle.Root(ctx, log, 3)
	if err != nil {
		fmt.Println(err)
		return
	}
	checkpoint, err := merkle.SignCheckpoint(merkle.Checkpoint{Origin: "example.com/audit", Size: 3, Root: root}, "example.com/audit", private)
	if err != nil {
		fmt.Println(err)
		return
	}
	hashes, err := merkle.ProveRecord(ctx, log, 3, 1)
	if err != nil {
		fmt.Println(err)
		return
	}
	text, err := merkle.FormatProof(merkle.Proof{Index: 1, Hashes: hashes, Checkpoint: checkpoint})
	if err != nil {
		fmt.Println(err)
		return
	}

	proof, err := merkle.ParseProof(text)
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, r := range records[1:] {
		c, err := merkle.VerifyProof([]byte(r), proof, "example.com/audit", public)
		fmt.Println(r, c.Size, err)
	}
	// Output:
	// {"sequence":1} 3 <nil>
	// {"sequence":2} 0 record 1 of 3: the proof does not lead to the root: the record, the proof or the checkpoint was changed
}
