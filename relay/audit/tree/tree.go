// Package tree is the Merkle tree over the records of an audit log: roots, proofs that a log has
// a record or only grew, and signed checkpoints, all without the records.
//
// The tree is that of RFC 6962, section 2.1, over SHA-256. Its leaf i is
// SHA-256(0x00 || hash), where hash is the SHA-256 of record i's canonical JSON; records count
// from 0. A store keeps the record hashes and, of the tree, the nodes alone: the hashes of
// complete subtrees of 256, 256², 256³ … records. All other hashes are made from these when
// they are needed.
//
// [Root], [ProveRecord], [ProveTree] and [NewNodes] take the stored nodes at their word, and so
// read a few hundred hashes of a log of any length. A [Builder] takes the record hashes
// alone: with it, a log is verified, its nodes included.
//
// All functions may be used concurrently if the [Source] may.
package tree

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"

	"golang.org/x/mod/sumdb/tlog"
)

// A Hash is a SHA-256: of a record, or of a subtree.
type Hash = [sha256.Size]byte

// A Source reads what a store keeps. Both methods return n hashes, from number first on,
// in order; fewer only where the log ends. No call asks for more than 256.
type Source interface {
	// RecordHashes returns hashes of records.
	RecordHashes(ctx context.Context, first, n int64) ([]Hash, error)
	// Nodes returns hashes of complete subtrees of 256^level records; level is at least 1.
	Nodes(ctx context.Context, level int, first, n int64) ([]Hash, error)
}

// width is how many hashes of one level a node of the next is made from: eight levels of
// the binary tree.
const (
	width     = 1 << levelBits
	levelBits = 8
)

// MaxSize is the largest number of records in a tree, 256⁷.
const MaxSize = 1 << (7 * levelBits)

// A Node is the hash of a complete subtree, as a store keeps it.
type Node struct {
	Level int   // 1 for a subtree of 256 records, 2 for 65,536, and so on
	Index int64 // among those of its level; its first record is Index × 256^Level
	Hash  Hash
}

// ErrProof reports a proof that does not lead to the root.
var ErrProof = errors.New("the proof does not lead to the root: the record, the proof or the checkpoint was changed")

// A MissingError reports that a source has fewer hashes than the tree needs: the log was cut
// off, or its nodes were not stored.
type MissingError struct {
	Level int   // of the nodes; 0 for record hashes
	First int64 // the first that was asked for
	Want  int64 // how many were asked for
	Got   int   // how many there are
}

func (e *MissingError) Error() string {
	what, level := "record hashes", ""
	if e.Level > 0 {
		what, level = "nodes", fmt.Sprintf(" of level %d", e.Level)
	}
	return fmt.Sprintf("%s %d to %d%s: expected %d, found %d: the log is shorter than the tree, or was cut off",
		what, e.First, e.First+e.Want-1, level, e.Want, e.Got)
}

// LeafHash returns the leaf of the tree for a record hash: SHA-256(0x00 || hash).
func LeafHash(record Hash) Hash {
	var text [1 + sha256.Size]byte // the first byte is RFC 6962's mark of a leaf
	copy(text[1:], record[:])
	return sha256.Sum256(text[:])
}

// parentHash returns the hash of an inner node: SHA-256(0x01 || left || right).
func parentHash(left, right *Hash) Hash {
	var text [1 + 2*sha256.Size]byte
	text[0] = 1
	copy(text[1:], left[:])
	copy(text[1+sha256.Size:], right[:])
	return sha256.Sum256(text[:])
}

// Root returns the root of the tree of the first size records; of none, it is the SHA-256 of
// nothing. It reads at most 255 record hashes, and as many nodes of each level.
func Root(ctx context.Context, src Source, size int64) (Hash, error) {
	return levels(src).root(ctx, size)
}

// ProveRecord returns RFC 6962's audit path of a record in the tree of the first size
// records, from the leaf's sibling up. It reads at most 512 record hashes, and as many nodes of
// each level.
func ProveRecord(ctx context.Context, src Source, size, index int64) ([]Hash, error) {
	return levels(src).proveRecord(ctx, size, index)
}

// ProveTree returns RFC 6962's consistency proof that the tree of the first size records
// begins with the tree of the first older ones. For older 0 it is empty: every log begins with
// nothing. It reads as much as ProveRecord.
func ProveTree(ctx context.Context, src Source, size, older int64) ([]Hash, error) {
	return levels(src).proveTree(ctx, size, older)
}

// CheckRecord checks what ProveRecord returns, for a tree of size records whose root the caller
// trusts; record is the record's hash. A proof that does not hold is an [ErrProof].
func CheckRecord(proof []Hash, size int64, root Hash, index int64, record Hash) error {
	return checkLeaf(proof, size, root, index, LeafHash(record))
}

func checkLeaf(proof []Hash, size int64, root Hash, index int64, leaf Hash) error {
	if err := checkRange("record", index, size); err != nil {
		return err
	}
	if tlog.CheckRecord(convert[tlog.Hash](proof), size, root, index, leaf) != nil {
		return fmt.Errorf("record %d of %d: %w", index, size, ErrProof)
	}
	return nil
}

// CheckTree checks what ProveTree returns, for two trees whose roots the caller trusts. A
// proof that does not hold is an [ErrProof].
func CheckTree(proof []Hash, size int64, root Hash, older int64, olderRoot Hash) error {
	if err := checkOlder(size, older); err != nil {
		return err
	}
	holds := false
	if older == 0 { // RFC 6962 begins at 1
		holds = len(proof) == 0 && olderRoot == sha256.Sum256(nil) && (size > 0 || root == olderRoot)
	} else {
		holds = tlog.CheckTree(convert[tlog.Hash](proof), size, root, older, olderRoot) == nil
	}
	if !holds {
		return fmt.Errorf("the first %d of %d records: %w", older, size, ErrProof)
	}
	return nil
}

// checkSize: above 2^62, package tlog does not return.
func checkSize(size int64) error {
	if size < 0 || size > MaxSize {
		return fmt.Errorf("tree of %d records: expected 0 to %d", size, int64(MaxSize))
	}
	return nil
}

func checkRange(what string, index, size int64) error {
	if err := checkSize(size); err != nil {
		return err
	}
	if index < 0 || index >= size {
		return fmt.Errorf("%s %d: the tree has %d records, counted from 0", what, index, size)
	}
	return nil
}

func checkOlder(size, older int64) error {
	if err := checkSize(size); err != nil {
		return err
	}
	if older < 0 || older > size {
		return fmt.Errorf("the older tree has %d records, the newer %d: expected no more than that", older, size)
	}
	return nil
}

// convert makes hashes of package tlog of ours, and ours of its.
func convert[To, From ~[sha256.Size]byte](hashes []From) []To {
	to := make([]To, len(hashes))
	for i, h := range hashes {
		to[i] = To(h)
	}
	return to
}
