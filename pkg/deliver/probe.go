package deliver

import (
	"context"

	"github.com/eaapl/handoff/internal/probe"
	"github.com/eaapl/handoff/pkg/internal/database"
)

// Probe asks the database at an address, as [Open] takes it, what it is. Nothing is made or
// changed, also not tables of an older version.
func Probe(ctx context.Context, address string) (probe.Answer, error) {
	return database.Probe(ctx, address)
}

// Tables returns what the tables of a store are called in a [probe.Answer], and the newest version
// of them that this package knows.
func Tables() (name string, newest int) { return part, len(versions) }
