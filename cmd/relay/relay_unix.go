//go:build unix

package relay

import (
	"fmt"
	"syscall"
)

// replaceBy replaces this program by another: it keeps the streams, the signals and the process id.
func replaceBy(path string, argv, env []string) error {
	return fmt.Errorf("%s: %w", path, syscall.Exec(path, argv, env))
}
