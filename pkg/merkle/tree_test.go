package merkle

import (
	"context"
	"encoding/hex"
	"errors"
	"slices"
	"testing"

	"github.com/transparency-dev/merkle/proof"
	"github.com/transparency-dev/merkle/rfc6962"
	"github.com/transparency-dev/merkle/testonly"
	"golang.org/x/mod/sumdb/tlog"
	"pgregory.net/rapid"
)

// reference returns the tree of another implementation.
func reference(hashes []Hash) *testonly.Tree {
	t := testonly.New(rfc6962.DefaultHasher)
	for _, h := range hashes {
		t.AppendData(h[:])
	}
	return t
}

func slicesOf(hashes []Hash) [][]byte {
	var s [][]byte
	for _, h := range hashes {
		s = append(s, h[:])
	}
	return s
}

// sameAsReference compares all results for two sizes and a record.
func sameAsReference(t interface {
	Helper()
	Fatalf(string, ...any)
}, m *memory, want *testonly.Tree, size, older, index int64) {
	t.Helper()
	ctx := context.Background()
	root, err := Root(ctx, m, size)
	if err != nil || !slices.Equal(root[:], want.HashAt(uint64(size))) {
		t.Fatalf("size %d: root %x, %v, want %x", size, root, err, want.HashAt(uint64(size)))
	}
	olderRoot, err := Root(ctx, m, older)
	if err != nil {
		t.Fatalf("size %d: %v", older, err)
	}
	tree, err := ProveTree(ctx, m, size, older)
	if err != nil {
		t.Fatalf("sizes %d, %d: %v", size, older, err)
	}
	if err := proof.VerifyConsistency(rfc6962.DefaultHasher, uint64(older), uint64(size), slicesOf(tree), olderRoot[:], root[:]); err != nil {
		t.Fatalf("sizes %d, %d: %v", size, older, err)
	}
	if err := CheckTree(tree, size, root, older, olderRoot); err != nil {
		t.Fatalf("%v", err)
	}
	if theirs, err := want.ConsistencyProof(uint64(older), uint64(size)); err != nil || !slices.EqualFunc(theirs, slicesOf(tree), slices.Equal) {
		t.Fatalf("sizes %d, %d: proof %x, %v, want %x", size, older, tree, err, theirs)
	}
	if index >= size {
		return
	}
	record, err := ProveRecord(ctx, m, size, index)
	if err != nil {
		t.Fatalf("record %d of %d: %v", index, size, err)
	}
	leaf := want.LeafHash(uint64(index))
	if err := proof.VerifyInclusion(rfc6962.DefaultHasher, uint64(index), uint64(size), leaf, slicesOf(record), root[:]); err != nil {
		t.Fatalf("record %d of %d: %v", index, size, err)
	}
	if err := CheckRecord(record, size, root, index, m.records[index]); err != nil {
		t.Fatalf("%v", err)
	}
	if theirs, err := want.InclusionProof(uint64(index), uint64(size)); err != nil || !slices.EqualFunc(theirs, slicesOf(record), slices.Equal) {
		t.Fatalf("record %d of %d: proof %x, %v, want %x", index, size, record, err, theirs)
	}
}

// TestSameAsReference compares roots and proofs with another implementation, for any two sizes and any record
// of a log that was extended in any portions.
func TestSameAsReference(t *testing.T) {
	hashes := recordHashes(5000)
	want := reference(hashes)
	rapid.Check(t, func(t *rapid.T) {
		m, b := &memory{}, &Builder{}
		total := rapid.IntRange(0, len(hashes)).Draw(t, "total")
		var appended, built []Node
		for len(m.records) < total {
			n := min(rapid.SampledFrom([]int{1, 7, 100, 255, 256, 257, 1000, 3000}).Draw(t, "portion"), total-len(m.records))
			nodes, err := NewNodes(context.Background(), m, int64(len(m.records)), hashes[len(m.records):len(m.records)+n])
			if err != nil {
				t.Fatal(err)
			}
			appended = append(appended, nodes...)
			m.records = hashes[:len(m.records)+n]
			for _, node := range nodes {
				m.nodes[node.Level] = append(m.nodes[node.Level], node.Hash)
			}
		}
		for _, h := range m.records {
			built = append(built, b.Add(h)...)
		}
		if !slices.Equal(appended, built) || len(built) != total/width {
			t.Fatalf("%d nodes appended, %d built", len(appended), len(built))
		}
		size := int64(rapid.IntRange(0, total).Draw(t, "size"))
		older := int64(rapid.IntRange(0, int(size)).Draw(t, "older"))
		sameAsReference(t, m, want, size, older, int64(rapid.IntRange(0, max(0, int(size)-1)).Draw(t, "index")))
	})
}

