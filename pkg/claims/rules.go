package claims

import (
	"fmt"

	"github.com/eaapl/handoff/pkg/finding"
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

// Finding returns the claim as a finding, at the text of the claim.
func (c Claim) Finding() finding.Finding {
	f := finding.Finding{Layer: finding.Claims, Severity: finding.Note, Rule: id(c.Verdict)}
	if c.Verdict == Contradicted {
		f.Severity = finding.Error
	}
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
