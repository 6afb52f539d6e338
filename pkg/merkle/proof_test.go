package merkle

import (
	"bytes"
	"context"
	"crypto/ed25519"
	"crypto/sha256"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/transparency-dev/merkle/proof"
	"github.com/transparency-dev/merkle/rfc6962"
	"pgregory.net/rapid"
)

// recordText is the record of recordHashes at an index.
func recordText(index int64) []byte { return fmt.Appendf(nil, `{"sequence":%d}`, index) }

// prove returns a proof of a record for a checkpoint of a size.
func prove(t interface{ Fatal(...any) }, m *memory, size, index int64) Proof {
	ctx := context.Background()
	root, err := Root(ctx, m, size)
	if err != nil {
		t.Fatal(err)
	}
	key, _ := testKey()
	checkpoint, err := SignCheckpoint(Checkpoint{Origin: keyName, Size: size, Root: root}, keyName, key)
	if err != nil {
		t.Fatal(err)
	}
	hashes, err := ProveRecord(ctx, m, size, index)
	if err != nil {
		t.Fatal(err)
	}
	return Proof{Index: index, Hashes: hashes, Checkpoint: checkpoint}
}

// TestProofRoundTrip checks that a proof of any record verifies after formatting and parsing, and that a proof
// of another record, place or log does not.
func TestProofRoundTrip(t *testing.T) {
	m := newMemory(t, 2000)
	_, public := testKey()
	rapid.Check(t, func(t *rapid.T) {
		size := rapid.Int64Range(1, 2000).Draw(t, "size")
		index := rapid.Int64Range(0, size-1).Draw(t, "index")
		p := prove(t, m, size, index)
		p.Extra = rapid.SliceOf(rapid.Byte()).Draw(t, "extra")
		text, err := FormatProof(p)
		if err != nil {
			t.Fatal(err)
		}
		read, err := ParseProof(text)
		if err != nil {
			t.Fatal(err)
		}
		if read.Index != p.Index || !slices.Equal(read.Hashes, p.Hashes) || !bytes.Equal(read.Checkpoint, p.Checkpoint) || !bytes.Equal(read.Extra, p.Extra) {
			t.Fatalf("%+v reads as %+v", p, read)
		}
		c, err := VerifyProof(recordText(index), read, keyName, public)
		if err != nil || c.Size != size || c.Origin != keyName {
			t.Fatalf("%+v, %v", c, err)
		}
		other := rapid.Int64Range(0, 1999).Filter(func(i int64) bool { return i != index }).Draw(t, "other")
		if c, err := VerifyProof(recordText(other), read, keyName, public); !errors.Is(err, ErrProof) || c != (Checkpoint{}) {
			t.Fatalf("record %d in place of %d: %+v, %v", other, index, c, err)
		}
		read.Index = other
		if _, err := VerifyProof(recordText(index), read, keyName, public); err == nil {
			t.Fatalf("record %d verifies as %d of %d", index, other, size)
		}
	})
}

// TestEveryByteOfAProofCounts checks that no byte and no line of a proof without extra data can be changed,
// added or removed.
func TestEveryByteOfAProofCounts(t *testing.T) {
	_, public := testKey()
	text, err := FormatProof(prove(t, newMemory(t, 700), 700, 600))
	if err != nil {
		t.Fatal(err)
	}
	verifies := func(text []byte) bool {
		p, err := ParseProof(text)
		if err != nil {
			return false
		}
		_, err = VerifyProof(recordText(600), p, keyName, public)
		return err == nil
	}
	if !verifies(text) {
		t.Fatal("the proof itself does not verify")
	}
	for i := range text {
		for _, c := range []byte("\n\r 06aB+/=\x00\xff") {
			if text[i] != c && verifies(append(append(bytes.Clone(text[:i]), c), text[i+1:]...)) {
				t.Errorf("verifies with %q at %d", c, i)
			}
			if text[i] != c && verifies(append(append(bytes.Clone(text[:i]), c), text[i:]...)) {
				t.Errorf("verifies with %q added at %d", c, i)
			}
		}
		if verifies(text[:i]) {
			t.Errorf("verifies cut off at %d", i)
		}
	}
	lines := bytes.SplitAfter(text, []byte("\n"))
	for i := range lines[:len(lines)-1] {
		if verifies(bytes.Join(slices.Delete(slices.Clone(lines), i, i+1), nil)) {
			t.Errorf("verifies without line %d", i+1)
		}
		isSignature := bytes.HasPrefix(lines[i], []byte("— ")) // any number is permitted
		if verifies(bytes.Join(slices.Insert(slices.Clone(lines), i, lines[i]), nil)) != isSignature {
			t.Errorf("with line %d twice", i+1)
		}
	}
}