// TestBoundaries does the same at the boundaries of nodes.
func TestBoundaries(t *testing.T) {
	hashes := recordHashes(2*65536 + 300)
	want := reference(hashes)
	m := &memory{}
	m.append(t, hashes)
	sizes := []int64{0, 1, 2, 3, 255, 256, 257, 511, 512, 513, 65535, 65536, 65537, 65536 + 255, 65536 + 256, 65536 + 257, 2*65536 - 1, 2 * 65536, 2*65536 + 1, int64(len(hashes))}
	b := NewBuilder(sizes...)
	for _, h := range hashes {
		for _, node := range b.Add(h) {
			if m.nodes[node.Level][node.Index] != node.Hash {
				t.Fatalf("node %d of level %d differs", node.Index, node.Level)
			}
		}
	}
	for _, size := range sizes {
		if root, ok := b.RootAt(size); !ok || !slices.Equal(root[:], want.HashAt(uint64(size))) {
			t.Errorf("size %d: the builder's root is %x, %v", size, root, ok)
		}
		for _, older := range sizes {
			if older > size {
				continue
			}
			for _, index := range []int64{0, older - 1, older, size - 1} {
				sameAsReference(t, m, want, size, older, max(0, index))
			}
		}
	}
	if _, ok := b.RootAt(1000); ok {
		t.Error("a root that nobody has asked for is known")
	}
}

// levelsOf returns a tree with these leaves, which need not be 32 bytes.
func levelsOf(leaves []Hash) levelReader {
	return func(_ context.Context, level int, first, n int64) ([]Hash, error) {
		if level > 0 {
			return nil, errors.New("a tree of fewer than 256 leaves has no nodes")
		}
		return leaves[first : first+n], nil
	}
}

func unhex(t *testing.T, text string) Hash {
	t.Helper()
	h, err := hex.DecodeString(text)
	if err != nil {
		t.Fatal(err)
	}
	return Hash(h)
}

