package merkle

import (
	"bytes"
	"crypto/ed25519"
	"errors"
	"fmt"
	"strings"
	"testing"

	"golang.org/x/mod/sumdb/note"
	"golang.org/x/mod/sumdb/tlog"
	"pgregory.net/rapid"
)

const keyName = "example.com/audit"

// testKey returns the same key every time.
func testKey() (ed25519.PrivateKey, ed25519.PublicKey) {
	key := ed25519.NewKeyFromSeed(bytes.Repeat([]byte{7}, ed25519.SeedSize))
	return key, key.Public().(ed25519.PublicKey)
}

func signed(t testing.TB, c Checkpoint) []byte {
	t.Helper()
	key, _ := testKey()
	text, err := SignCheckpoint(c, keyName, key)
	if err != nil {
		t.Fatal(err)
	}
	return text
}

// TestCheckpointRoundTrip checks that a signed checkpoint verifies, also with package note, and has the same
// content after parsing.
func TestCheckpointRoundTrip(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		c := Checkpoint{
			Origin: rapid.StringMatching(`[a-z]{1,5}\.example(/[a-zé— ]{1,5})?`).Draw(t, "origin"),
			Size:   rapid.Int64Range(0, MaxSize).Draw(t, "size"),
			Root:   Hash(rapid.SliceOfN(rapid.Byte(), 32, 32).Draw(t, "root")),
		}
		key := ed25519.NewKeyFromSeed(rapid.SliceOfN(rapid.Byte(), 32, 32).Draw(t, "seed"))
		public := key.Public().(ed25519.PublicKey)
		name := rapid.StringMatching(`[a-zé./]{1,10}`).Draw(t, "name")
		text, err := SignCheckpoint(c, name, key)
		if err != nil {
			t.Fatal(err)
		}
		for _, n := range []string{name, ""} {
			if got, err := VerifyCheckpoint(text, n, public); err != nil || got != c {
				t.Fatalf("%+v, %v, want %+v", got, err, c)
			}
		}
		if got, err := ParseCheckpoint(text); err != nil || got != c {
			t.Fatalf("%+v, %v, want %+v", got, err, c)
		}
		vkey, err := VerifierKey(name, public)
		if err != nil {
			t.Fatal(err)
		}
		v, err := note.NewVerifier(vkey)
		if err != nil {
			t.Fatal(err)
		}
		n, err := note.Open(text, note.VerifierList(v))
		if want := fmt.Sprintf("%s\n%d\n%s\n", c.Origin, c.Size, tlog.Hash(c.Root)); err != nil || n.Text != want {
			t.Fatalf("%+v, %v, want %q", n, err, want)
		}
		if _, err := VerifyCheckpoint(text, name+"x", public); !errors.Is(err, ErrUnknownKey) {
			t.Fatalf("another name: %v", err)
		}
		_, other := testKey()
		if _, err := VerifyCheckpoint(text, name, other); !errors.Is(err, ErrUnknownKey) {
			t.Fatalf("another key: %v", err)
		}
	})
}

// TestEveryByteOfACheckpointCounts checks that no byte of a checkpoint can be changed, added or removed.
func TestEveryByteOfACheckpointCounts(t *testing.T) {
	text := signed(t, Checkpoint{Origin: keyName, Size: 12345, Root: recordHashes(1)[0]})
	_, public := testKey()
	for i := range text {
		for _, c := range []byte("\n\r 0aB+/=\x00\xff") {
			for _, changed := range [][]byte{
				append(append(bytes.Clone(text[:i]), c), text[i+1:]...),
				append(append(bytes.Clone(text[:i]), c), text[i:]...),
				append(bytes.Clone(text[:i]), text[i+1:]...),
			} {
				if bytes.Equal(changed, text) {
					continue
				}
				if _, err := VerifyCheckpoint(changed, keyName, public); err == nil {
					t.Errorf("verifies with a change at %d: %q", i, changed)
				}
			}
		}
	}
	// Decoders ignore two bits of the last character before the padding.
	last := bytes.LastIndexByte(text, '=') - 1
	for _, c := range []byte("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/") {
		changed := bytes.Clone(text)
		changed[last] = c
		if _, err := VerifyCheckpoint(changed, keyName, public); c != text[last] && !errors.Is(err, ErrSignature) {
			t.Errorf("verifies with a signature that ends with %q: %v", c, err)
		}
	}
	for i := range text {
		if _, err := VerifyCheckpoint(text[:i], "", public); err == nil {
			t.Errorf("verifies cut off at %d", i)
		}
	}
}

// TestOtherSignatures checks that witnesses may add their signatures, and that one with the same key id over
// another text is an error.
func TestOtherSignatures(t *testing.T) {
	key, public := testKey()
	c := Checkpoint{Origin: keyName, Size: 5, Root: recordHashes(1)[0]}
	text := signed(t, c)
	witness, err := SignCheckpoint(c, "witness.example", ed25519.NewKeyFromSeed(bytes.Repeat([]byte{8}, ed25519.SeedSize)))
	if err != nil {
		t.Fatal(err)
	}
	cosignature := witness[bytes.Index(witness, []byte("\n— "))+1:]
	for _, both := range [][]byte{
		append(bytes.Clone(text), cosignature...),
		bytes.Replace(text, []byte("\n— "), append([]byte("\n"), append(bytes.Clone(cosignature), "— "...)...), 1),
	} {
		if got, err := VerifyCheckpoint(both, keyName, public); err != nil || got != c {
			t.Errorf("%+v, %v:\n%s", got, err, both)
		}
	}
	if _, err := VerifyCheckpoint(witness, "", public); !errors.Is(err, ErrUnknownKey) {
		t.Errorf("signed by a witness alone: %v", err)
	}
	c.Size = 4
	other, err := SignCheckpoint(c, keyName, key)
	if err != nil {
		t.Fatal(err)
	}
	mixed := append(bytes.Clone(text[:bytes.Index(text, []byte("\n— "))+1]), other[bytes.Index(other, []byte("\n— "))+1:]...)
	if _, err := VerifyCheckpoint(mixed, keyName, public); !errors.Is(err, ErrSignature) {
		t.Errorf("signed for another size: %v", err)
	}
}

