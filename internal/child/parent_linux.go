package child

import (
	"os/exec"
	"syscall"
)

// endWithParent makes the kernel kill a command when the thread that started it dies.
func endWithParent(c *exec.Cmd) { c.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL} }