// TestReferenceVectors checks the vectors of the reference implementation of RFC 6962, certificate-transparency
// (cpp/merkletree/merkle_tree_test.cc): eight leaves, the root after each, and proofs.
func TestReferenceVectors(t *testing.T) {
	ctx := t.Context()
	inputs := []string{"", "00", "10", "2021", "3031", "40414243", "5051525354555657", "606162636465666768696a6b6c6d6e6f"}
	roots := []string{
		"6e340b9cffb37a989ca544e6bb780a2c78901d3fb33738768511a30617afa01d",
		"fac54203e7cc696cf0dfcb42c92a1d9dbaf70ad9e621f4bd8d98662f00e3c125",
		"aeb6bcfe274b70a14fb067a5e5578264db0fa9b51af5e0ba159158f329e06e77",
		"d37ee418976dd95753c1c73862b9398fa2a2cf9b4ff0fdfe8b30cd95209614b7",
		"4e3bbb1f7b478dcfe71fb631631519a3bca12c9aefca1612bfce4c13a86264d4",
		"76e67dadbcdf1e10e1b74ddc608abd2f98dfb16fbce75277b5232a127f2087ef",
		"ddb89be403809e325750d3d263cd78929c2942b7942a34b77e122c9594a74c8c",
		"5dc9da79a70659a9ad559cb701ded9a2ab9d823aad2f4960cfe370eff4604328",
	}
	b := NewBuilder()
	if got, want := b.Root(), unhex(t, "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"); got != want {
		t.Errorf("the empty tree has the root %x, want %x", got, want)
	}
	var leaves []Hash
	for i, input := range inputs {
		data, err := hex.DecodeString(input)
		if err != nil {
			t.Fatal(err)
		}
		leaf := Hash(tlog.RecordHash(data))
		leaves = append(leaves, leaf)
		b.addLeaf(leaf)
		want := unhex(t, roots[i])
		if got := b.Root(); got != want {
			t.Errorf("%d leaves have the root %x, want %x", i+1, got, want)
		}
		if got, err := levelsOf(leaves).root(ctx, int64(i+1)); err != nil || got != want {
			t.Errorf("%d leaves have the root %x, %v, want %x", i+1, got, err, want)
		}
	}
	for _, tt := range []struct {
		index, size int64
		proof       []string
	}{
		{0, 1, nil},
		{0, 8, []string{
			"96a296d224f285c67bee93c30f8a309157f0daa35dc5b87e410b78630a09cfc7",
			"5f083f0a1a33ca076a95279832580db3e0ef4584bdff1f54c8a360f50de3031e",
			"6b47aaf29ee3c2af9af889bc1fb9254dabd31177f16232dd6aab035ca39bf6e4",
		}},
		{5, 8, []string{
			"bc1a0643b12e4d2d7c77918f44e0f4f79a838b6cf9ec5b5c283e1f4d88599e6b",
			"ca854ea128ed050b41b35ffc1b87b8eb2bde461e9e3b5596ece6b9d5975a0ae0",
			"d37ee418976dd95753c1c73862b9398fa2a2cf9b4ff0fdfe8b30cd95209614b7",
		}},
		{2, 3, []string{"fac54203e7cc696cf0dfcb42c92a1d9dbaf70ad9e621f4bd8d98662f00e3c125"}},
		{1, 5, []string{
			"6e340b9cffb37a989ca544e6bb780a2c78901d3fb33738768511a30617afa01d",
			"5f083f0a1a33ca076a95279832580db3e0ef4584bdff1f54c8a360f50de3031e",
			"bc1a0643b12e4d2d7c77918f44e0f4f79a838b6cf9ec5b5c283e1f4d88599e6b",
		}},
	} {
		got, err := levelsOf(leaves).proveRecord(ctx, tt.size, tt.index)
		var want []Hash
		for _, h := range tt.proof {
			want = append(want, unhex(t, h))
		}
		if err != nil || !slices.Equal(got, want) {
			t.Errorf("leaf %d of %d: %x, %v, want %x", tt.index, tt.size, got, err, want)
		}
		if err := checkLeaf(want, tt.size, unhex(t, roots[tt.size-1]), tt.index, leaves[tt.index]); err != nil {
			t.Error(err)
		}
	}
	for _, tt := range []struct {
		older, size int64
		proof       []string
	}{
		{1, 1, nil},
		{1, 8, []string{
			"96a296d224f285c67bee93c30f8a309157f0daa35dc5b87e410b78630a09cfc7",
			"5f083f0a1a33ca076a95279832580db3e0ef4584bdff1f54c8a360f50de3031e",
			"6b47aaf29ee3c2af9af889bc1fb9254dabd31177f16232dd6aab035ca39bf6e4",
		}},
		{6, 8, []string{
			"0ebc5d3437fbe2db158b9f126a1d118e308181031d0a949f8dededebc558ef6a",
			"ca854ea128ed050b41b35ffc1b87b8eb2bde461e9e3b5596ece6b9d5975a0ae0",
			"d37ee418976dd95753c1c73862b9398fa2a2cf9b4ff0fdfe8b30cd95209614b7",
		}},
		{2, 5, []string{
			"5f083f0a1a33ca076a95279832580db3e0ef4584bdff1f54c8a360f50de3031e",
			"bc1a0643b12e4d2d7c77918f44e0f4f79a838b6cf9ec5b5c283e1f4d88599e6b",
		}},
	} {
		got, err := levelsOf(leaves).proveTree(ctx, tt.size, tt.older)
		var want []Hash
		for _, h := range tt.proof {
			want = append(want, unhex(t, h))
		}
		if err != nil || !slices.Equal(got, want) {
			t.Errorf("%d of %d: %x, %v, want %x", tt.older, tt.size, got, err, want)
		}
		if err := CheckTree(want, tt.size, unhex(t, roots[tt.size-1]), tt.older, unhex(t, roots[tt.older-1])); err != nil {
			t.Error(err)
		}
	}
}

func TestLeafHash(t *testing.T) {
	for _, h := range recordHashes(3) {
		if got, want := LeafHash(h), Hash(tlog.RecordHash(h[:])); got != want {
			t.Errorf("got %x, want %x", got, want)
		}
	}
}

// large is a log of any size that counts reads.
type large struct{ memory }

func (l *large) RecordHashes(_ context.Context, first, n int64) ([]Hash, error) {
	return make([]Hash, n), l.count(0, first, n)
}

func (l *large) Nodes(_ context.Context, level int, first, n int64) ([]Hash, error) {
	return make([]Hash, n), l.count(level, first, n)
}

