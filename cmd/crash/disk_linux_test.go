package crash

import (
	"fmt"
	"syscall"
	"testing"
)

// smallDisk returns a folder on a separate disk with the given space. It skips the test if it cannot make
// one.
func smallDisk(t *testing.T, bytes int) string {
	t.Helper()
	dir := t.TempDir()
	if err := syscall.Mount("tmpfs", dir, "tmpfs", 0, fmt.Sprintf("size=%d", bytes)); err != nil {
		t.Skipf("no small disk: %v", err)
	}
	t.Cleanup(func() {
		if err := syscall.Unmount(dir, 0); err != nil {
			t.Error(err)
		}
	})
	return dir
}

func growDisk(t *testing.T, dir string, bytes int) {
	t.Helper()
	if err := syscall.Mount("tmpfs", dir, "tmpfs", syscall.MS_REMOUNT, fmt.Sprintf("size=%d", bytes)); err != nil {
		t.Fatal(err)
	}
}

// lockDisk makes a disk of [smallDisk] read-only, or writable again.
func lockDisk(t *testing.T, dir string, locked bool) {
	t.Helper()
	flags := uintptr(syscall.MS_REMOUNT)
	if locked {
		flags |= syscall.MS_RDONLY
	}
	if err := syscall.Mount("tmpfs", dir, "tmpfs", flags, ""); err != nil {
		t.Fatal(err)
	}
}
