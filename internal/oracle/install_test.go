package oracle_test

import (
	"testing"

	"github.com/eaapl/handoff/internal/oracle"
)

// TestInstall installs the SDKs for the tests of other packages. scripts/test-anywhere.sh runs it first,
// because its tests cannot download anything.
func TestInstall(t *testing.T) {
	for _, install := range []func(testing.TB) string{oracle.Install, oracle.InstallClients, oracle.InstallCards, oracle.InstallReaders, oracle.Axe} {
		if install(t) == "" {
			t.Error("nothing is installed")
		}
	}
}
