// Package programtest runs handoff in tests as a separate process.
package programtest

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"
)

// Main returns the exit code of a test binary that also serves as the programs handoff and handoff-relay. It
// runs the program by whose name it was started, or else tests, with both programs in PATH.
func Main(handoff, relay, tests func() int) int {
	names := []string{"handoff", "handoff-relay"}
	switch strings.TrimSuffix(filepath.Base(os.Args[0]), ".exe") {
	case names[0]:
		return handoff()
	case names[1]:
		return relay()
	}
	dir, err := os.MkdirTemp("", "handoff-test")
	if err != nil {
		panic(err)
	}
	defer os.RemoveAll(dir)
	self, err := os.Executable()
	for _, name := range names {
		if runtime.GOOS == "windows" {
			name += ".exe"
		}
		if err == nil && os.Link(self, filepath.Join(dir, name)) != nil { // on another file system
			err = os.Symlink(self, filepath.Join(dir, name))
		}
	}
	if err != nil {
		panic(err)
	}
	os.Setenv("PATH", dir+string(filepath.ListSeparator)+os.Getenv("PATH"))
	return tests()
}

// Run runs handoff in a separate process and returns its trimmed standard output.
func Run(t *testing.T, args ...string) string {
	t.Helper()
	var stderr bytes.Buffer
	c := exec.Command("handoff", args...)
	c.Stderr = &stderr
	out, err := c.Output()
	if err != nil {
		t.Errorf("handoff %s: %v\n%s", strings.Join(args, " "), err, stderr.String())
	}
	return strings.TrimSpace(string(out))
}

// Server returns address. It skips the test if no server listens there.
func Server(t *testing.T, name, address string) string {
	t.Helper()
	conn, err := net.DialTimeout("tcp", address, 2*time.Second)
	if err != nil {
		t.Skipf("no %s at %s: %v", name, address, err)
	}
	conn.Close()
	return address
}

// UniqueName returns a name for a queue that no other test uses.
func UniqueName() string { return fmt.Sprintf("%016x", rand.Uint64()) }
