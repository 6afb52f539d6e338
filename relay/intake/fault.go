package intake

import (
	"fmt"

	"github.com/eaapl/handoff/internal/chunked"
	"github.com/eaapl/handoff/pkg/finding"
	"github.com/eaapl/handoff/pkg/validate"
)

// faulty returns the validation result for a fault of a stream.
func faulty(f *chunked.Fault) validate.Result {
	rule := "chunked/" + string(f.Reason)
	switch f.Reason {
	case chunked.Invalid:
		if f.Result.Reason != "" {
			return f.Result
		}
		return refused(finding.Schema, validate.SchemaInvalid, rule, f.Error())
	case chunked.Forged:
		return refused(finding.Signature, validate.SignatureInvalid, rule, f.Error())
	case chunked.Lost, chunked.Reordered, chunked.CutOff, chunked.Expired:
		return incomplete(rule, f.Error())
	default:
		return refused(finding.Schema, validate.SchemaInvalid, rule, f.Error())
	}
}

// incomplete returns the result for missing chunks.
func incomplete(rule, problem string) validate.Result {
	return refused(finding.Completeness, validate.IncompleteContext, rule, problem)
}

// tooLong returns the result for a stream over a limit.
func tooLong(expected string, limit any) validate.Result {
	return refused(finding.Schema, validate.SchemaInvalid, "chunked/too-large", fmt.Sprintf("the stream is too long: this receiver accepts "+expected, limit))
}

func refused(layer finding.Layer, reason finding.Reason, rule, problem string) validate.Result {
	f := finding.Finding{Layer: layer, Reason: reason, Severity: finding.Error, Rule: rule, Message: problem}
	return validate.Result{Reason: reason, Details: problem, Findings: []finding.Finding{f}}
}
