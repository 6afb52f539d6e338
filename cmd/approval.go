package cmd

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/eaapl/handoff/internal/cli"
	"github.com/eaapl/handoff/internal/term"
)

// An approval is what the user has said of a project's configuration file.
type approval int

const (
	unapproved approval = iota
	changed             // approved, with another content
	approved
)

var errNoState = errors.New("there is no place for approvals: set HOME or XDG_STATE_HOME")

// approvalsDir returns where approvals are kept, a file for each: named after the digest
// of the path, and holding the digest of the content and the path. "" if there is no
// place for them.
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

// approvalOf returns what the user has said of a file. A record that others may have
// written says nothing.
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

// approve records that the user approves of a file with this content.
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
	err = out.File.Chmod(0o600) // whatever the umask: a record that others can write to says nothing
	if err == nil {
		_, err = fmt.Fprintf(out, "%s %s\n", digestOf(f.text), f.path)
	}
	return out.Close(err)
}

// withdraw takes back the approval of the file at a path, which may be gone. It reports
// whether there was one.
func withdraw(path string) (bool, error) {
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
		return false, fmt.Errorf("%s: the approval cannot be taken back: %w", term.Visible(path), term.PlainError(err))
	}
	return true, nil
}
