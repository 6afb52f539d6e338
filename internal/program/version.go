package program

import (
	"fmt"
	"io"
	"os"

	"github.com/eaapl/handoff/internal/report"
	"github.com/eaapl/handoff/internal/term"
)

// VersionVariable is the environment variable by which handoff tells handoff-relay its version.
const VersionVariable = "HANDOFF_CALLER_VERSION"

// CheckCaller returns an error if a handoff of another version started this program. It removes the variable
// from the environment, so that the programs that this one starts do not see it.
func CheckCaller() error {
	caller := os.Getenv(VersionVariable)
	os.Unsetenv(VersionVariable)
	if own := report.BuildVersion(); caller != "" && caller != own {
		return term.WithHint(fmt.Errorf("handoff %s has started handoff-relay %s: both must have the same version", caller, own), "install both from one package or release")
	}
	return nil
}

// WriteVersion writes a version as a line.
func WriteVersion(w io.Writer, v report.Version) error {
	line := fmt.Sprintf("handoff %s %s %s", v.Version, v.Go, v.Platform)
	if v.Commit != "" {
		line += fmt.Sprintf(" (%.12s, %s)", v.Commit, v.Date)
	}
	_, err := fmt.Fprintln(w, line)
	return err
}
