package termtest

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"golang.org/x/sys/unix"
)

// A Terminal is a pseudoterminal for a test.
type Terminal struct {
	*os.File          // the end for the program
	Shown    *os.File // the end with the program's output
}

// Open returns a new terminal of the given width, which is closed at the end of the test.
func Open(t *testing.T, columns uint16) *Terminal {
	t.Helper()
	shown, err := os.OpenFile("/dev/ptmx", os.O_RDWR|unix.O_NOCTTY, 0)
	if err != nil {
		t.Skip(err)
	}
	t.Cleanup(func() { shown.Close() })
	fd := int(shown.Fd())
	number, err := unix.IoctlGetInt(fd, unix.TIOCGPTN)
	if err == nil {
		err = unix.IoctlSetPointerInt(fd, unix.TIOCSPTLCK, 0)
	}
	if err != nil {
		t.Fatal(err)
	}
	file, err := os.OpenFile(fmt.Sprintf("/dev/pts/%d", number), os.O_RDWR|unix.O_NOCTTY, 0)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { file.Close() })
	if err := unix.IoctlSetWinsize(int(file.Fd()), unix.TIOCSWINSZ, &unix.Winsize{Row: 24, Col: columns}); err != nil {
		t.Fatal(err)
	}
	return &Terminal{file, shown}
}

// Until returns the output from now on until it contains text.
func (terminal *Terminal) Until(t *testing.T, text string) string {
	t.Helper()
	var all strings.Builder
	one := make([]byte, 1)
	for !strings.Contains(all.String(), text) {
		if _, err := terminal.Shown.Read(one); err != nil {
			t.Fatalf("%v, after %q and before %q", err, all.String(), text)
		}
		all.Write(one)
	}
	return all.String()
}
