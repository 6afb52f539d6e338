package merkle

import (
	"context"
	"slices"

	"golang.org/x/mod/sumdb/tlog"
)

// A levelReader reads hashes of every eighth level of the binary tree: level 0 are the leaves, level k the
// nodes.
type levelReader func(ctx context.Context, level int, first, n int64) ([]Hash, error)

// levels reads the levels of a source. It returns an error if the source returns too few hashes.
func levels(src Source) levelReader {
	return func(ctx context.Context, level int, first, n int64) ([]Hash, error) {
		var hashes []Hash
		var err error
		if level == 0 {
			hashes, err = src.RecordHashes(ctx, first, n)
		} else {
			hashes, err = src.Nodes(ctx, level, first, n)
		}
		if err != nil {
			return nil, err
		}
		if int64(len(hashes)) != n {
			return nil, &MissingError{Level: level, First: first, Want: n, Got: len(hashes)}
		}
		if level > 0 {
			return hashes, nil
		}
		return leafHashes(hashes), nil
	}
}

// leafHashes returns the leaves of the tree for record hashes.
func leafHashes(records []Hash) []Hash {
	leaves := make([]Hash, len(records))
	for i, r := range records {
		leaves[i] = LeafHash(r)
	}
	return leaves
}

func (read levelReader) root(ctx context.Context, size int64) (Hash, error) {
	if err := checkSize(size); err != nil {
		return Hash{}, err
	}
	root, err := tlog.TreeHash(size, read.reader(ctx))
	return Hash(root), err
}

func (read levelReader) proveRecord(ctx context.Context, size, index int64) ([]Hash, error) {
	if err := checkRange("record", index, size); err != nil {
		return nil, err
	}
	proof, err := tlog.ProveRecord(size, index, read.reader(ctx))
	return convert[Hash](proof), err
}

func (read levelReader) proveTree(ctx context.Context, size, older int64) ([]Hash, error) {
	if err := checkOlder(size, older); err != nil || older == 0 {
		return nil, err
	}
	proof, err := tlog.ProveTree(size, older, read.reader(ctx))
	return convert[Hash](proof), err
}

// A span is a range of the 256 hashes below one node, read in one call.
type span struct {
	level      int
	node       int64 // index in the next level
	first, end int64
	hashes     []Hash
}

// reader returns the hashes of complete subtrees. Each is computed from 1 to 128 stored hashes; hashes below
// the same node are read in one call.
func (read levelReader) reader(ctx context.Context) tlog.HashReader {
	return tlog.HashReaderFunc(func(indexes []int64) ([]tlog.Hash, error) {
		type subtree struct {
			span       int
			first, end int64
		}
		var spans []span
		subtrees := make([]subtree, len(indexes))
		for i, index := range indexes {
			height, n := tlog.SplitStoredHashIndex(index)
			level, above := height/levelBits, height%levelBits
			first, end := n<<above, (n+1)<<above
			node := first / width
			at := slices.IndexFunc(spans, func(s span) bool { return s.level == level && s.node == node })
			if at < 0 {
				at = len(spans)
				spans = append(spans, span{level: level, node: node, first: first, end: end})
			}
			spans[at].first, spans[at].end = min(spans[at].first, first), max(spans[at].end, end)
			subtrees[i] = subtree{at, first, end}
		}
		for i, s := range spans {
			hashes, err := read(ctx, s.level, s.first, s.end-s.first)
			if err != nil {
				return nil, err
			}
			spans[i].hashes = hashes
		}
		found := make([]tlog.Hash, len(indexes))
		for i, t := range subtrees {
			s := spans[t.span]
			found[i] = tlog.Hash(subtreeHash(s.hashes[t.first-s.first : t.end-s.first]))
		}
		return found, nil
	})
}

// subtreeHash returns the hash of the complete tree of at most 256 hashes, a power of two.
func subtreeHash(hashes []Hash) Hash {
	var row [width]Hash
	n := copy(row[:], hashes)
	for ; n > 1; n /= 2 {
		for i := range n / 2 {
			row[i] = parentHash(&row[2*i], &row[2*i+1])
		}
	}
	return row[0]
}

// NewNodes returns the nodes that new records complete, to be stored together with them, ordered by level and
// index. hashes are the hashes of the new records, and size is the number of earlier records, whose hashes
// src has. It reads at most 255 record hashes if a node is completed, none otherwise; and at most 255 nodes
// of each level, if a node of the next level is completed.
func NewNodes(ctx context.Context, src Source, size int64, hashes []Hash) ([]Node, error) {
	if err := checkSize(size); err != nil {
		return nil, err
	}
	if err := checkSize(size + int64(len(hashes))); err != nil {
		return nil, err
	}
	if size%width+int64(len(hashes)) < width {
		return nil, nil
	}
	return levels(src).newNodes(ctx, size, leafHashes(hashes))
}

func (read levelReader) newNodes(ctx context.Context, size int64, row []Hash) ([]Node, error) {
	var nodes []Node
	// row has the new hashes of a level, which had size hashes before.
	for level := 0; size%width+int64(len(row)) >= width; level++ {
		if earlier := size % width; earlier > 0 {
			hashes, err := read(ctx, level, size-earlier, earlier)
			if err != nil {
				return nil, err
			}
			row = slices.Concat(hashes, row)
		}
		size /= width
		next := make([]Hash, 0, len(row)/width)
		for ; len(row) >= width; row = row[width:] {
			h := subtreeHash(row[:width])
			nodes = append(nodes, Node{Level: level + 1, Index: size + int64(len(next)), Hash: h})
			next = append(next, h)
		}
		row = next
	}
	return nodes, nil
}
