package program

import (
	"fmt"
	"io"
	"os"

	"github.com/eaapl/handoff/internal/report"
	"github.com/eaapl/handoff/internal/term"
)

// VersionVariable is the environment variable in which handoff passes its version to handoff-relay.
const VersionVariable = "HANDOFF_CALLER_VERSION"

// CheckCaller returns an error if handoff of a different version started this program. It unsets the variable
// so that child processes do not inherit it.
func CheckCaller() error {
	caller := os.Getenv(VersionVariable)
	os.Unsetenv(VersionVariable)
	if own := report.BuildVersion(); caller != "" && caller != own {
		return term.WithHint(fmt.Errorf("handoff %s has started handoff-relay %s: both must have the same version", caller, own), "install both from one package or release")
	}
	return nil
}

// WriteVersion writes a version on a line.
func WriteVersion(w io.Writer, v report.Version) error {
	line := fmt.Sprintf("handoff %s %s %s", v.Version, v.Go, v.Platform)
	if v.Commit != "" {
		line += fmt.Sprintf(" (%.12s, %s)", v.Commit, v.Date)
	}
	_, err := fmt.Fprintln(w, line)
	return err
}
