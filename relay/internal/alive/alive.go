// Package alive tells which processes still run: each has a file that is locked, and the lock
// ends with the process, however that ends.
package alive

import (
	"crypto/rand"
	"encoding/hex"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
)

// A Sign is what others see a process run by.
type Sign struct {
	Name string // no other sign has it
	file *os.File
}

// maxTries is how often the directory is made; more often than that it does not vanish by chance.
const maxTries = 100

// Show makes a sign in a directory, which is made if it is not there. No other process may
// learn the name before Show has returned. Errors are of the type [*fs.PathError].
func Show(dir string) (*Sign, error) {
	name := make([]byte, 8)
	rand.Read(name) // never fails
	s := &Sign{Name: hex.EncodeToString(name)}
	for tries := 1; ; tries++ {
		err := os.MkdirAll(dir, 0o700)
		if err == nil {
			s.file, err = createLocked(filepath.Join(dir, s.Name))
		}
		// The last of the others may have ended, and removed the directory.
		if removed := errors.Is(err, fs.ErrNotExist) || errors.Is(err, fs.ErrExist); !removed || tries == maxTries {
			return s, err
		}
	}
}

// End takes the sign away, and the directory, if there is none left in it.
func (s *Sign) End() error {
	err := errors.Join(os.Remove(s.file.Name()), s.file.Close())
	_ = os.Remove(filepath.Dir(s.file.Name())) // the last one does
	return err
}

// Is reports whether the process runs whose sign in the directory has this name. The sign of
// one that was killed is removed.
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