func (l *large) count(level int, first, n int64) error {
	if first%width+n > width || n < 1 {
		return errors.New("reads what is below two nodes at once")
	}
	l.take(nil, level, first, n)
	return nil
}

// TestReadsLittle checks that the number of reads of a log hardly grows with its size.
func TestReadsLittle(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		ctx := context.Background()
		size := rapid.Int64Range(1, MaxSize).Draw(t, "size")
		at := rapid.Int64Range(0, size-1).Draw(t, "at")
		for name, tt := range map[string]struct {
			most int // per level
			do   func(Source) error
		}{
			"Root":        {255, func(s Source) error { _, err := Root(ctx, s, size); return err }},
			"ProveRecord": {512, func(s Source) error { _, err := ProveRecord(ctx, s, size, at); return err }},
			"ProveTree":   {512, func(s Source) error { _, err := ProveTree(ctx, s, size, at); return err }},
			"NewNodes":    {255, func(s Source) error { _, err := NewNodes(ctx, s, min(at, MaxSize-300), make([]Hash, 300)); return err }},
		} {
			var l large
			if err := tt.do(&l); err != nil {
				t.Fatalf("%s: %v", name, err)
			}
			if most := slices.Max(l.read[:]); most > tt.most || l.calls > 14 || l.longest > width {
				t.Fatalf("%s: %d calls read %v, at most %d at once", name, l.calls, l.read, l.longest)
			}
		}
	})
}

// TestAppendReadsNothing checks that records that complete no node are added without reads.
func TestAppendReadsNothing(t *testing.T) {
	m := newMemory(t, 1000)
	m.calls = 0
	if nodes := m.append(t, recordHashes(23)); nodes != nil || m.calls > 0 {
		t.Errorf("%d nodes, %d calls", len(nodes), m.calls)
	}
	if nodes := m.append(t, recordHashes(1)); len(nodes) != 1 || nodes[0].Index != 3 || m.calls != 1 || m.read[0] != 255 {
		t.Errorf("nodes %v, %d calls, read %v", nodes, m.calls, m.read)
	}
}

// TestD12SizesOutOfRange checks that impossible requests fail immediately: package tlog does not return for the
// largest ones.
func TestD12SizesOutOfRange(t *testing.T) {
	ctx, m := t.Context(), newMemory(t, 3)
	for _, size := range []int64{-1, MaxSize + 1, 1<<62 + 1, 1<<63 - 1} {
		_, root := Root(ctx, m, size)
		_, record := ProveRecord(ctx, m, size, 0)
		_, tree := ProveTree(ctx, m, size, 1)
		_, nodes := NewNodes(ctx, m, size, nil)
		for i, err := range []error{root, record, tree, nodes, CheckRecord(nil, size, Hash{}, 0, Hash{}), CheckTree(nil, size, Hash{}, 1, Hash{})} {
			if err == nil {
				t.Errorf("size %d: no error from %d", size, i)
			}
		}
	}
	for _, index := range []int64{-1, 3, 1 << 62} {
		if _, err := ProveRecord(ctx, m, 3, index); err == nil || CheckRecord(nil, 3, Hash{}, index, Hash{}) == nil {
			t.Errorf("record %d of 3: %v", index, err)
		}
	}
	for _, older := range []int64{-1, 4, 1 << 62} {
		if _, err := ProveTree(ctx, m, 3, older); err == nil || CheckTree(nil, 3, Hash{}, older, Hash{}) == nil {
			t.Errorf("%d of 3: %v", older, err)
		}
	}
	if _, err := NewNodes(ctx, m, MaxSize-1, make([]Hash, 2)); err == nil {
		t.Error("a log of more than MaxSize records")
	}
}

// failing is a source whose reads fail.
type failing struct{ err error }

func (f failing) RecordHashes(context.Context, int64, int64) ([]Hash, error) { return nil, f.err }
func (f failing) Nodes(context.Context, int, int64, int64) ([]Hash, error)   { return nil, f.err }

func TestSourceFails(t *testing.T) {
	ctx, f := t.Context(), failing{errors.New("no connection")}
	_, root := Root(ctx, f, 1000)
	_, record := ProveRecord(ctx, f, 1000, 5)
	_, tree := ProveTree(ctx, f, 1000, 5)
	_, nodes := NewNodes(ctx, f, 1000, recordHashes(100))
	for i, err := range []error{root, record, tree, nodes} {
		if !errors.Is(err, f.err) {
			t.Errorf("%d: %v", i, err)
		}
	}
}
