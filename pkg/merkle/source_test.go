package merkle

import (
	"context"
	"crypto/sha256"
	"fmt"
	"slices"
	"testing"
)

// memory is a store in memory that counts reads.
type memory struct {
	records []Hash
	nodes   [8][]Hash // by level
	read    [8]int    // hashes, by level
	calls   int
	longest int64 // the maximum number of hashes requested by one call
}

func (m *memory) RecordHashes(_ context.Context, first, n int64) ([]Hash, error) {
	return m.take(m.records, 0, first, n), nil
}

func (m *memory) Nodes(_ context.Context, level int, first, n int64) ([]Hash, error) {
	return m.take(m.nodes[level], level, first, n), nil
}

func (m *memory) take(row []Hash, level int, first, n int64) []Hash {
	m.calls++
	m.read[level] += int(n)
	m.longest = max(m.longest, n)
	return row[min(first, int64(len(row))):min(first+n, int64(len(row)))]
}

// append adds records like a store, with the nodes that they complete.
func (m *memory) append(t testing.TB, hashes []Hash) []Node {
	t.Helper()
	nodes, err := NewNodes(t.Context(), m, int64(len(m.records)), hashes)
	if err != nil {
		t.Fatal(err)
	}
	m.records = append(m.records, hashes...)
	for _, n := range nodes {
		if n.Index != int64(len(m.nodes[n.Level])) {
			t.Fatalf("node %d of level %d comes after %d", n.Index, n.Level, len(m.nodes[n.Level]))
		}
		m.nodes[n.Level] = append(m.nodes[n.Level], n.Hash)
	}
	return nodes
}

// recordHashes returns n different record hashes.
func recordHashes(n int) []Hash {
	hashes := make([]Hash, n)
	for i := range hashes {
		hashes[i] = sha256.Sum256(fmt.Appendf(nil, `{"sequence":%d}`, i))
	}
	return hashes
}

func newMemory(t testing.TB, size int) *memory {
	t.Helper()
	m := &memory{}
	m.append(t, recordHashes(size))
	return m
}

func (m *memory) clone() *memory {
	c := &memory{records: slices.Clone(m.records)}
	for level, row := range m.nodes {
		c.nodes[level] = slices.Clone(row)
	}
	return c
}
