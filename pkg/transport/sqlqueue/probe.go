package sqlqueue

import (
	"context"
	"net/url"

	"github.com/eaapl/handoff/internal/probe"
	"github.com/eaapl/handoff/pkg/internal/database"
)

// Probe asks the database at an address what it is. Nothing is made or changed there.
func Probe(ctx context.Context, u *url.URL) (probe.Answer, error) {
	address, _, err := parse(u)
	if err != nil {
		return probe.Answer{}, err
	}
	return database.Probe(ctx, address)
}
