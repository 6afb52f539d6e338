package merkle

import (
	"errors"
	"testing"
)

// verify returns the result of verifying a log: the first stored node that differs, whether the log is shorter
// than the checkpoint, and whether the checkpoint has another root.
func verify(m *memory, c Checkpoint) (node *Node, cutOff, rootDiffers bool) {
	b := NewBuilder(c.Size)
	for _, h := range m.records {
		for _, n := range b.Add(h) {
			stored := m.nodes[n.Level]
			if node == nil && (n.Index >= int64(len(stored)) || stored[n.Index] != n.Hash) {
				node = &Node{Level: n.Level, Index: n.Index}
			}
		}
	}
	root, ok := b.RootAt(c.Size)
	return node, !ok, ok && root != c.Root
}

// TestTamperingIsFound checks that any change of a store is detected, by its own nodes or by a checkpoint.
func TestTamperingIsFound(t *testing.T) {
	const size = 65536 + 1000
	m := newMemory(t, size)
	root, err := Root(t.Context(), m, size-100)
	if err != nil {
		t.Fatal(err)
	}
	c := Checkpoint{Origin: "example.com/audit", Size: size - 100, Root: root}
	if node, cutOff, rootDiffers := verify(m, c); node != nil || cutOff || rootDiffers {
		t.Fatalf("an honest log: node %v, cut off %v, root differs %v", node, cutOff, rootDiffers)
	}
	for _, tt := range []struct {
		name        string
		change      func(m *memory, c *Checkpoint)
		node        *Node
		cutOff      bool
		rootDiffers bool
	}{
		{name: "a record hash", change: func(m *memory, _ *Checkpoint) { m.records[40000][31] ^= 1 }, node: &Node{Level: 1, Index: 156}, rootDiffers: true},
		{name: "a record hash above all nodes, before the checkpoint", change: func(m *memory, _ *Checkpoint) { m.records[size-105][0] ^= 0x80 }, rootDiffers: true},
		{name: "a record removed", change: func(m *memory, _ *Checkpoint) { m.records = append(m.records[:300], m.records[301:]...) }, node: &Node{Level: 1, Index: 1}, rootDiffers: true},
		{name: "two records exchanged", change: func(m *memory, _ *Checkpoint) { m.records[7], m.records[8] = m.records[8], m.records[7] }, node: &Node{Level: 1, Index: 0}, rootDiffers: true},
		{name: "a node", change: func(m *memory, _ *Checkpoint) { m.nodes[1][3][5] ^= 4 }, node: &Node{Level: 1, Index: 3}},
		{name: "a node of level 2", change: func(m *memory, _ *Checkpoint) { m.nodes[2][0][5] ^= 4 }, node: &Node{Level: 2, Index: 0}},
		{name: "a missing node", change: func(m *memory, _ *Checkpoint) { m.nodes[1] = m.nodes[1][:258] }, node: &Node{Level: 1, Index: 258}},
		{name: "cut off", change: func(m *memory, _ *Checkpoint) { m.records = m.records[:size-101] }, cutOff: true},
		{name: "all rewritten, nodes too", change: func(m *memory, _ *Checkpoint) {
			records := m.records
			records[0][0] ^= 1
			*m = memory{}
			m.append(t, records)
		}, rootDiffers: true},
		{name: "the root of the checkpoint", change: func(_ *memory, c *Checkpoint) { c.Root[0] ^= 1 }, rootDiffers: true},
		{name: "the size of the checkpoint", change: func(_ *memory, c *Checkpoint) { c.Size++ }, rootDiffers: true},
	} {
		t.Run(tt.name, func(t *testing.T) {
			changed, c := m.clone(), c
			tt.change(changed, &c)
			node, cutOff, rootDiffers := verify(changed, c)
			if (node == nil) != (tt.node == nil) || node != nil && *node != *tt.node || cutOff != tt.cutOff || rootDiffers != tt.rootDiffers {
				t.Errorf("node %v, cut off %v, root differs %v; want %v, %v, %v", node, cutOff, rootDiffers, tt.node, tt.cutOff, tt.rootDiffers)
			}
		})
	}
}

// TestMissingHashes checks that a store that lost records or nodes returns neither a root nor proofs for its
// former size.
func TestMissingHashes(t *testing.T) {
	ctx := t.Context()
	for _, tt := range []struct {
		name   string
		change func(m *memory)
		want   string
	}{
		{"records", func(m *memory) { m.records = m.records[:700] },
			"record hashes 512 to 743: expected 232, found 188: the log is shorter than the tree, or was cut off"},
		{"nodes", func(m *memory) { m.nodes[1] = m.nodes[1][:1] },
			"nodes 0 to 1 of level 1: expected 2, found 1: the log is shorter than the tree, or was cut off"},
	} {
		m := newMemory(t, 1000)
		tt.change(m)
		_, err := Root(ctx, m, 744)
		if missing := (*MissingError)(nil); !errors.As(err, &missing) || err.Error() != tt.want {
			t.Errorf("%s: %v", tt.name, err)
		}
		if _, err := ProveTree(ctx, m, 744, 600); !errors.As(err, new(*MissingError)) {
			t.Errorf("%s: %v", tt.name, err)
		}
	}
}

func BenchmarkBuilder(b *testing.B) {
	hashes := recordHashes(1 << 16)
	var builder Builder
	i := 0
	b.ReportAllocs()
	for b.Loop() {
		builder.Add(hashes[i&(1<<16-1)])
		i++
	}
	b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "records/s")
}

// In portions of this many records, on a log of 65,536 × 3.
func BenchmarkNewNodes(b *testing.B) {
	m := newMemory(b, 3*65536-100)
	for _, bm := range []struct {
		name string
		n    int
	}{{"1", 1}, {"100", 100}, {"256", 256}, {"1000", 1000}, {"10000", 10000}} {
		hashes := recordHashes(bm.n)
		b.Run(bm.name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if _, err := NewNodes(b.Context(), m, int64(len(m.records)), hashes); err != nil {
					b.Fatal(err)
				}
			}
			b.ReportMetric(float64(b.N*bm.n)/b.Elapsed().Seconds(), "records/s")
		})
	}
}

func BenchmarkRoot(b *testing.B) {
	m := newMemory(b, 4*65536-1)
	for b.Loop() {
		if _, err := Root(b.Context(), m, 4*65536-1); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkProveRecord(b *testing.B) {
	m := newMemory(b, 4*65536-1)
	for b.Loop() {
		if _, err := ProveRecord(b.Context(), m, 4*65536-1, 100000); err != nil {
			b.Fatal(err)
		}
	}
}
