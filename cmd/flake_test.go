package cmd

import (
	"crypto/sha256"
	"encoding/base64"
	"encoding/binary"
	"hash"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"testing"

	"github.com/eaapl/handoff/internal/tier"
)

// TestVendorHash compares vendorHash in flake.nix with the hash of the modules, as Nix computes it: SHA-256 of
// the folder of "go mod vendor", in the form of a Nix archive.
func TestVendorHash(t *testing.T) {
	if !tier.Full() {
		t.Skip("in the second tier: it copies all modules")
	}
	flake, err := os.ReadFile("../flake.nix")
	if err != nil {
		t.Fatal(err)
	}
	vendor := filepath.Join(t.TempDir(), "vendor")
	c := exec.Command("go", "mod", "vendor", "-o", vendor)
	c.Dir = ".."
	if out, err := c.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	h := sha256.New()
	narText(h, "nix-archive-1")
	narNode(t, h, vendor)
	want := "sha256-" + base64.StdEncoding.EncodeToString(h.Sum(nil))
	got := regexp.MustCompile(`vendorHash = "(.*)"`).FindSubmatch(flake)
	if got == nil || string(got[1]) != want {
		t.Errorf("flake.nix: vendorHash is %s, want %s", got, want)
	}
}

// narText writes a string of a Nix archive: its length, and its bytes, padded to eight.
func narText(h hash.Hash, text string) {
	h.Write(binary.LittleEndian.AppendUint64(nil, uint64(len(text))))
	h.Write([]byte(text))
	h.Write(make([]byte, (8-len(text)%8)%8))
}

// narNode writes a file or a folder of a Nix archive.
func narNode(t *testing.T, h hash.Hash, path string) {
	t.Helper()
	info, err := os.Lstat(path)
	if err != nil {
		t.Fatal(err)
	}
	narText(h, "(")
	narText(h, "type")
	switch {
	case info.IsDir():
		narText(h, "directory")
		entries, err := os.ReadDir(path) // sorted
		if err != nil {
			t.Fatal(err)
		}
		for _, entry := range entries {
			narText(h, "entry")
			narText(h, "(")
			narText(h, "name")
			narText(h, entry.Name())
			narText(h, "node")
			narNode(t, h, filepath.Join(path, entry.Name()))
			narText(h, ")")
		}
	case info.Mode().IsRegular():
		narText(h, "regular")
		if info.Mode()&0o100 != 0 {
			narText(h, "executable")
			narText(h, "")
		}
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		narText(h, "contents")
		narText(h, string(text))
	default:
		t.Fatalf("%s: is neither a file nor a folder", path)
	}
	narText(h, ")")
}