func TestNoProof(t *testing.T) {
	text, err := FormatProof(prove(t, newMemory(t, 3), 3, 0))
	if err != nil {
		t.Fatal(err)
	}
	good := string(text)
	hash := strings.Split(good, "\n")[2] + "\n"
	for _, tt := range []struct{ old, new, want string }{
		{good, "", `line 1: expected "c2sp.org/tlog-proof@v1", found ""`},
		{"@v1", "@v2", `line 1: expected "c2sp.org/tlog-proof@v1", found "c2sp.org/tlog-proof@v2"`},
		{"\n\nexample", "\nexample", "line 5: expected 32 bytes in base64"},
		{good[strings.Index(good, "\n\n"):], "", "found the end"},
		{"index 0\n", "", `line 2: expected "index"`},
		{"index 0", "index 00", `line 2: expected "index"`},
		{"index 0", "index -1", `line 2: expected "index"`},
		{"index 0", "index", `line 2: expected "index"`},
		{"index 0", "extra \nindex 0", "line 2: expected extra data in base64"},
		{"index 0", "extra YQ==\r\nindex 0", "line 2: expected extra data in base64"},
		{"index 0", "extra YR==\nindex 0", "line 2: expected extra data in base64"},
		{"index 0", "extra YQ==\nextra YQ==\nindex 0", `line 3: expected "index"`},
		{hash, strings.Repeat(hash, 100), "line 64: expected 32 bytes in base64"},
		{hash, "AAAA\n", "line 3: expected 32 bytes in base64"},
		{"\n3\n", "\nthree\n", "checkpoint, line 2"},
		{"index 0", "extra " + strings.Repeat("A", maxProof), "expected at most 16777216"},
	} {
		changed := strings.Replace(good, tt.old, tt.new, 1)
		if changed == good {
			t.Fatalf("%q is not in the proof", tt.old)
		}
		if _, err := ParseProof([]byte(changed)); err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%.200q: %v, want %q", changed, err, tt.want)
		}
	}
	p, err := ParseProof(text)
	if err != nil {
		t.Fatal(err)
	}
	for what, change := range map[string]func(*Proof){
		"no checkpoint":    func(p *Proof) { p.Checkpoint = nil },
		"a negative index": func(p *Proof) { p.Index = -1 },
		"too many hashes":  func(p *Proof) { p.Hashes = make([]Hash, maxProofLines) },
	} {
		changed := p
		change(&changed)
		if text, err := FormatProof(changed); err == nil {
			t.Errorf("%s: wrote %q", what, text)
		}
	}
	_, other, err := ed25519.GenerateKey(nil)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := VerifyProof(recordText(0), p, "", other.Public().(ed25519.PublicKey)); !errors.Is(err, ErrUnknownKey) {
		t.Errorf("another key: %v", err)
	}
}

// FuzzParseProof checks that a parsed proof is formatted as it was.
func FuzzParseProof(f *testing.F) {
	for _, size := range []int64{1, 5, 700} {
		p := prove(f, newMemory(f, 700), size, size/2)
		for _, extra := range []string{"", "x"} {
			p.Extra = []byte(extra)
			text, err := FormatProof(p)
			if err != nil {
				f.Fatal(err)
			}
			f.Add(text)
		}
	}
	_, public := testKey()
	f.Fuzz(func(t *testing.T, text []byte) {
		p, err := ParseProof(text)
		if err != nil {
			return
		}
		if again, err := FormatProof(p); err != nil || !bytes.Equal(again, text) {
			t.Fatalf("%q is written as %q, %v", text, again, err)
		}
		_, _ = VerifyProof(nil, p, "", public)
	})
}

// FuzzCheck checks that the parser accepts exactly the proofs that another implementation accepts.
func FuzzCheck(f *testing.F) {
	m := newMemory(f, 700)
	for _, size := range []int64{1, 2, 3, 256, 700} {
		p := prove(f, m, size, size/3)
		f.Add(size, size/3, bytes.Join(slicesOf(p.Hashes), nil))
	}
	f.Fuzz(func(t *testing.T, size, number int64, text []byte) {
		if size < 1 || size > MaxSize || number < 0 || len(text) > 64*sha256.Size {
			return
		}
		var hashes []Hash
		for chunk := range slices.Chunk(text, sha256.Size) {
			var h Hash
			copy(h[:], chunk)
			hashes = append(hashes, h)
		}
		leaf := LeafHash(Hash{})
		// The proof must be valid with the root that results from it.
		root, err := proof.RootFromInclusionProof(rfc6962.DefaultHasher, uint64(number), uint64(size), leaf[:], slicesOf(hashes))
		var want Hash
		copy(want[:], root)
		if ours := CheckRecord(hashes, size, want, number, Hash{}); (ours == nil) != (err == nil) {
			t.Fatalf("record %d of %d: %v, the reference: %v", number, size, ours, err)
		}
		a, b := Hash{1}, Hash{2}
		if len(hashes) > 0 {
			a, b = hashes[0], hashes[len(hashes)-1]
		}
		ours := CheckTree(hashes, size, b, number, a)
		theirs := proof.VerifyConsistency(rfc6962.DefaultHasher, uint64(number), uint64(size), slicesOf(hashes), a[:], b[:])
		if number > 0 && (ours == nil) != (theirs == nil) {
			t.Fatalf("%d of %d: %v, the reference: %v", number, size, ours, theirs)
		}
	})
}
