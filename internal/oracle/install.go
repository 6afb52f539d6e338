package oracle

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"hash"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"

	"github.com/rogpeppe/go-internal/lockedfile"

	"github.com/eaapl/handoff/internal/child"
)

// Install installs the SDKs of testdata/oracles and returns a folder with them and its scripts. The folder is
// in the user's cache, so that the source tree does not change. SDKs are installed once per lock file, by the
// first of the test programs that run concurrently. See [Program.Start] for when it skips the test.
func Install(t testing.TB) string {
	t.Helper()
	return install(t, ".")
}

// InstallClients is like Install, but for testdata/oracles/mcp: clients of the Model Context Protocol. They
// have their own folder since few tests need them.
func InstallClients(t testing.TB) string {
	t.Helper()
	return install(t, "mcp")
}

// InstallCards is like Install, but for testdata/oracles/a2a: the SDK that agent cards are compared with.
func InstallCards(t testing.TB) string {
	t.Helper()
	return install(t, "a2a")
}

// InstallReaders is like Install, but for testdata/oracles/compression: decompressors. It returns the folder
// with the script that runs them.
func InstallReaders(t testing.TB) string {
	t.Helper()
	return install(t, "compression")
}

// Axe returns the text of axe-core, a script that checks the accessibility of a page.
func Axe(t testing.TB) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(filepath.Dir(install(t, "axe")), "node_modules", "axe-core", "axe.min.js"))
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// Adapter is like Install, but for an adapter of the conformance suite, a folder in vectors/adapters. It returns
// the command that starts the adapter.
func Adapter(t testing.TB, name string) string {
	t.Helper()
	folder := filepath.Join("..", "..", "vectors", "adapters", name)
	scripts := install(t, folder)
	source, err := sourceDir()
	if err != nil {
		t.Fatal(err)
	}
	command, err := adapterIn(scripts, filepath.Join(source, folder))
	if err != nil {
		t.Fatal(err)
	}
	return command
}

// adapterIn returns the command that starts an adapter. It copies the adapter's scripts and the scripts that all
// adapters share into one folder.
func adapterIn(scripts, source string) (command string, err error) {
	shared := []string{"serve.mjs", "chat-model.mjs"}
	all := sha256.New()
	for _, name := range shared {
		if err := add(all, filepath.Dir(source), name); err != nil {
			return "", err
		}
	}
	target := scripts + "-" + sum(all)
	if _, err := os.Stat(target); err == nil {
		return startOf(target), nil
	}
	half, err := os.MkdirTemp(filepath.Dir(scripts), "scripts-")
	if err != nil {
		return "", err
	}
	for _, name := range shared {
		if err := copyFile(filepath.Join(half, name), filepath.Join(filepath.Dir(source), name)); err != nil {
			return "", err
		}
	}
	if err := os.CopyFS(filepath.Join(half, "adapter"), os.DirFS(scripts)); err != nil {
		return "", err
	}
	if err := os.Symlink(filepath.Join("..", "..", "node_modules"), filepath.Join(half, "adapter", "node_modules")); err != nil { // relative, so that the cache can be copied
		return "", err
	}
	if err := os.Rename(half, target); err != nil && !errors.Is(err, fs.ErrExist) { // made by another test
		return "", err
	}
	return startOf(target), nil
}

func startOf(folder string) string {
	return "node '" + filepath.Join(folder, "adapter", "adapter.mjs") + "'"
}

func install(t testing.TB, folder string) string {
	t.Helper()
	if runtime.GOOS == "windows" {
		t.Skip("the oracles run on POSIX systems")
	}
	for _, program := range []string{"node", "npm"} {
		if err := child.FindAgent(program); err != nil {
			failing(t, "the oracles need Node 20 or later, and npm: %v", err)
		}
	}
	once, _ := installed.LoadOrStore(folder, sync.OnceValues(func() (string, error) { return installFrom(folder) }))
	dir, err := once.(func() (string, error))()
	switch {
	case errors.Is(err, errOffline) || errors.Is(err, errNoCache):
		failing(t, "%v", err)
	case err != nil:
		t.Fatal(err)
	}
	return dir
}

// errOffline reports that the SDKs are not installed and cannot be downloaded.
var errOffline = errors.New("the SDKs of the oracles cannot be downloaded")

// errNoCache reports that the SDKs cannot be stored.
var errNoCache = errors.New("there is no folder for the SDKs of the oracles: set HOME or XDG_CACHE_HOME to one that can be written to")

// unreachable are npm's error codes for a registry that it cannot reach.
var unreachable = []string{"EAI_AGAIN", "ECONNREFUSED", "ECONNRESET", "EHOSTUNREACH", "ENETUNREACH", "ENOTFOUND", "ETIMEDOUT", "ERR_SOCKET_TIMEOUT"}

// packages are the files that list the SDKs.
var packages = []string{"package.json", "package-lock.json", settings}

// settings is the file of npm's settings, which a folder may lack.
const settings = ".npmrc"

