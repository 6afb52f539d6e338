//go:build unix

package child

import (
	"os/exec"
	"syscall"
)

// usual names what every program may see of the environment.
var usual = []string{"PATH", "HOME", "USER", "LOGNAME", "SHELL", "LANG", "TZ", "TMPDIR", "TERM"}

const foldNames = false

// ownGroup puts a command into a session of its own: so its group is its own, and it has no
// terminal to write to or to wait for.
func ownGroup() *syscall.SysProcAttr { return &syscall.SysProcAttr{Setsid: true} }

// shell returns a command of the shell.
func shell(command string) *exec.Cmd {
	c := exec.Command("sh", "-c", command)
	c.SysProcAttr = ownGroup()
	return c
}

// A group is the id of a process group.
type group int

func groupOf(c *exec.Cmd) (group, error) { return group(c.Process.Pid), nil }

// kill kills all of the group. There may be none left, or none that we may kill.
func (g group) kill() { syscall.Kill(-int(g), syscall.SIGKILL) }

func (group) release() {}
