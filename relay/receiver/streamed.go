package receiver

import (
	"cmp"

	"github.com/eaapl/handoff/pkg/jsonstream"
	"github.com/eaapl/handoff/pkg/message"
	"github.com/eaapl/handoff/pkg/validate"
)

// A Streamed is a message that has come in chunks, and was checked with them; or what there is
// of one, if they make none.
type Streamed struct {
	Raw    []byte          // the whole message, or the first one, or a chunk
	Result validate.Result // what the checks have found; not valid if the chunks make no message
	// HandoffID and TaskID are what the transport says, for a text that says nothing of them.
	HandoffID, TaskID string
	// Abandoned: its sender has not ended it in time. When it is rejected, its task is the
	// sender's again, who is not asked to try again.
	Abandoned bool
}

// ExamineStreamed is [Receiver.Examine] for a message that has come in chunks: nothing is checked
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
