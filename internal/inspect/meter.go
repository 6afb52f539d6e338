package inspect

import (
	"github.com/eaapl/handoff/pkg/history"
	counting "github.com/eaapl/handoff/pkg/tokens"
)

// MeterOf returns the meter for a counter: tokens as providers count them, or bytes without the
// providers' additions.
func MeterOf(c *counting.Counter) history.Meter {
	if c.Encoding() == counting.Bytes {
		return history.Meter{Count: c.Count}
	}
	return history.Meter{Count: c.Count, PerTurn: counting.PerMessage, PerName: counting.PerName, PerReply: counting.PerReply}
}
