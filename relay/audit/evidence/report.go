package evidence

import (
	"bytes"
	"cmp"
	"fmt"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/eaapl/handoff/pkg/jsonstream"
	"github.com/eaapl/handoff/relay/audit"
)

// A summary lists the messages that each agent of a task received and its conclusions, in the order of the
// log.
type summary struct {
	Task   string  `json:"taskId"`
	Origin string  `json:"log"`
	Size   int64   `json:"checkpointRecords"`
	Steps  []event `json:"steps"`
	// The cost of the task at its last handoff.
	CostSpentUSD string `json:"costSpentUSD,omitempty"`
	// Output has all conclusions up to then, in the order of the message.
	Output []conclusion `json:"output,omitempty"`
}

// An event is one record of a task.
type event struct {
	Record           int64        `json:"record"`
	RecordedAt       string       `json:"recordedAt"`
	Event            audit.Event  `json:"event"`
	HandoffID        string       `json:"handoffId,omitempty"`
	From             string       `json:"from,omitempty"`
	To               string       `json:"to,omitempty"`
	Reason           string       `json:"reason,omitempty"`
	CostSpentUSD     string       `json:"costSpentUSD,omitempty"`
	CostRemainingUSD string       `json:"costRemainingUSD,omitempty"`
	PromptTokens     int64        `json:"promptTokens,omitempty"`
	CompletionTokens int64        `json:"completionTokens,omitempty"`
	Received         string       `json:"received,omitempty"`  // taskDescription
	Concluded        []conclusion `json:"concluded,omitempty"` // completedSubtasks that are new in this message
	Message          string       `json:"message,omitempty"`   // its file name
}

// A conclusion is a completed subtask.
type conclusion struct {
	ID          string         `json:"subtaskId,omitempty"`
	Description string         `json:"description,omitempty"`
	Result      jsontext.Value `json:"result,omitempty"`
	Evidence    jsontext.Value `json:"evidence,omitempty"` // the verdicts on its claims, as in the message
}

// note adds a record and its message, nil if there is none.
func (r *summary) note(s *audit.Stored, message []byte) {
	step := event{
		Record: s.Sequence, RecordedAt: audit.FormatTime(s.RecordedAt), Event: s.Event, HandoffID: s.HandoffID, From: s.Sender, To: s.Receiver, Reason: string(s.Reason),
		CostSpentUSD: s.CostSpentUSD, CostRemainingUSD: s.CostRemainingUSD, PromptTokens: s.PromptTokens, CompletionTokens: s.CompletionTokens,
	}
	if message != nil {
		step.Message = fmt.Sprintf("messages/%d.json", s.Sequence)
	}
	if d, err := jsonstream.Parse(jsonstream.NewRaw(message), jsonstream.Unlimited()); err == nil {
		step.Received = d.Root().Get("taskDescription").Text()
		all := conclusions(d.Root())
		for _, c := range all {
			if !r.has(c.ID) {
				step.Concluded = append(step.Concluded, c)
			}
		}
		if s.Event == audit.Accepted || s.Event == audit.Released {
			r.CostSpentUSD, r.Output = s.CostSpentUSD, all
		}
	}
	r.Steps = append(r.Steps, step)
}

func (r *summary) has(id string) bool {
	for _, s := range r.Steps {
		for _, c := range s.Concluded {
			if c.ID == id {
				return true
			}
		}
	}
	return false
}

func conclusions(root jsonstream.Value) (list []conclusion) {
	for _, v := range root.Get("completedSubtasks").Elements() {
		c := conclusion{ID: v.Get("subtaskId").Text(), Description: v.Get("description").Text()}
		if result := v.Get("result"); result.Exists() {
			c.Result = bytes.Clone(result.Raw())
		}
		if evidence := v.Get("evidence"); evidence.Exists() {
			c.Evidence = bytes.Clone(evidence.Raw())
		}
		list = append(list, c)
	}
	return list
}

func (r *summary) json() ([]byte, error) {
	text, err := json.Marshal(r, json.Deterministic(true), jsontext.AllowInvalidUTF8(true), jsontext.WithIndent("  "))
	return append(text, '\n'), err
}

func (r *summary) text() []byte {
	var b bytes.Buffer
	fmt.Fprintf(&b, "task %s\nlog %s, %d records\n", r.Task, r.Origin, r.Size)
	for _, s := range r.Steps {
		fmt.Fprintf(&b, "\nrecord %d  %s  %s", s.Record, s.RecordedAt, s.Event)
		if s.Reason != "" {
			fmt.Fprintf(&b, "  %s", s.Reason)
		}
		fmt.Fprintln(&b)
		if s.HandoffID != "" {
			fmt.Fprintf(&b, "  handoff    %q\n", s.HandoffID)
		}
		if s.From != "" || s.To != "" {
			fmt.Fprintf(&b, "  from       %q to %q\n", s.From, s.To)
		}
		if s.CostSpentUSD != "" || s.CostRemainingUSD != "" {
			fmt.Fprintf(&b, "  cost       %s USD spent, %s left, %d + %d tokens\n", cmp.Or(s.CostSpentUSD, "?"), cmp.Or(s.CostRemainingUSD, "?"), s.PromptTokens, s.CompletionTokens)
		}
		for _, c := range s.Concluded {
			fmt.Fprintf(&b, "  concluded  %q: %q\n", c.ID, c.Description)
			if c.Result != nil {
				fmt.Fprintf(&b, "             %s\n", c.Result)
			}
			if c.Evidence != nil {
				fmt.Fprintf(&b, "  evidence   %s\n", c.Evidence)
			}
		}
		if s.Received != "" {
			fmt.Fprintf(&b, "  received   %q\n", s.Received)
		}
		if s.Message != "" {
			fmt.Fprintf(&b, "  message    %s\n", s.Message)
		}
	}
	fmt.Fprintf(&b, "\ntotal spent   %s USD\n", cmp.Or(r.CostSpentUSD, "?"))
	for _, c := range r.Output {
		fmt.Fprintf(&b, "output        %q: %q\n", c.ID, c.Description)
	}
	return b.Bytes()
}
