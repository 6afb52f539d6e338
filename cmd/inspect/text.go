package inspect

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/eaapl/handoff/internal/inspect"
	"github.com/eaapl/handoff/internal/term"
	"github.com/eaapl/handoff/pkg/finding"
	"github.com/eaapl/handoff/pkg/formats"
	"github.com/eaapl/handoff/pkg/validate"
)

// A record is one inspected message: its facts, and the results of the receiver's layers.
type record struct {
	Source string
	Index  int
	inspect.Facts
	Result   validate.Result
	Personal map[string]int // number of findings of personal data by class; nil if not requested
}

// personalData counts personal data by its class.
func personalData(r validate.Result) map[string]int {
	counts := map[string]int{}
	for _, f := range r.Findings {
		if f.Layer == finding.Privacy {
			counts[strings.TrimPrefix(f.Rule, "privacy/")]++
		}
	}
	return counts
}

// MarshalJSONTo encodes the record as one object, with the members of the facts.
func (r record) MarshalJSONTo(enc *jsontext.Encoder) error {
	type facts inspect.Facts
	further := map[string]any{"validation": r.Result} // sorted by name; after the members of a system, as the last one
	if r.Profile != nil && r.Profile.Details != nil {
		further[formats.Named(r.Format).System] = r.Profile.Details
	}
	if r.Personal != nil {
		further["personalData"] = r.Personal
	}
	return json.MarshalEncode(enc, struct {
		Source string `json:"source"`
		Index  int    `json:"index"`
		facts
		Further map[string]any `json:",embed"`
	}{r.Source, r.Index, facts(r.Facts), further})
}

// Limits on the lines of a message's task and of one subtask.
const (
	maxTaskLines    = 8
	maxSubtaskLines = 3
)

// A drawing is the picture of an inspected message.
type drawing struct{ term.Picture }

// WriteText draws the record within the columns, at least 80.
func (r record) WriteText(w io.Writer, columns int, colors term.Palette) error {
	p := drawing{term.NewPicture(columns, colors)}
	p.verdict(r)
	if r.Profile != nil {
		p.foreign(r.Facts)
	} else {
		p.identity(r)
		p.task(r.Facts)
		p.budget(r.Facts)
	}
	p.bytes(r.Facts)
	p.carried(r.Context, r.SizeTokens > 0)
	p.conversation(r.Facts)
	p.tools(r.Facts)
	p.personal(r.Personal)
	p.findings(r.Result)
	_, err := w.Write(p.Text.Bytes())
	return err
}

func (p *drawing) verdict(r record) {
	verdict, paint := "valid", p.Green
	if !r.Result.Valid {
		verdict, paint = string(r.Result.Reason), p.Red
	}
	p.Heading(r.Source, r.Index, verdict, paint)
}

func (p *drawing) identity(r record) {
	f := r.Facts
	p.Line()
	p.Label("from", at(f.From.ID, "@", f.From.Version))
	p.Label("to", at(f.To.Type, " ", f.To.Version))
	name := "fan-out"
	for _, receiver := range f.Receivers[:min(len(f.Receivers), term.MaxRows)] {
		p.Label(name, at(receiver.Type, " ", receiver.Version))
		name = ""
	}
	p.More(len(f.Receivers) - term.MaxRows)
	p.Label("time", f.Timestamp)
	p.Label("handoff", f.HandoffID)
	parent := f.ParentHandoffID
	if f.First {
		parent = "none: the first handoff of its task"
	}
	p.Label("parent", parent)
	p.Label("task", f.TaskID)
	p.Label("execution", f.From.ExecutionID)
	p.Label("trace", f.TraceID)
	p.Label("schema", f.SchemaVersion)
	p.signature(r)
	if len(f.Extensions) > 0 {
		p.Label("extensions", strings.Join(f.Extensions, ", "))
	}
}

func (p *drawing) signature(r record) {
	unchecked := func(f finding.Finding) bool { return f.Rule == validate.SignatureUnchecked }
	key := r.Facts.SignatureKeyID
	switch {
	case !r.Facts.Signed:
		p.Label("signed", "no")
	case slices.ContainsFunc(r.Result.Findings, unchecked):
		p.Label("signature", strings.TrimSuffix("signed, not checked: key "+key, ": key "))
	case key == "":
		p.Label("signed", "yes")
	default:
		p.Label("signed", "with key "+key)
	}
}

// at joins a name and its version, if any.
func at(name, sep, version string) string {
	if version == "" {
		return name
	}
	return name + sep + version
}

func (p *drawing) task(f inspect.Facts) {
	p.Section("Task", fmt.Sprintf("%d done, %d left", len(f.Completed), len(f.Remaining)))
	for _, line := range term.Wrap(f.TaskDescription, p.Width-2, maxTaskLines) {
		p.Line("  ", line)
	}
	ids := 0
	for _, list := range [][]inspect.Subtask{f.Completed, f.Remaining} {
		for _, s := range list[:min(len(list), term.MaxRows)] {
			ids = max(ids, term.Width(term.Clip(s.ID, 16)))
		}
	}
	p.subtasks(p.Green("✓"), ids, f.Completed)
	p.subtasks(p.Yellow("○"), ids, f.Remaining)
	if len(f.Constraints) > 0 {
		p.Section("Constraints", "")
		for _, c := range f.Constraints[:min(len(f.Constraints), term.MaxRows)] {
			p.Line("  ", term.Clip(c, p.Width-2))
		}
		p.More(len(f.Constraints) - term.MaxRows)
	}
}

func (p *drawing) subtasks(mark string, ids int, list []inspect.Subtask) {
	indent := 2 + 2 + ids + 2
	for i, s := range list {
		if i == term.MaxRows {
			p.More(len(list) - i)
			return
		}
		lines := term.Wrap(s.Description, p.Width-indent, maxSubtaskLines)
		if lines == nil {
			lines = []string{""}
		}
		last := len(lines) - 1
		done := term.Clip(s.CompletedAt, 35)
		if gap := p.Width - indent - term.Width(lines[last]) - term.Width(done); done != "" && gap >= 2 {
			lines[last] += term.Spaces(gap) + p.Dim(done)
		}
		p.Line("  ", mark, " ", p.Cyan(term.Left(s.ID, ids)), "  ", lines[0])
		for _, line := range lines[1:] {
			p.Line(term.Spaces(indent), line)
		}
		p.evidence(indent, s.Evidence)
	}
}

// evidence draws the verdicts on the claims of a subtask.
func (p *drawing) evidence(indent int, list []inspect.Verdict) {
	for i, e := range list {
		if i == term.MaxRows {
			p.More(len(list) - i)
			return
		}
		subject := e.Claim
		if e.Path != "" {
			subject = e.Path
		}
		verdict := map[string]string{"shown": "shown", "contradicted": p.Red("contradicted"), "not-shown": "not shown"}[e.Verdict]
		if verdict == "" {
			verdict = term.Clip(e.Verdict, 16)
		}
		p.Line(term.Spaces(indent), term.Clip(subject, p.Width-indent-16), ": ", verdict)
	}
}
