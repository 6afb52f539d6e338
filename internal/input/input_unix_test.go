//go:build unix

package input

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"

	"github.com/eaapl/handoff/internal/claim"
)

// TestDirectoryOfSpecialFiles checks that a directory cannot make a run wait for a pipe, or
// read a device.
func TestDirectoryOfSpecialFiles(t *testing.T) {
	dir := t.TempDir()
	if err := syscall.Mkfifo(filepath.Join(dir, "a.json"), 0o600); err != nil {
		t.Skipf("no pipes here: %v", err)
	}
	if err := os.Symlink(os.DevNull, filepath.Join(dir, "b.json")); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "c.json"), []byte("{}"), 0o600); err != nil {
		t.Fatal(err)
	}
	list := (&Reader{Claims: &claim.Set{}}).Directory(dir)
	if len(list) != 3 || list[2].Err != nil {
		t.Fatalf("got %d sources: %v", len(list), list)
	}
	for _, s := range list[:2] {
		if s.Err == nil || !strings.HasPrefix(s.Err.Error(), "is not a regular file") {
			t.Errorf("%s: got error %v", s.Name, s.Err)
		}
	}
}

// TestLinks checks that a link to a directory, named as an argument, is read; that links to directories below it
// are not; and that a link without its file is reported as such.
func TestLinks(t *testing.T) {
	t.Chdir(t.TempDir())
	for _, err := range []error{
		os.MkdirAll("messages/more", 0o700),
		os.WriteFile("messages/a.json", []byte("{}"), 0o600),
		os.WriteFile("messages/more/b.json", []byte("{}"), 0o600),
		os.Symlink("messages", "link"),
		os.Symlink("..", "messages/more/back"),
		os.Symlink("gone", "messages/more/c.json"),
	} {
		if err != nil {
			t.Fatal(err)
		}
	}
	for dir, prefix := range map[string]string{"link": "link/", "link/": "link/", "messages": "messages/", "./messages": "messages/", ".": "messages/"} {
		var got []string
		for _, s := range (&Reader{Claims: &claim.Set{}}).Sources([]string{dir}, nil, nil) {
			got = append(got, s.Name)
			if s.Err != nil {
				got = append(got, s.Err.Error())
			}
		}
		want := []string{prefix + "a.json", prefix + "more/b.json", prefix + "more/c.json", "is a link to gone, which does not exist"}
		if !slices.Equal(got, want) {
			t.Errorf("%s: got %q, want %q", dir, got, want)
		}
	}
	if list := (&Reader{Claims: &claim.Set{}}).Sources([]string{"messages/more/c.json"}, nil, nil); list[0].Err.Error() != "is a link to gone, which does not exist" {
		t.Errorf("got %v", list[0].Err)
	}
}
