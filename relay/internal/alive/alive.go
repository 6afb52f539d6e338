// Package alive shows which processes still run: each locks a file, and the system releases the lock when the
// process ends in any way.
package alive

import (
	"crypto/rand"
	"encoding/hex"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
)

// A Sign is the locked file that shows that a process runs.
type Sign struct {
	Name string // unique
	file *os.File
}

// maxTries is the number of tries to create the directory; more removals in between are not by chance.
const maxTries = 100

// Show creates a sign in a directory, creating the directory if necessary. No other process may learn the
// name before Show has returned. Errors are of the type [*fs.PathError].
func Show(dir string) (*Sign, error) {
	name := make([]byte, 8)
	rand.Read(name) // never fails
	s := &Sign{Name: hex.EncodeToString(name)}
	for tries := 1; ; tries++ {
		err := os.MkdirAll(dir, 0o700)
		if err == nil {
			s.file, err = createLocked(filepath.Join(dir, s.Name))
		}
		// Another process may have ended and removed the directory.
		if removed := errors.Is(err, fs.ErrNotExist) || errors.Is(err, fs.ErrExist); !removed || tries == maxTries {
			return s, err
		}
	}
}

// End removes the sign, and the directory if it is empty.
func (s *Sign) End() error {
	err := errors.Join(os.Remove(s.file.Name()), s.file.Close())
	_ = os.Remove(filepath.Dir(s.file.Name())) // fails unless it is empty
	return err
}

// Is reports whether the process of the sign with this name runs. It removes the sign of a killed process.
func Is(dir, name string) (bool, error) {
	if _, err := hex.DecodeString(name); err != nil || name == "" {
		return false, nil
	}
	path := filepath.Join(dir, name)
	locked, err := isLocked(path)
	if err == nil && !locked {
		_ = os.Remove(path)
	}
	return locked, err
}
