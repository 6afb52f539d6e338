package inspect

import (
	"github.com/eaapl/handoff/pkg/history"
	counting "github.com/eaapl/handoff/pkg/tokens"
)

// MeterOf returns what measures a conversation by a counter: in tokens as providers count it,
// in bytes without what they add.
func MeterOf(c *counting.Counter) history.Meter {
	if c.Encoding() == counting.Bytes {
		return history.Meter{Count: c.Count}
	}
	return history.Meter{Count: c.Count, PerTurn: counting.PerMessage, PerName: counting.PerName, PerReply: counting.PerReply}
}
