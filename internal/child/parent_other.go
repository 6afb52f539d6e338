//go:build !linux

package child

import "os/exec"

// endWithParent does nothing: only Linux supports it.
func endWithParent(*exec.Cmd) {}
