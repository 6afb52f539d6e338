package audit

import (
	"os"
	"testing"

	"github.com/eaapl/handoff/internal/tier"
)

func TestMain(m *testing.M) {
	tier.CleanStart()
	os.Exit(m.Run())
}
