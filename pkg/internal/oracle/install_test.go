package oracle_test

import (
	"testing"

	"github.com/eaapl/handoff/pkg/internal/oracle"
)

// TestInstall installs all that the tests of other packages need, for scripts/test-anywhere.sh: its
// tests cannot download anything.
func TestInstall(t *testing.T) {
	for _, install := range []func(testing.TB) string{oracle.Install, oracle.InstallClients, oracle.InstallCards, oracle.Axe} {
		if install(t) == "" {
			t.Error("nothing is installed")
		}
	}
}
