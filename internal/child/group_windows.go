package child

import (
	"errors"
	"os/exec"
	"syscall"
	"unsafe"

	"golang.org/x/sys/windows"
)

// usual lists the variables that every program may see.
var usual = []string{
	"PATH", "HOME", "USER", "LOGNAME", "SHELL", "LANG", "TZ", "TMPDIR", "TERM",
	"SystemRoot", "SystemDrive", "windir", "ComSpec", "PATHEXT", "OS", "TEMP", "TMP",
	"USERNAME", "USERPROFILE", "HOMEDRIVE", "HOMEPATH", "APPDATA", "LOCALAPPDATA", "PUBLIC", "ProgramData",
	"ProgramFiles", "ProgramFiles(x86)", "ProgramW6432", "CommonProgramFiles", "CommonProgramFiles(x86)", "CommonProgramW6432",
	"NUMBER_OF_PROCESSORS", "PROCESSOR_ARCHITECTURE",
}

const foldNames = true

// ownGroup shields a command from console events sent to its parent's group.
func ownGroup() *syscall.SysProcAttr {
	return &syscall.SysProcAttr{CreationFlags: windows.CREATE_NEW_PROCESS_GROUP}
}

// shell returns a command that the shell runs. The command line is passed without quoting.
func shell(command string) *exec.Cmd {
	c := exec.Command("cmd")
	c.SysProcAttr = ownGroup()
	c.SysProcAttr.CmdLine = `cmd /d /s /c "` + command + `"`
	return c
}

// A group is a job object. Closing its last handle, which the end of this process does too, kills
// its processes.
type group windows.Handle

func groupOf(c *exec.Cmd) (group, error) {
	job, err := windows.CreateJobObject(nil, nil)
	if err != nil {
		return 0, err
	}
	limits := windows.JOBOBJECT_EXTENDED_LIMIT_INFORMATION{
		BasicLimitInformation: windows.JOBOBJECT_BASIC_LIMIT_INFORMATION{LimitFlags: windows.JOB_OBJECT_LIMIT_KILL_ON_JOB_CLOSE},
	}
	_, err = windows.SetInformationJobObject(job, windows.JobObjectExtendedLimitInformation, uintptr(unsafe.Pointer(&limits)), uint32(unsafe.Sizeof(limits)))
	if err == nil {
		var rejected error
		err = c.Process.WithHandle(func(process uintptr) {
			rejected = windows.AssignProcessToJobObject(job, windows.Handle(process))
			if event, _ := windows.WaitForSingleObject(windows.Handle(process), 0); event == windows.WAIT_OBJECT_0 {
				rejected = nil // it has ended already
			}
		})
		err = errors.Join(err, rejected)
	}
	if err != nil {
		windows.CloseHandle(job)
		return 0, err
	}
	return group(job), nil
}

func (g group) kill() { windows.TerminateJobObject(windows.Handle(g), 1) }

func (g group) release() { windows.CloseHandle(windows.Handle(g)) }
