//go:build !linux

package crash

import "testing"

func smallDisk(t *testing.T, _ int) string {
	t.Skip("a small disk is only possible on Linux")
	return ""
}

func growDisk(*testing.T, string, int) {}

func lockDisk(*testing.T, string, bool) {}
