package chain

import (
	"io"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/eaapl/handoff/internal/report"
	"github.com/eaapl/handoff/internal/tasktree"
	"github.com/eaapl/handoff/internal/term"
	"github.com/eaapl/handoff/pkg/chain"
	"github.com/eaapl/handoff/pkg/finding"
)

// A jsonReport writes one JSON object per task and line. It encodes one message at a time.
type jsonReport struct {
	report.Bare
	w        io.Writer
	findings term.Allowance
}

type chainHandoff struct {
	HandoffID       string           `json:"handoffId"`
	ParentHandoffID *string          `json:"parentHandoffId"`
	Source          string           `json:"source"` // as named by the user
	Index           int              `json:"index"`  // 0-based, within the source
	Line            int              `json:"line"`   // 1-based
	From            string           `json:"from"`
	FromVersion     string           `json:"fromVersion,omitzero"`
	To              string           `json:"to"`
	ToVersion       string           `json:"toVersion,omitzero"`
	Receivers       []string         `json:"receivers,omitempty"`
	Timestamp       string           `json:"timestamp"`
	Step            report.CostJSON  `json:"step"`  // since the parent's message
	SoFar           report.TotalJSON `json:"soFar"` // according to the message
	Signed          bool             `json:"signed"`
	Findings        []chainFinding   `json:"findings"`
	Omitted         int              `json:"omitted,omitzero"` // findings that --max-findings leaves out
}

type chainFinding struct {
	Rule     string           `json:"rule"`
	Severity finding.Severity `json:"severity"`
	Message  string           `json:"message"`
	Pointer  string           `json:"pointer"`
	Line     int              `json:"line"`
	Column   int              `json:"column"`
	Offset   int64            `json:"offset"`
}

func (j *jsonReport) Unreadable(u report.Unread) error { return report.WriteJSON(j.w, u) }

func (j *jsonReport) Tasks(tasks []*chain.Task) error {
	enc := chainEncoder{Encoder: jsontext.NewEncoder(report.VisibleJSON{W: j.w}, report.AnyBytes)}
	for _, t := range tasks {
		enc.token(jsontext.BeginObject)
		enc.member("taskId", t.ID)
		enc.token(jsontext.String("handoffs"))
		enc.token(jsontext.BeginArray)
		for twig := range tasktree.Twigs(t) {
			enc.value(newChainHandoff(twig.Node, &j.findings))
		}
		enc.token(jsontext.EndArray)
		enc.member("total", report.NewCostJSON(t.Total))
		enc.member("relay", report.NewTotalJSON(t.Relay))
		enc.member("agrees", t.Agrees)
		enc.member("spenders", report.NewSpendersJSON(t.Spenders))
		enc.member("errors", t.Errors)
		enc.member("warnings", t.Warnings)
		enc.token(jsontext.EndObject)
	}
	return enc.err
}

// A chainEncoder writes JSON until writing fails.
type chainEncoder struct {
	*jsontext.Encoder
	err error
}

func (e *chainEncoder) token(t jsontext.Token) {
	if e.err == nil {
		e.err = e.WriteToken(t)
	}
}

func (e *chainEncoder) value(v any) {
	if e.err != nil {
		return
	}
	text, err := json.Marshal(v, report.AnyBytes)
	if err == nil {
		err = e.WriteValue(report.WithoutSecrets(text))
	}
	e.err = err
}

func (e *chainEncoder) member(name string, v any) {
	e.token(jsontext.String(name))
	e.value(v)
}

func newChainHandoff(n *chain.Node, allowed *term.Allowance) chainHandoff {
	h := chainHandoff{
		HandoffID: n.HandoffID, Source: n.Place.Source, Index: n.Place.Index, Line: n.Place.Line,
		From: n.From, FromVersion: n.FromVer, To: n.To, ToVersion: n.ToVer, Receivers: n.Receivers, Timestamp: n.Timestamp,
		Step: report.NewCostJSON(n.Step), SoFar: report.NewTotalJSON(n.Cost), Signed: n.Signed, Findings: []chainFinding{},
	}
	if n.ParentID != "" {
		h.ParentHandoffID = &n.ParentID
	}
	shown := allowed.Take(len(n.Findings))
	h.Omitted = len(n.Findings) - shown
	for _, f := range n.Findings[:shown] {
		h.Findings = append(h.Findings, chainFinding{f.Rule, f.Severity, f.Message, f.Pointer, f.Line, f.Column, f.Offset})
	}
	return h
}
