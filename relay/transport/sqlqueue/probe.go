package sqlqueue

import (
	"context"
	"net/url"

	"github.com/eaapl/handoff/relay/internal/database"
	"github.com/eaapl/handoff/relay/probe"
)

// Probe asks the database at an address for its version. It changes nothing.
func Probe(ctx context.Context, u *url.URL) (probe.Answer, error) {
	address, _, err := parse(u)
	if err != nil {
		return probe.Answer{}, err
	}
	return database.Probe(ctx, address)
}
