package rooted_test

import (
	"bytes"
	"compress/gzip"
	"errors"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"syscall"
	"testing"

	"github.com/eaapl/handoff/internal/output"
	"github.com/eaapl/handoff/pkg/compress"
	"github.com/eaapl/handoff/relay/cmd/rooted"
)

// folders returns folders over root, beside which is a secret.
func folders(t *testing.T) (f *rooted.Folders, root, secret string) {
	t.Helper()
	dir := t.TempDir()
	root, secret = filepath.Join(dir, "root"), filepath.Join(dir, "secret")
	for _, d := range []string{root, filepath.Join(root, "sub"), secret, filepath.Join(dir, "root-2")} {
		if err := os.Mkdir(d, 0o700); err != nil {
			t.Fatal(err)
		}
	}
	for _, path := range []string{filepath.Join(root, "a.json"), filepath.Join(root, "sub", "b.json"), filepath.Join(secret, "s.json"), filepath.Join(dir, "root-2", "s.json")} {
		if err := os.WriteFile(path, []byte(filepath.Base(path)), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	f, err := rooted.Open([]string{root}, compress.ReaderOptions{MaxBytes: 1000})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := f.Close(); err != nil {
			t.Error(err)
		}
	})
	return f, root, secret
}

func read(f *rooted.Folders, path string) (string, error) {
	r, err := f.Open(path)
	if err != nil {
		return "", err
	}
	defer r.Close()
	text, err := io.ReadAll(r)
	return string(text), err
}

func TestRead(t *testing.T) {
	f, root, _ := folders(t)
	for _, path := range []string{"a.json", "sub/b.json", "./sub/../a.json", filepath.Join(root, "sub", "b.json")} {
		if text, err := read(f, path); err != nil || text != filepath.Base(path) {
			t.Errorf("%s: %q, %v", path, text, err)
		}
	}
	var zipped bytes.Buffer
	z := gzip.NewWriter(&zipped)
	z.Write([]byte("unpacked"))
	z.Close()
	if err := os.WriteFile(filepath.Join(root, "z.json.gz"), zipped.Bytes(), 0o600); err != nil {
		t.Fatal(err)
	}
	if text, err := read(f, "z.json.gz"); err != nil || text != "unpacked" {
		t.Errorf("gzip: %q, %v", text, err)
	}
}

// TestEscapes requests files outside the folders by every known method: none is read, written or revealed.
func TestEscapes(t *testing.T) {
	f, root, secret := folders(t)
	paths := []string{"../secret/s.json", "sub/../../secret/s.json", filepath.Join(secret, "s.json"), root + "-2/s.json", root + "/../secret/s.json", "/etc/passwd", "", "..", "."}
	if runtime.GOOS != "windows" { // links require a privilege there
		for name, to := range map[string]string{"link": secret, "relative": "../secret", "file": filepath.Join(secret, "s.json"), "loop": "loop"} {
			if err := os.Symlink(to, filepath.Join(root, name)); err != nil {
				t.Fatal(err)
			}
		}
		paths = append(paths, "link/s.json", "relative/s.json", "file", "loop", "sub/../link/s.json")
	}
	for _, path := range paths {
		if text, err := read(f, path); err == nil {
			t.Errorf("read %q: %q", path, text)
		}
	}
	for _, path := range append(paths, "../secret/new.json", "link/new.json", "relative/new.json", filepath.Join(secret, "new.json")) {
		_ = f.Write(path, []byte("written"), true) // replacing a link in the folder is not an escape
	}
	for _, name := range []string{"new.json", "s.json"} {
		if text, err := os.ReadFile(filepath.Join(secret, name)); err == nil && string(text) != "s.json" || err != nil && name == "s.json" {
			t.Errorf("%s was written: %q, %v", name, text, err)
		}
	}
	if entries, _ := os.ReadDir(secret); len(entries) != 1 {
		t.Errorf("%d files in the folder beside", len(entries))
	}
}

// TestWrite checks that files are written completely, and replaced only on request.
func TestWrite(t *testing.T) {
	f, root, _ := folders(t)
	if err := f.Write("sub/new.json", []byte("1"), false); err != nil {
		t.Fatal(err)
	}
	if err := f.Write("sub/new.json", []byte("2"), false); err == nil || !strings.Contains(err.Error(), "already") {
		t.Errorf("over another: %v", err)
	}
	if text, _ := read(f, "sub/new.json"); text != "1" {
		t.Errorf("%q", text)
	}
	if err := f.Write(filepath.Join(root, "sub", "new.json"), []byte("3"), true); err != nil {
		t.Error(err)
	}
	if text, _ := read(f, "sub/new.json"); text != "3" {
		t.Errorf("%q", text)
	}
	for _, path := range []string{"nowhere/new.json", "sub"} {
		if err := f.Write(path, nil, true); err == nil {
			t.Errorf("%s was written", path)
		}
	}
	err := filepath.WalkDir(root, func(path string, _ os.DirEntry, err error) error {
		if strings.Contains(path, ".handoff-") {
			t.Errorf("left over: %s", path)
		}
		return err
	})
	if err != nil {
		t.Error(err)
	}
}

