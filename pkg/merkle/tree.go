// Package merkle is the Merkle tree over the records of an audit log: roots, proofs that a log contains a
// record or only grew, and signed checkpoints, all without the records.
//
// The tree is that of RFC 6962, section 2.1, over SHA-256. Its leaf i is SHA-256(0x00 || hash), where hash is
// the SHA-256 of record i's canonical JSON; records count from 0. A store keeps only the record hashes and
// the nodes: the hashes of complete subtrees of 256, 256², 256³ … records. All other hashes are computed from
// these when needed.
//
// [Root], [ProveRecord], [ProveTree] and [NewNodes] trust the stored nodes, and so read only a few hundred
// hashes of a log of any length. A [Builder] uses only the record hashes: it verifies a log including its
// nodes.
//
// All functions are safe for concurrent use if the [Source] is.
package merkle

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"

	"golang.org/x/mod/sumdb/tlog"
)

// A Hash is the SHA-256 hash of a record or a subtree.
type Hash = [sha256.Size]byte

// A Source reads hashes from a store. Both methods return n hashes in order, beginning with number first;
// fewer only at the end of the log. n is at most 256.
type Source interface {
	// RecordHashes returns hashes of records.
	RecordHashes(ctx context.Context, first, n int64) ([]Hash, error)
	// Nodes returns hashes of complete subtrees of 256^level records; level is at least 1.
	Nodes(ctx context.Context, level int, first, n int64) ([]Hash, error)
}

// width is the number of hashes of one level below a node of the next: eight levels of the binary tree.
const (
	width     = 1 << levelBits
	levelBits = 8
)

// MaxSize is the largest number of records in a tree, 256⁷.
const MaxSize = 1 << (7 * levelBits)

// A Node is the stored hash of a complete subtree.
type Node struct {
	Level int   // 1 for a subtree of 256 records, 2 for 65,536, and so on
	Index int64 // index in its level; its first record is Index × 256^Level
	Hash  Hash
}

// ErrProof reports a proof that does not lead to the root.
var ErrProof = errors.New("the proof does not lead to the root: the record, the proof or the checkpoint was changed")

// A MissingError reports that a source has fewer hashes than the tree needs: the log was cut off, or its
// nodes were not stored.
type MissingError struct {
	Level int   // of the nodes; 0 for record hashes
	First int64 // first requested index
	Want  int64 // number of requested hashes
	Got   int   // number of returned hashes
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
	var text [1 + sha256.Size]byte // the first byte is RFC 6962's prefix of a leaf
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

// Root returns the root of the tree of the first size records; for none, it is the SHA-256 of the empty
// string. It reads at most 255 record hashes, and as many nodes of each level.
func Root(ctx context.Context, src Source, size int64) (Hash, error) {
	return levels(src).root(ctx, size)
}

// ProveRecord returns RFC 6962's audit path of a record in the tree of the first size
// records, from the leaf's sibling up. It reads at most 512 record hashes, and as many nodes of
// each level.
func ProveRecord(ctx context.Context, src Source, size, index int64) ([]Hash, error) {
	return levels(src).proveRecord(ctx, size, index)
}

// ProveTree returns RFC 6962's consistency proof that the tree of the first size records begins with the tree
// of the first older ones. It is empty if older is 0: the empty tree is a prefix of every tree. It reads as
// much as ProveRecord.
func ProveTree(ctx context.Context, src Source, size, older int64) ([]Hash, error) {
	return levels(src).proveTree(ctx, size, older)
}

// CheckRecord checks a proof of ProveRecord, for a tree of size records whose root the caller trusts; record
// is the record's hash. The error is [ErrProof] if the proof does not hold.
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

// CheckTree checks a proof of ProveTree, for two trees whose roots the caller trusts. The error is [ErrProof]
// if the proof does not hold.
func CheckTree(proof []Hash, size int64, root Hash, older int64, olderRoot Hash) error {
	if err := checkOlder(size, older); err != nil {
		return err
	}
	holds := false
	if older == 0 { // RFC 6962 requires at least 1
		holds = len(proof) == 0 && olderRoot == sha256.Sum256(nil) && (size > 0 || root == olderRoot)
	} else {
		holds = tlog.CheckTree(convert[tlog.Hash](proof), size, root, older, olderRoot) == nil
	}
	if !holds {
		return fmt.Errorf("the first %d of %d records: %w", older, size, ErrProof)
	}
	return nil
}

// checkSize returns an error for sizes above MaxSize: package tlog does not terminate for sizes above 2^62.
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
		return fmt.Errorf("the older tree has %d records, more than the newer one with %d", older, size)
	}
	return nil
}

// convert converts between hashes of package tlog and ours.
func convert[To, From ~[sha256.Size]byte](hashes []From) []To {
	to := make([]To, len(hashes))
	for i, h := range hashes {
		to[i] = To(h)
	}
	return to
}
