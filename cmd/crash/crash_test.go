// Package crash has the tests that kill handoff, fill its disk, and disconnect its database. They run it as a
// separate program.
package crash

import (
	"os"
	"syscall"
	"testing"
	"time"

	"github.com/eaapl/handoff/cmd"
	"github.com/eaapl/handoff/internal/programtest"
	"github.com/eaapl/handoff/internal/tier"
	relay "github.com/eaapl/handoff/relay/cmd"
)

// Exit codes of handoff.
const (
	exitYes     = 0
	exitNo      = 1
	exitTrouble = 2
	exitPipe    = 128 + int(syscall.SIGPIPE)
)

// hang is the time limit for an event that should be immediate.
const hang = time.Minute

func TestMain(m *testing.M) {
	os.Exit(programtest.Main(cmd.Main, relay.Main, func() int {
		return tier.Run(m, "TestReceiveChunksKilled", "TestReceiveChunksKilledWithAgents", "TestReceiveKilled", "TestReceiveKilledWithAgents",
			"TestReceiveStopped", "TestReceiveStdoutClosed", "TestReceiveWaitsForLock", "TestReceiveFullDisk", "TestAcceptConnectionsLost")
	}))
}
