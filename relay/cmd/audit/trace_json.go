package audit

import (
	"time"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/eaapl/handoff/internal/report"
	"github.com/eaapl/handoff/pkg/finding"
	"github.com/eaapl/handoff/relay/audit"
	"github.com/eaapl/handoff/relay/audit/trace"
)

// A traceJSON is a task in trace -f json: docs/audit.md.
type traceJSON struct {
	TaskID   string               `json:"taskId"`
	Handoffs []handoffJSON        `json:"handoffs"` // parents before their children
	Total    report.CostJSON      `json:"total"`
	Relay    report.TotalJSON     `json:"relay"`
	Agrees   bool                 `json:"agrees"`
	Spenders []report.SpenderJSON `json:"spenders"`
}

type handoffJSON struct {
	HandoffID       string           `json:"handoffId"`
	ParentHandoffID *string          `json:"parentHandoffId"`
	Status          audit.Event      `json:"status"`
	From            string           `json:"from"`
	To              string           `json:"to"`
	Receivers       []string         `json:"receivers,omitempty"`
	Copies          []copyJSON       `json:"copies,omitempty"`
	AcceptedAt      *time.Time       `json:"acceptedAt,omitempty"`
	Transport       string           `json:"transport,omitzero"`
	LatencyMicros   int64            `json:"latencyMicros,omitzero"`
	DurationMicros  int64            `json:"durationMicros,omitzero"`
	TraceID         string           `json:"traceId,omitzero"`
	Step            report.CostJSON  `json:"step"`
	SoFar           report.TotalJSON `json:"soFar"`
	Content         *contentJSON     `json:"content"` // null if the message is not in the log
	Records         []recordInBrief  `json:"records"`
}

type copyJSON struct {
	Receiver string      `json:"receiver"`
	Status   audit.Event `json:"status"`
}

type recordInBrief struct {
	Sequence   int64           `json:"sequence"`
	Hash       audit.Hash      `json:"hash"`
	RecordedAt time.Time       `json:"recordedAt"`
	Event      audit.Event     `json:"event"`
	Reason     finding.Reason  `json:"reason,omitzero"`
	Attempt    int             `json:"attempt,omitzero"`
	Findings   []audit.Finding `json:"findings,omitempty"`
	By         string          `json:"by,omitzero"`
}

type contentJSON struct {
	TaskDescription string         `json:"taskDescription"`
	Concluded       []subtaskJSON  `json:"concluded"`
	Remaining       []subtaskJSON  `json:"remaining"`
	CurrentState    jsontext.Value `json:"currentState,omitzero"`
	Summary         string         `json:"conversationHistorySummary,omitzero"`
	Completed       int            `json:"completed"`
	Constraints     int            `json:"constraints"`
	Context         int            `json:"context"`
	Turns           int            `json:"turns"`
}

type subtaskJSON struct {
	SubtaskID   string         `json:"subtaskId"`
	Description string         `json:"description"`
	Result      jsontext.Value `json:"result,omitzero"`
	CompletedAt string         `json:"completedAt,omitzero"`
}

func newTraceJSON(r audit.Reader, t *trace.Task) (traceJSON, error) {
	all := traceJSON{TaskID: t.ID, Handoffs: []handoffJSON{}, Total: report.NewCostJSON(t.Total), Relay: report.NewTotalJSON(t.Relay), Agrees: t.Agrees, Spenders: report.NewSpendersJSON(t.Spenders)}
	for n := range t.Nodes() {
		h, err := newHandoffJSON(r, t, t.Of(n))
		if err != nil {
			return all, err
		}
		all.Handoffs = append(all.Handoffs, h)
	}
	return all, nil
}

func newHandoffJSON(r audit.Reader, t *trace.Task, h *trace.Handoff) (handoffJSON, error) {
	told := h.Told()
	j := handoffJSON{
		HandoffID: h.HandoffID, Status: h.Status, From: h.From, To: h.To, Receivers: h.Receivers,
		Transport: told.Transport, LatencyMicros: told.LatencyMicros, DurationMicros: h.Run().Microseconds(), TraceID: told.TraceID,
		Step: report.NewCostJSON(h.Step), SoFar: report.NewTotalJSON(h.Cost),
	}
	if h.ParentID != "" {
		j.ParentHandoffID = &h.ParentID
	}
	if h.Accepted != nil {
		j.AcceptedAt = &h.Accepted.RecordedAt
	}
	for _, c := range h.Copies {
		j.Copies = append(j.Copies, copyJSON(c))
	}
	for _, s := range h.Records {
		j.Records = append(j.Records, recordInBrief{s.Sequence, s.Hash, s.RecordedAt, s.Event, s.Reason, s.Attempt, s.Details.Findings, s.Details.By})
	}
	content, err := t.Content(r, h)
	if err != nil || content == nil {
		return j, err
	}
	j.Content = &contentJSON{
		TaskDescription: content.Description, Concluded: newSubtasksJSON(content.Concluded), Remaining: newSubtasksJSON(content.Remaining),
		CurrentState: content.State, Summary: content.Summary, Completed: len(content.Completed),
		Constraints: content.Constraints, Context: content.Context, Turns: content.Turns,
	}
	return j, nil
}

func newSubtasksJSON(list []trace.Subtask) []subtaskJSON {
	all := make([]subtaskJSON, len(list))
	for i, s := range list {
		all[i] = subtaskJSON{s.ID, s.Description, s.Result, s.CompletedAt}
	}
	return all
}
