package settings

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/pflag"

	"github.com/eaapl/handoff/internal/cli"
	"github.com/eaapl/handoff/internal/term"
)

// An approval is the user's decision on a project's configuration file.
type approval int

const (
	unapproved approval = iota
	changed             // approved, with different content
	approved
)

var errNoState = errors.New("there is no directory for approvals: set HOME or XDG_STATE_HOME")

// approvalsDir returns the directory of approvals, "" if there is none. Each approval is a file that is named
// after the digest of the path and contains the digest of the content and the path.
func approvalsDir() string {
	dir := cli.StateDir()
	if dir == "" {
		return ""
	}
	return filepath.Join(dir, "approved")
}

func approvalPath(path string) string {
	return filepath.Join(approvalsDir(), digestOf([]byte(path)))
}

func digestOf(text []byte) string {
	sum := sha256.Sum256(text)
	return hex.EncodeToString(sum[:])
}

// approvalOf returns the user's decision on a file. It ignores a record that others may have written.
func approvalOf(f configFile) approval {
	record, err := readConfig(approvalPath(f.path))
	if err != nil || approvalsDir() == "" || record.unsafe != "" {
		return unapproved
	}
	digest, path, _ := strings.Cut(strings.TrimSuffix(string(record.text), "\n"), " ")
	switch {
	case path != f.path:
		return unapproved
	case digest != digestOf(f.text):
		return changed
	default:
		return approved
	}
}

// approve records the approval of a file with its current content.
func approve(g *cli.Globals, f configFile) error {
	dir := approvalsDir()
	if dir == "" {
		return errNoState
	}
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return fmt.Errorf("%s: cannot be made: %w", term.Visible(dir), term.PlainError(err))
	}
	out, err := g.Open(approvalPath(f.path), nil)
	if err != nil {
		return err
	}
	err = out.File.Chmod(0o600) // regardless of the umask: a record that others can write is ignored
	if err == nil {
		_, err = fmt.Fprintf(out, "%s %s\n", digestOf(f.text), f.path)
	}
	return out.Close(err)
}

// Withdraw withdraws the approval of the file at a path, which need not exist. It reports whether there was
// one.
func Withdraw(path string) (bool, error) {
	if approvalsDir() == "" {
		return false, errNoState
	}
	place, err := configPlace(path)
	if err != nil {
		return false, fmt.Errorf("%s: %w", term.Visible(path), err)
	}
	err = os.Remove(approvalPath(place))
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	if err != nil {
		return false, fmt.Errorf("%s: the approval cannot be removed: %w", term.Visible(path), term.PlainError(err))
	}
	return true, nil
}

// ProjectFile returns the path of the project's nearest configuration file.
func ProjectFile() (string, error) {
	files, err := projectConfigs()
	if err != nil {
		return "", err
	}
	if len(files) > 0 {
		return files[0].path, nil
	}
	return "", errors.New("no " + projectFile + " exists in this directory or above it, up to the root of the repository: name the file")
}

// An Approved is an approved configuration file.
type Approved struct {
	Path     string
	Settings []FileSetting // that need the approval, sorted by key
}

// A FileSetting is a key of a file with one or more values.
type FileSetting struct {
	Key    string
	Values []string
}

// Approve approves the current content of a project's configuration file.
func (t Tree) Approve(g *cli.Globals, path string) (Approved, error) {
	file, err := readConfig(path)
	if err != nil {
		return Approved{}, err
	}
	list, err := t.approvable(file)
	if err != nil {
		return Approved{}, err
	}
	return Approved{file.path, list}, approve(g, file)
}

// approvable returns the settings of a file that need the approval, sorted by key.
func (t Tree) approvable(f configFile) ([]FileSetting, error) {
	l, err := t.layer(f)
	if err != nil {
		return nil, err
	}
	found := map[string]FileSetting{}
	visitConfigurable(t.All(), func(command string, flag *pflag.Flag) {
		if values, key, ok := l.lookup(command, flag.Name); ok && harms[flag.Name] != harmless {
			found[key] = FileSetting{key, values}
		}
	})
	list := slices.Collect(maps.Values(found))
	slices.SortFunc(list, func(a, b FileSetting) int { return strings.Compare(a.Key, b.Key) })
	return list, nil
}
