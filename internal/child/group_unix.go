//go:build unix

package child

import (
	"os/exec"
	"syscall"
)

// usual lists the variables that every program may see.
var usual = []string{"PATH", "HOME", "USER", "LOGNAME", "SHELL", "LANG", "TZ", "TMPDIR", "TERM"}

const foldNames = false

// ownGroup puts a command into its own session. So it has its own process group, and no terminal to
// write to or wait for.
func ownGroup() *syscall.SysProcAttr { return &syscall.SysProcAttr{Setsid: true} }

// shell returns a command that the shell runs.
func shell(command string) *exec.Cmd {
	c := exec.Command("sh", "-c", command)
	c.SysProcAttr = ownGroup()
	return c
}

// A group is the id of a process group.
type group int

func groupOf(c *exec.Cmd) (group, error) { return group(c.Process.Pid), nil }

// kill kills the whole group. It ignores errors: the group may be gone, or not ours to kill.
func (g group) kill() { syscall.Kill(-int(g), syscall.SIGKILL) }

func (group) release() {}
