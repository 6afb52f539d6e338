package program

import (
	"fmt"
	"os"

	"github.com/eaapl/handoff/internal/report"
	"github.com/eaapl/handoff/internal/term"
)

// VersionVariable is the environment variable by which handoff tells handoff-relay its version.
const VersionVariable = "HANDOFF_CALLER_VERSION"

// CheckCaller returns an error if this program was started by a handoff of another version. Programs
// that this one starts are not told.
func CheckCaller() error {
	caller := os.Getenv(VersionVariable)
	os.Unsetenv(VersionVariable)
	if own := report.BuildVersion(); caller != "" && caller != own {
		return term.WithHint(fmt.Errorf("handoff %s has started handoff-relay %s: both must have the same version", caller, own), "install both from one package or release")
	}
	return nil
}
