package child

import (
	"os/exec"
	"syscall"
)

// endWithParent has the system kill a command when the thread dies that starts it.
func endWithParent(c *exec.Cmd) { c.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL} }
