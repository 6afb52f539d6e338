package deliver

import (
	"context"

	"github.com/eaapl/handoff/relay/internal/database"
	"github.com/eaapl/handoff/relay/probe"
)

// Probe asks the database at an address, as for [Open], for its version, clock and tables. It creates and
// changes nothing, not even tables of an older version.
func Probe(ctx context.Context, address string) (probe.Answer, error) {
	return database.Probe(ctx, address)
}

// Tables returns the name of a store's tables in a [probe.Answer], and the newest version known to this
// package.
func Tables() (name string, newest int) { return part, len(versions) }
