//go:build darwin || dragonfly || freebsd || linux || netbsd || openbsd

package cmd

import (
	"bytes"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"
)

// inEmptyDir changes to an empty directory, except for the message a.json.
func inEmptyDir(t *testing.T) {
	t.Helper()
	t.Chdir(t.TempDir())
	if err := os.WriteFile("a.json", []byte("{\"a\": 1}\n"), 0o640); err != nil {
		t.Fatal(err)
	}
}

// runs runs a shell command line, which must succeed, and returns its stderr.
func runs(t *testing.T, line string) string {
	t.Helper()
	var stderr bytes.Buffer
	c := exec.Command("sh", "-c", line)
	c.Stderr = &stderr
	if err := c.Run(); err != nil {
		t.Fatalf("%s: %v\n%s", line, err, &stderr)
	}
	return stderr.String()
}

func hasMode(t *testing.T, path string, want fs.FileMode) {
	t.Helper()
	if info, err := os.Lstat(path); err != nil || info.Mode() != want {
		t.Errorf("%s: got %v, %v; want the mode %v", path, info, err, want)
	}
}

func TestPermissions(t *testing.T) {
	inEmptyDir(t)
	runs(t, "umask 077; handoff canonicalize -o private a.json")
	hasMode(t, "private", 0o600)
	runs(t, "umask 002; handoff canonicalize -o shared a.json")
	hasMode(t, "shared", 0o664)
	runs(t, "umask 027; handoff validate -q -o report a.json --report json=report2 || test $? = 1")
	hasMode(t, "report", 0o640)
	hasMode(t, "report2", 0o640)
	runs(t, "umask 0; handoff keygen -o key")
	hasMode(t, "key", 0o600)

	for _, mode := range []fs.FileMode{0o600, 0o640, 0o666, 0o444} {
		if err := os.Chmod("a.json", mode); err != nil {
			t.Fatal(err)
		}
		runs(t, "umask 077; handoff canonicalize -i a.json")
		hasMode(t, "a.json", mode)
	}
	if err := os.Chmod("a.json", 0o755|fs.ModeSetuid|fs.ModeSetgid); err != nil {
		t.Fatal(err)
	}
	runs(t, "handoff canonicalize -i a.json")
	hasMode(t, "a.json", 0o755)
}

func TestOwner(t *testing.T) {
	if os.Getuid() != 0 {
		t.Skip("needs root, to change the owner of files")
	}
	inEmptyDir(t)
	if err := os.Chown("a.json", 12, 34); err != nil {
		t.Skip(err)
	}
	runs(t, "handoff canonicalize -i a.json")
	info, err := os.Stat("a.json")
	if err != nil {
		t.Fatal(err)
	}
	if s := info.Sys().(*syscall.Stat_t); s.Uid != 12 || s.Gid != 34 {
		t.Errorf("the owner is %d:%d", s.Uid, s.Gid)
	}
}

func TestHardLink(t *testing.T) {
	inEmptyDir(t)
	if printed := runs(t, "handoff canonicalize -i a.json"); printed != "" {
		t.Errorf("warning for a file with a single link: %q", printed)
	}
	for line, name := range map[string]string{
		"handoff canonicalize -i a.json":        "a.json",
		"handoff canonicalize -o a.json a.json": "a.json",
		"handoff compress -q -i a.json":         "a.json",
	} {
		inEmptyDir(t)
		if err := os.Link("a.json", "b.json"); err != nil {
			t.Skip(err)
		}
		want := fmt.Sprintf("handoff: warning: %s: had 1 other name (hard links), which keep the old content\n", name)
		if printed := runs(t, line); !strings.HasSuffix(printed, want) {
			t.Errorf("%s: %q", line, printed)
		}
		if text, err := os.ReadFile("b.json"); err != nil || string(text) != "{\"a\": 1}\n" {
			t.Errorf("%s: the other name has %q, %v", line, text, err)
		}
	}
}

func TestLinksKept(t *testing.T) {
	for _, links := range [][]string{
		{"new.json", "link"},
		{"dir/new.json", "link"},
		{"../new.json", "dir/second", "link"}, // relative to the link
		{"new.json", "there", "link"},
	} {
		inEmptyDir(t)
		if err := os.Mkdir("dir", 0o755); err != nil {
			t.Fatal(err)
		}
		for i := 1; i < len(links); i++ {
			if err := os.Symlink(links[i-1], links[i]); err != nil {
				t.Skip(err)
			}
		}
		for range 2 { // first while the link is dangling
			runs(t, "handoff canonicalize -o link a.json")
			if info, err := os.Lstat("link"); err != nil || info.Mode()&fs.ModeSymlink == 0 {
				t.Errorf("%s: the link is gone: %v, %v", links, info, err)
			}
			if text, err := os.ReadFile("link"); err != nil || string(text) != "{\"a\":1}\n" {
				t.Errorf("%s: got %q, %v", links, text, err)
			}
		}
	}
	inEmptyDir(t)
	if err := os.Symlink("link", "link"); err != nil {
		t.Skip(err)
	}
	runs(t, "handoff canonicalize -o link a.json 2>printed; test $? = 2 && grep -q 'link: cannot be written: too many' printed")
}

