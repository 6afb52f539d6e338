package receiver

import (
	"cmp"

	"github.com/eaapl/handoff/pkg/jsonstream"
	"github.com/eaapl/handoff/pkg/message"
	"github.com/eaapl/handoff/pkg/validate"
)

// A Streamed is a message that came in chunks and was checked with them, or an incomplete or invalid one.
type Streamed struct {
	Raw    []byte          // the whole message, the first one, or a chunk
	Result validate.Result // result of the checks; not valid if the chunks do not form a message
	// HandoffID and TaskID are the ids given by the transport, for a text without them.
	HandoffID, TaskID string
	// Abandoned reports that the sender has not ended the stream in time. When it is rejected, the sender has
	// the task again, and should not retry.
	Abandoned bool
}

// ExamineStreamed is like [Receiver.Examine] for a message that came in chunks: it does not check anything
// again.
func (r *Receiver) ExamineStreamed(s Streamed) (*Delivery, error) {
	d, err := r.examine(jsonstream.NewRaw(s.Raw), nil, func(*message.Message) (validate.Result, error) { return s.Result, nil })
	if err != nil {
		return nil, err
	}
	d.record.HandoffID, d.record.TaskID = cmp.Or(d.record.HandoffID, s.HandoffID), cmp.Or(d.record.TaskID, s.TaskID)
	d.abandoned = s.Abandoned
	return d, nil
}
