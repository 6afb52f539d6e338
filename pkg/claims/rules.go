package claims

import (
	"fmt"
	"strings"

	"github.com/eaapl/handoff/pkg/finding"
	"github.com/eaapl/handoff/pkg/jsonstream"
)

// Rules returns the rules. The caller owns the slice.
func Rules() []finding.Rule {
	failing := func(end string) string {
		return `[{"role": "user", "content": "Fix the sum."},
 {"role": "assistant", "content": null, "tool_calls": [{"id": "c1", "type": "function", "function": {"name": "bash", "arguments": "{\"command\": \"go test ./...\"}"}}]},
 {"role": "tool", "tool_call_id": "c1", "content": "--- FAIL: TestSum\nFAIL\nexit status 1"},
 {"role": "assistant", "content": "` + end + `"}]`
	}
	return []finding.Rule{{
		ID: id(Contradicted), Layer: finding.Claims, Severity: finding.Error,
		Summary: "The conversation contradicts a claim of an agent.",
		Why:     "The receiver builds on work that was not done: the last run of the tests failed, or no call can have changed the file. Finish the work, or correct the claim.",
		Bad:     failing("All tests pass."), Good: failing("TestSum still fails."), Whole: true,
	}, {
		ID: id(NotShown), Layer: finding.Claims, Severity: finding.Note,
		Summary: "Nothing in the conversation shows that a claim of an agent is true.",
		Why:     "It may be true: the conversation may be shortened, or the result may not say whether a command succeeded. Check it before you rely on it.",
	}, {
		ID: id(Shown), Layer: finding.Claims, Severity: finding.Note,
		Summary: "A tool call shows that a claim of an agent is true.",
		Why:     "The finding names the call. It shows what happened at the time, not that it is still so.",
	}}
}

func id(v Verdict) string { return string(finding.Claims) + "/" + string(v) }

// Stated returns the evidence of a canonical message as findings, at the subtasks' results, or else at their
// descriptions.
func Stated(root jsonstream.Value) (all []finding.Finding) {
	for _, subtask := range root.Get("completedSubtasks").Elements() {
		place := subtask.Get("result")
		if !place.Exists() {
			place = subtask.Get("description")
		}
		for _, e := range subtask.Get("evidence").Elements() {
			verdict := Verdict(e.Get("verdict").Text())
			if verdict != Shown && verdict != Contradicted && verdict != NotShown {
				continue
			}
			subject := e.Get("claim").Text()
			if path := e.Get("path").Text(); path != "" {
				subject = finding.Quote(path)
			}
			f := verdict.finding()
			f.Message = fmt.Sprintf("%s: %s, according to the sender", finding.Shorten(subject), strings.ReplaceAll(string(verdict), "-", " "))
			var calls []string
			for _, call := range e.Get("calls").Elements() {
				if pointer := call.Get("pointer").Text(); pointer != "" {
					calls = append(calls, finding.Shorten(pointer))
				}
			}
			if len(calls) > 0 {
				f.Message += "; call " + strings.Join(calls, ", result ")
			}
			all = append(all, f.On(place))
		}
	}
	return all
}

// finding returns a finding of the rule of the verdict.
func (v Verdict) finding() finding.Finding {
	f := finding.Finding{Layer: finding.Claims, Severity: finding.Note, Rule: id(v)}
	if v == Contradicted {
		f.Severity = finding.Error
	}
	return f
}

// Finding returns the claim as a finding, at the text of the claim.
func (c Claim) Finding() finding.Finding {
	f := c.Verdict.finding()
	subject := string(c.Kind)
	if c.Path != "" {
		subject = finding.Quote(c.Path)
	}
	f.Message = fmt.Sprintf("%s: %s; claimed: %s", subject, c.Reason, finding.Quote(c.Text))
	for i, v := range c.Calls {
		f.Message += map[int]string{0: "; call ", 1: ", result "}[i] + v.Pointer()
	}
	return f.On(c.Value)
}