// installed maps a folder, relative to testdata/oracles, to the function that installs it once.
var installed sync.Map // string to func() (string, error)

// installFrom installs the packages of a folder of testdata/oracles.
func installFrom(folder string) (string, error) {
	source, err := sourceDir()
	if err != nil {
		return "", err
	}
	source = filepath.Join(source, folder)
	cache := os.Getenv("XDG_CACHE_HOME") // on all systems: tests may have no home directory
	if cache == "" {
		cache, err = os.UserCacheDir()
	}
	if err != nil {
		return "", fmt.Errorf("%w: %w", errNoCache, err)
	}
	versions := sha256.New()
	for _, name := range packages {
		if err := add(versions, source, name); err != nil && (name != settings || !errors.Is(err, fs.ErrNotExist)) {
			return "", err
		}
	}
	dir := filepath.Join(cache, "handoff-oracles", sum(versions))
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return "", fmt.Errorf("%w: %w", errNoCache, err)
	}
	unlock, err := lockedfile.MutexAt(dir + ".lock").Lock()
	if err != nil {
		return "", err
	}
	defer unlock()
	if err := installSDKs(dir, source); err != nil {
		return "", err
	}
	return copyScripts(dir, source)
}

// sourceDir returns the path of testdata/oracles: tests run in the folders of their packages.
func sourceDir() (string, error) {
	dir, err := os.Getwd()
	if err != nil {
		return "", err
	}
	for ; ; dir = filepath.Dir(dir) {
		source := filepath.Join(dir, "testdata", "oracles")
		if _, err := os.Stat(filepath.Join(source, "oracle.mjs")); err == nil {
			return source, nil
		}
		if dir == filepath.Dir(dir) {
			return "", errors.New("testdata/oracles is in no folder above the test")
		}
	}
}

// installSDKs runs npm in the folder, unless it has completed there before.
func installSDKs(dir, source string) error {
	done := filepath.Join(dir, "installed")
	if _, err := os.Stat(done); err == nil {
		return nil
	}
	for _, name := range packages {
		if err := copyFile(filepath.Join(dir, name), filepath.Join(source, name)); err != nil && (name != settings || !errors.Is(err, fs.ErrNotExist)) {
			return err
		}
	}
	output := new(tail)
	npm, err := child.StartAgent(context.Background(), []string{"sh", "-c", `cd "$0" && npm_config_cache=${npm_config_cache:-${HOME:-$0}/.npm} exec npm ci`, dir}, output, output)
	if err != nil {
		return err
	}
	if err := npm.CloseInput(); err != nil {
		return err
	}
	if _, how := npm.Wait(); how != "" {
		err := fmt.Errorf("npm ci: %s\n%s", how, output)
		for _, code := range unreachable {
			if strings.Contains(output.String(), code) {
				return fmt.Errorf("%w: %w", errOffline, err)
			}
		}
		return err
	}
	return os.WriteFile(done, nil, 0o600)
}

// copyScripts copies the scripts into a folder for their version, within the folder of the SDKs. It returns
// the new folder's path.
func copyScripts(dir, source string) (string, error) {
	var scripts []string
	all := sha256.New()
	err := fs.WalkDir(os.DirFS(source), ".", func(path string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if entry.IsDir() {
			if entry.Name() == "node_modules" {
				return fs.SkipDir
			}
			return nil
		}
		if filepath.Ext(path) == ".md" {
			return nil
		}
		scripts = append(scripts, path)
		return add(all, source, path)
	})
	if err != nil {
		return "", err
	}
	target := filepath.Join(dir, "scripts-"+sum(all))
	if _, err := os.Stat(target); err == nil {
		return target, nil
	}
	half, err := os.MkdirTemp(dir, "scripts-")
	if err != nil {
		return "", err
	}
	for _, path := range scripts {
		path = filepath.FromSlash(path)
		if err := copyFile(filepath.Join(half, path), filepath.Join(source, path)); err != nil {
			return "", err
		}
	}
	return target, os.Rename(half, target)
}

func copyFile(target, source string) error {
	text, err := os.ReadFile(source)
	if err != nil {
		return err
	}
	if err := os.MkdirAll(filepath.Dir(target), 0o700); err != nil {
		return err
	}
	return os.WriteFile(target, text, 0o600)
}

// add adds the name and the text of a file to a hash.
func add(h hash.Hash, dir, name string) error {
	text, err := os.ReadFile(filepath.Join(dir, filepath.FromSlash(name)))
	fmt.Fprintf(h, "%s %d\n%s", name, len(text), text)
	return err
}

func sum(h hash.Hash) string { return hex.EncodeToString(h.Sum(nil)[:8]) }

// A tail keeps the end of the data written to it. It is safe for concurrent use.
type tail struct {
	mu   sync.Mutex
	text []byte
}

const tailBytes = 4096

func (t *tail) Write(p []byte) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.text = append(t.text, p...)
	t.text = bytes.Clone(t.text[max(0, len(t.text)-tailBytes):])
	return len(p), nil
}

func (t *tail) String() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	return string(t.text)
}
