package crash

import (
	"fmt"
	"syscall"
	"testing"
)

// smallDisk returns a folder on a disk of its own with room for so many bytes. It skips the test
// where none can be made.
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

// lockDisk makes a disk of [smallDisk] one that is only read, or not any more.
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