// TestSynced checks that the name of a written file is on the disk when the call returns, or that the error
// reports the opposite. A folder that does not support syncing is not an error.
func TestSynced(t *testing.T) {
	f, root, _ := folders(t)
	for _, overwrite := range []bool{false, true} {
		var synced []string
		f.SetSync(func(folder *os.File) error {
			if _, err := os.Stat(filepath.Join(root, "sub", "new.json")); err != nil {
				t.Errorf("synced before the file is there: %v", err)
			}
			synced = append(synced, filepath.Base(folder.Name()))
			return &os.PathError{Op: "sync", Path: folder.Name(), Err: syscall.EIO}
		})
		err := f.Write("sub/new.json", []byte("1"), overwrite)
		if !errors.Is(err, output.ErrUnsynced) || !errors.Is(err, syscall.EIO) || !strings.Contains(err.Error(), "sub/new.json: is written") {
			t.Errorf("the error is %v", err)
		}
		if !slices.Equal(synced, []string{"sub"}) {
			t.Errorf("synced: %q", synced)
		}
		if text, _ := read(f, "sub/new.json"); text != "1" {
			t.Errorf("the file has %q", text)
		}
	}
	if runtime.GOOS == "windows" {
		return // nothing can be synced there
	}
	f.SetSync(func(*os.File) error { return syscall.EINVAL })
	if err := f.Write("sub/new.json", []byte("2"), true); err != nil {
		t.Error(err)
	}
}

// TestNames checks that a tool cannot write a file that agents, editors or build tools read as instructions or
// settings, in any spelling, or a file of an unsupported type.
func TestNames(t *testing.T) {
	f, root, _ := folders(t)
	for _, d := range []string{".vscode", ".github", ".claude", "sub/.cursor", "data"} {
		if err := os.MkdirAll(filepath.Join(root, d), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	refused := []string{
		".mcp.json", ".vscode/tasks.json", ".github/x.json", "sub/.cursor/x.json", ".claude/settings.json", "..x.json", "./.x.json", "sub/../.x.json", ".json",
		"CLAUDE.md", "AGENTS.md", "GEMINI.md", "README.md", "SKILL.md", "copilot-instructions.md", "x.mdc", "x.md", "x.html", "x.sh", "x.yaml", "Makefile", "x", "x.json.sh", "x.json~",
		"package.json", "Package.JSON", "PACKAGE.json", "pac\u212Aage.json", "package.json.", "package.json ", " package.json", "package.json. .", "package\u200b.json", "PACKAG~1.JSO", "PACKAG~1.json",
		"tsconfig.json", "tsconfig.base.json", "mcp.json", "claude.json", "CLAUDE.local.txt", "agents.txt", "settings.json", "settings.local.json", "tasks.json", "sub/composer.json", "requirements.txt", "dev-requirements.txt", "CMakeLists.txt",
		"x.json:package.json", "a\nb.json", "\uff0emcp.json", "\u2024mcp.json", "sub./x.json", "sub /x.json", "\uff30ackage.json", "\u017Fettings.json",
	}
	if runtime.GOOS != "windows" { // links require a privilege there
		if err := os.Symlink(".vscode", filepath.Join(root, "link")); err != nil {
			t.Fatal(err)
		}
		if err := os.Symlink(filepath.Join("..", ".github"), filepath.Join(root, "data", "link")); err != nil {
			t.Fatal(err)
		}
		refused = append(refused, "link/x.json", "data/link/x.json", filepath.Join(root, "link", "x.json"))
	}
	for _, path := range refused {
		if err := f.Write(path, []byte("{}"), true); err == nil {
			t.Errorf("%q was written", path)
		}
	}
	for _, path := range []string{"x.json", "x.jsonl", "x.ndjson", "X.JSON", "x.patch", "x.txt", "sub/x.json", "./sub/../y.json", "a b-c_d.v2.json", "\u00fcbergabe.json", "u\u0308ber.json", "\u4efb\u52a1.json", "message.json", "state.json", "handoff.json", filepath.Join(root, "data", "z.json")} {
		if err := f.Write(path, []byte("{}"), true); err != nil {
			t.Errorf("%q: %v", path, err)
		}
	}
}
