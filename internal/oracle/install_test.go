package oracle_test

import (
	"testing"

	"github.com/eaapl/handoff/internal/oracle"
)

// TestInstall installs everything that the first tier of the tests downloads with npm. scripts/test-anywhere.sh runs
// it first, because its tests cannot download anything.
func TestInstall(t *testing.T) {
	sessions := func(t testing.TB) string { return oracle.Adapter(t, "claude-agent-sdk") } // of TestAgents
	for _, install := range []func(testing.TB) string{oracle.Install, oracle.InstallClients, oracle.InstallCards, oracle.InstallReaders, oracle.Axe, sessions} {
		if install(t) == "" {
			t.Error("nothing is installed")
		}
	}
}
