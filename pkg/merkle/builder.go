package merkle

import (
	"crypto/sha256"
	"math/bits"
	"slices"
)

// A Builder builds a tree from only the record hashes, in order, in constant memory. Verification of a log
// uses it: the nodes that it returns are compared with the stored ones, and its roots with the roots in
// checkpoints. The zero Builder is an empty tree.
//
// A Builder must not be used concurrently.
type Builder struct {
	size     int64
	subtrees [7*levelBits + 1]Hash // the complete subtrees of the tree, one for each bit of size
	nodes    []Node                // result of the last Add
	sizes    []int64               // sizes at which to keep the root, ascending; not reached yet
	roots    map[int64]Hash        // roots at the sizes reached
}

// NewBuilder returns a Builder that keeps the roots at the sizes, for RootAt.
func NewBuilder(sizes ...int64) *Builder {
	b := &Builder{sizes: slices.Sorted(slices.Values(sizes)), roots: map[int64]Hash{}}
	b.remember()
	return b
}

// Add appends a record by its hash. It returns the nodes that it completes, in the order of their levels;
// mostly none. They are valid until the next call.
func (b *Builder) Add(record Hash) []Node { return b.addLeaf(LeafHash(record)) }

func (b *Builder) addLeaf(h Hash) []Node {
	b.nodes = b.nodes[:0]
	height := 0
	for ; b.size>>height&1 == 1; height++ {
		h = parentHash(&b.subtrees[height], &h)
		if above := height + 1; above%levelBits == 0 {
			b.nodes = append(b.nodes, Node{Level: above / levelBits, Index: b.size >> above, Hash: h})
		}
	}
	b.subtrees[height] = h
	b.size++
	if len(b.sizes) > 0 && b.sizes[0] == b.size {
		b.remember()
	}
	return b.nodes
}

// remember keeps the root if it is wanted at this size.
func (b *Builder) remember() {
	for len(b.sizes) > 0 && b.sizes[0] <= b.size {
		if b.sizes[0] == b.size {
			b.roots[b.size] = b.Root()
		}
		b.sizes = b.sizes[1:]
	}
}

// Size returns the number of records so far.
func (b *Builder) Size() int64 { return b.size }

// Root returns the root of the tree of all records so far.
func (b *Builder) Root() Hash {
	if b.size == 0 {
		return sha256.Sum256(nil)
	}
	height := bits.TrailingZeros64(uint64(b.size))
	root := b.subtrees[height]
	for height++; b.size>>height > 0; height++ {
		if b.size>>height&1 == 1 {
			root = parentHash(&b.subtrees[height], &root)
		}
	}
	return root
}

// RootAt returns the root of the tree of the first size records. It is known if size is the current size, or
// was given to NewBuilder and has been reached.
func (b *Builder) RootAt(size int64) (Hash, bool) {
	if size == b.size {
		return b.Root(), true
	}
	root, ok := b.roots[size]
	return root, ok
}