func TestNoCheckpoint(t *testing.T) {
	good := string(signed(t, Checkpoint{Origin: keyName, Size: 3, Root: recordHashes(1)[0]}))
	root := strings.Split(good, "\n")[2]
	for _, tt := range []struct{ old, new, want string }{
		{good, "", "not a checkpoint"},
		{"\n\n", "\n", "not a checkpoint"},
		{"\n3\n", "\n03\n", `line 2: expected the number of records, found "03"`},
		{"\n3\n", "\n-3\n", `line 2: expected the number of records, found "-3"`},
		{"\n3\n", "\n99999999999999999999\n", "line 2"},
		{"\n3\n", "\n4611686018427387905\n", "line 2"},
		{root, root[:40], "line 3: expected 32 bytes in base64"},
		{root, root[:len(root)-2] + "9=", "line 3: expected 32 bytes in base64"},
		{root, root + "\nextension", "found 4 lines"},
		{root + "\n", "", "found 2 lines"},
		{keyName + "\n3", "\n3", "expected the lines origin"},
		{"3", "3\r", "not a checkpoint"},
		{"— ", "- ", "not a checkpoint"},
		{keyName, strings.Repeat("x", maxCheckpoint), "expected at most 1048576"},
	} {
		text := strings.Replace(good, tt.old, tt.new, 1)
		if _, err := ParseCheckpoint([]byte(text)); err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%.200q: %v, want %q", text, err, tt.want)
		}
	}
}

// TestNotSigned checks that a checkpoint is not signed if it could not be parsed again.
func TestNotSigned(t *testing.T) {
	key, public := testKey()
	_, foreign, err := ed25519.GenerateKey(nil)
	if err != nil {
		t.Fatal(err)
	}
	good := Checkpoint{Origin: keyName, Size: 1}
	mixed := append(bytes.Clone(key[:32]), foreign[32:]...)
	for _, tt := range []struct {
		what string
		c    Checkpoint
		name string
		key  ed25519.PrivateKey
	}{
		{"no origin", Checkpoint{}, keyName, key},
		{"an origin of two lines", Checkpoint{Origin: "a\nb"}, keyName, key},
		{"an origin that is a checkpoint", Checkpoint{Origin: "a\n1\n" + strings.Repeat("A", 43) + "="}, keyName, key},
		{"a control character", Checkpoint{Origin: "a\tb"}, keyName, key},
		{"no UTF-8", Checkpoint{Origin: "\xff"}, keyName, key},
		{"a negative size", Checkpoint{Origin: "a", Size: -1}, keyName, key},
		{"no name", good, "", key},
		{"a name with a space", good, "a b", key},
		{"a name with a plus sign", good, "a+b", key},
		{"no key", good, keyName, nil},
		{"a public key", good, keyName, ed25519.PrivateKey(public)},
		{"the halves of two keys", good, keyName, mixed},
	} {
		if text, err := SignCheckpoint(tt.c, tt.name, tt.key); err == nil {
			t.Errorf("%s: signed %q", tt.what, text)
		}
	}
	text := signed(t, good)
	for _, key := range []ed25519.PublicKey{nil, public[:31], append(bytes.Clone(public), 0)} {
		if _, err := VerifyCheckpoint(text, "", key); err == nil {
			t.Errorf("verifies with a key of %d bytes", len(key))
		}
		if vkey, err := VerifierKey(keyName, key); err == nil {
			t.Errorf("a verifier key of %d bytes: %s", len(key), vkey)
		}
	}
	for _, vkey := range []string{"", "a", "a+b", "a+00000000+AAAA", "sum.golang.org+033de0ae+Ac4zctda0e5eza+HJyk9SxEdh+s3Ux18htTTAD8OuAn9"} {
		if name, _, err := ParseVerifierKey(vkey); err == nil {
			t.Errorf("%q is a verifier key of %q", vkey, name)
		}
	}
}

// FuzzParseCheckpoint checks that a checkpoint has one spelling: the signed part can be formatted again from
// the parsed one.
func FuzzParseCheckpoint(f *testing.F) {
	f.Add(signed(f, Checkpoint{Origin: keyName, Size: 3, Root: recordHashes(1)[0]}))
	f.Add([]byte("a\n0\n47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU=\n\n— b AAAAAAAA\n— c d\n"))
	_, public := testKey()
	f.Fuzz(func(t *testing.T, text []byte) {
		c, err := ParseCheckpoint(text)
		if err == nil {
			if body := fmt.Sprintf("%s\n%d\n%s\n\n— ", c.Origin, c.Size, tlog.Hash(c.Root)); !bytes.HasPrefix(text, []byte(body)) {
				t.Fatalf("%q reads as %+v", text, c)
			}
		}
		verified, verifyErr := VerifyCheckpoint(text, "", public)
		if verifyErr == nil && (err != nil || verified != c) {
			t.Fatalf("%q verifies and reads as %+v, %v", text, c, err)
		}
	})
}