func TestLongNames(t *testing.T) {
	inEmptyDir(t)
	long := strings.Repeat("n", 255)
	if err := os.WriteFile(long, []byte("{}"), 0o600); err != nil {
		t.Skip(err)
	}
	runs(t, "handoff canonicalize -o "+long+" a.json")
	runs(t, "handoff canonicalize -i "+long)
	runs(t, "handoff compress -q -o "+long[4:]+".zst a.json")
	if text, err := os.ReadFile(long); err != nil || string(text) != "{\"a\":1}\n" {
		t.Errorf("got %q, %v", text, err)
	}
}

// A writer is a run that has begun an output file, and waits for input.
type writer struct {
	*exec.Cmd
	in     io.WriteCloser
	stderr bytes.Buffer
}

// beginWriting starts a run in the current directory, and returns when it has begun an output file.
func beginWriting(t *testing.T, command ...string) *writer {
	t.Helper()
	before := len(leftTemporaries(t))
	w := &writer{Cmd: exec.Command(command[0], command[1:]...)}
	w.Stderr = &w.stderr
	var err error
	if w.in, err = w.StdinPipe(); err != nil {
		t.Fatal(err)
	}
	if err := w.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { w.Process.Kill() })
	if _, err := w.in.Write([]byte("{\"a\":1}\n")); err != nil {
		t.Fatal(err)
	}
	for len(leftTemporaries(t)) == before {
		time.Sleep(time.Millisecond)
	}
	return w
}

func leftTemporaries(t *testing.T) []string {
	t.Helper()
	list, err := filepath.Glob(".handoff-*.tmp")
	if err != nil {
		t.Fatal(err)
	}
	return list
}

func TestSignals(t *testing.T) {
	for i, s := range []syscall.Signal{syscall.SIGINT, syscall.SIGTERM, syscall.SIGHUP} {
		inEmptyDir(t)
		there := i > 0 // whether there is a file to replace, which must stay unchanged
		if there {
			if err := os.WriteFile("out.json", []byte("old"), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		w := beginWriting(t, "handoff", "canonicalize", "-o", "out.json")
		if err := w.Process.Signal(s); err != nil {
			t.Fatal(err)
		}
		err := w.Wait()
		if w.ProcessState.ExitCode() != 128+int(s) || w.stderr.Len() > 0 {
			t.Errorf("%v: %v, printed %q", s, err, &w.stderr)
		}
		if list := leftTemporaries(t); list != nil {
			t.Errorf("%v: remaining files: %s", s, list)
		}
		text, err := os.ReadFile("out.json")
		if there && string(text) != "old" || !there && !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("%v: out.json: %q, %v", s, text, err)
		}
	}
}

// TestIgnoredHangup checks that a run started with nohup continues after SIGHUP.
func TestIgnoredHangup(t *testing.T) {
	inEmptyDir(t)
	w := beginWriting(t, "sh", "-c", "trap '' HUP; exec handoff canonicalize -o out.json")
	if err := w.Process.Signal(syscall.SIGHUP); err != nil {
		t.Fatal(err)
	}
	w.in.Close()
	if err := w.Wait(); err != nil {
		t.Errorf("%v, printed %q", err, &w.stderr)
	}
}

// TestClosedPipe checks that a closed pipe ends the run, and that no files remain.
func TestClosedPipe(t *testing.T) {
	inEmptyDir(t)
	reader, stdout, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	reader.Close()
	var printed bytes.Buffer
	c := exec.Command("handoff", "validate", "--report", "json=report.json", "a.json")
	c.Stdout, c.Stderr = stdout, &printed
	err = c.Run()
	stdout.Close()
	if c.ProcessState.ExitCode() != (128+int(syscall.SIGPIPE)) || strings.Contains(printed.String(), "pipe") {
		t.Errorf("%v, printed %q", err, &printed)
	}
	if list, err := os.ReadDir("."); err != nil || len(list) != 1 {
		t.Errorf("remaining files: %v, %v", list, err)
	}
}

// TestAbandonedFiles checks that a run removes the temporary files of killed runs beside its output, but
// keeps the temporary files of running processes, and files with similar names.
func TestAbandonedFiles(t *testing.T) {
	inEmptyDir(t)
	similar := []string{".handoff-x.tmp", ".handoff-.tmp", "." + temporaryFileName(), temporaryFileName() + "x"}
	for _, name := range similar {
		if err := os.WriteFile(name, nil, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	// A file that cannot be opened is kept, too.
	fifo := temporaryFileName()
	if err := syscall.Mkfifo(fifo, 0o600); err != nil {
		t.Skip(err)
	}
	living := beginWriting(t, "handoff", "canonicalize", "-o", "living.json")
	atWork := leftTemporaries(t)
	killed := beginWriting(t, "handoff", "canonicalize", "-o", "killed.json")
	if err := killed.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	killed.Wait() // killed
	if n := len(leftTemporaries(t)); n != len(atWork)+1 {
		t.Fatalf("there are %d temporary files, want one of a killed process", n)
	}

	runs(t, "handoff canonicalize -o third.json a.json")
	if left := leftTemporaries(t); fmt.Sprint(left) != fmt.Sprint(atWork) {
		t.Errorf("remaining files: %s, want %s", left, atWork)
	}
	living.in.Close()
	if err := living.Wait(); err != nil {
		t.Errorf("the other process: %v, printed %q", err, &living.stderr)
	}
	for _, name := range append(similar, fifo, "living.json") {
		if _, err := os.Lstat(name); err != nil {
			t.Error(err)
		}
	}
}

// temporaryFileName returns a name in the form of temporary files.
func temporaryFileName() string {
	return ".handoff-" + rand.Text() + ".tmp"
}
