//go:build unix

package tier

import (
	"os"
	"os/exec"
	"strings"
	"testing"
)

// startedUnclean is set in the process that must start clean.
const startedUnclean = "HANDOFF_TEST_UNCLEAN"

// TestCleanStart checks that a process that was started with ignored signals, set variables and an unusual
// umask goes on ignoring the signals, and that its child inherits none of these.
func TestCleanStart(t *testing.T) {
	if os.Getenv(startedUnclean) != "" {
		CleanStart()
		out, err := exec.Command("sh", "-c", `env; echo umask $(umask); kill -HUP $PPID; kill -INT $PPID; for s in HUP INT; do sh -c "kill -$s \$\$; echo ignores $s"; done; true`).CombinedOutput()
		os.Stdout.Write(out)
		if err != nil {
			t.Error(err)
		}
		return
	}
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	c := exec.Command("sh", "-c", `trap '' HUP INT; umask 077; exec "$0" -test.run '^TestCleanStart$'`, self)
	c.Env = append(os.Environ(), startedUnclean+"=1", "HANDOFF_FORMAT=json", "LC_TIME=C", "NO_COLOR=1", "GIT_DIR=/nonexistent", "GIT_SSL_CAINFO=ca.pem", "NO_PROXY=example.com", "HOME=/nonexistent", "XDG_CACHE_HOME=/nonexistent")
	out, err := c.CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	for text, want := range map[string]bool{
		"HANDOFF_FORMAT=": false, "LC_TIME=": false, "NO_COLOR=": false, "GIT_DIR=": false, "ignores ": false,
		startedUnclean + "=1": true, "GIT_SSL_CAINFO=ca.pem": true, "NO_PROXY=example.com,127.0.0.1,localhost,::1\n": true, "PATH=": true, "\nHOME=": false, "XDG_CACHE_HOME=": true, "GOPATH=": true, "umask 0022\n": true,
	} {
		if strings.Contains(string(out), text) != want {
			t.Errorf("%q: found %t, want %t, in\n%s", text, !want, want, out)
		}
	}
}
