package alive_test

import (
	"bufio"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/eaapl/handoff/internal/tier"
	"github.com/eaapl/handoff/relay/internal/alive"
)

// showIn is the variable that makes this program show a sign and wait.
const showIn = "ALIVE_TEST_SHOW_IN"

func TestMain(m *testing.M) {
	if dir := os.Getenv(showIn); dir != "" {
		s, err := alive.Show(dir)
		fmt.Println(s.Name, err)
		select {}
	}
	tier.CleanStart()
	os.Exit(m.Run())
}

func TestSign(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "running")
	s, err := alive.Show(dir)
	if err != nil {
		t.Fatal(err)
	}
	want(t, dir, s.Name, true)
	for _, name := range []string{"", "00", "../running/" + s.Name, strings.Repeat("0", 16)} {
		want(t, dir, name, false)
	}
	if err := s.End(); err != nil {
		t.Error(err)
	}
	want(t, dir, s.Name, false)
	if _, err := os.Stat(dir); !os.IsNotExist(err) {
		t.Errorf("the directory is left: %v", err)
	}
}

// TestKilled checks that the sign of a process ends with it, whatever the cause.
func TestKilled(t *testing.T) {
	dir := t.TempDir()
	program, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	other := exec.Command(program)
	other.Env = append(os.Environ(), showIn+"="+dir)
	out, err := other.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := other.Start(); err != nil {
		t.Fatal(err)
	}
	line, err := bufio.NewReader(out).ReadString('\n')
	name, ok := strings.CutSuffix(line, " <nil>\n")
	if err != nil || !ok {
		t.Errorf("the other process says %q (%v)", line, err)
	}
	want(t, dir, name, true)
	if err := other.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = other.Wait() // it was killed
	want(t, dir, name, false)
	if list, err := os.ReadDir(dir); err != nil || len(list) != 0 {
		t.Errorf("left: %v (%v)", list, err)
	}
}

// TestTogether checks that several processes can create and remove the directory at the same time.
func TestTogether(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "running")
	var running sync.WaitGroup
	for range 4 {
		running.Go(func() {
			for range 200 {
				s, err := alive.Show(dir)
				if err != nil {
					t.Error(err)
					return
				}
				if err := s.End(); err != nil {
					t.Error(err)
				}
			}
		})
	}
	running.Wait()
}

func want(t *testing.T, dir, name string, want bool) {
	t.Helper()
	if got, err := alive.Is(dir, name); got != want || err != nil {
		t.Errorf("%q is alive: %t (%v), want %t", name, got, err, want)
	}
}
