package validate

import (
	"cmp"
	"slices"
	"unicode/utf8"

	"github.com/eaapl/handoff/pkg/finding"
	"github.com/eaapl/handoff/pkg/format"
	"github.com/eaapl/handoff/pkg/jsonstream"
)

// The reasons for which a message is rejected (EAAPL-MAG006, section 7.2), in the order of
// the layers that give them.
const (
	SignatureInvalid  finding.Reason = "SIGNATURE_INVALID"
	SchemaInvalid     finding.Reason = "SCHEMA_INVALID"
	IncompleteContext finding.Reason = "INCOMPLETE_CONTEXT"
	BudgetExhausted   finding.Reason = "BUDGET_EXHAUSTED"
	SafetyViolation   finding.Reason = "SAFETY_VIOLATION"
)

// Reasons returns all reasons, in the order of the layers. Those of the other systems
// are names of theirs: a status code of gRPC for SW4RM, the codes of MACP's registry, the
// error of the API behind the OpenAI Agents SDK.
func Reasons() []finding.Reason {
	reasons := append([]finding.Reason{SignatureInvalid, SchemaInvalid}, protocolReasons()...)
	return append(reasons, IncompleteContext, BudgetExhausted, SafetyViolation)
}

// Layers returns all layers, in the order in which they run.
func Layers() []finding.Layer { return slices.Clone(layers[:]) }

var layers = [...]finding.Layer{
	finding.Signature, finding.Schema, finding.Protocol, finding.Completeness, finding.Budget, finding.Safety, finding.Lint,
}

// A Result is the typed result of section 7.2.
type Result struct {
	// Format is the one that the message was checked as, "" if it was none: not
	// strict JSON, or checked by [Options].Schema.
	Format format.Format `json:"format,omitempty"`
	Valid  bool          `json:"valid"`
	// Reason is that of the first layer that failed; but a message that is not safe is
	// never [IncompleteContext] or [BudgetExhausted], on which a sender tries again.
	Reason   finding.Reason    `json:"reason,omitempty"`
	Details  string            `json:"details,omitempty"` // the errors with this reason, as one line
	Findings []finding.Finding `json:"findings"`          // of all layers that ran: by layer, then by place
}

// newResult draws the conclusion from findings that stand in layer order.
func newResult(findings []finding.Finding) Result {
	r := Result{Valid: true, Findings: findings}
	for _, f := range findings {
		if f.Severity != finding.Error {
			continue
		}
		tryAgain := r.Reason == IncompleteContext || r.Reason == BudgetExhausted
		if r.Valid || tryAgain && f.Reason == SafetyViolation {
			r.Valid, r.Reason = false, f.Reason
		}
	}
	var details []finding.Finding
	for i, f := range findings {
		if len(f.Message) > longestMessage {
			f.Message = cut(f.Message, longestMessage) + "…"
			findings[i] = f
		}
		if f.Severity == finding.Error && f.Reason == r.Reason {
			details = append(details, f)
		}
	}
	r.Details = finding.Details(details)
	return r
}

// longestMessage is how long a message may be, in bytes: what it quotes can be as long as a
// document.
const longestMessage = 2 << 10

// cut returns the characters of a text that fit so many bytes.
func cut(text string, most int) string {
	for most > 0 && !utf8.RuneStart(text[most]) {
		most--
	}
	return text[:most]
}

// sortByPlace orders findings by their offset, keeping the order of those at
// one place.
func sortByPlace(findings []finding.Finding) {
	slices.SortStableFunc(findings, func(a, b finding.Finding) int { return cmp.Compare(a.Offset, b.Offset) })
}

// Malformed returns the result for a document that is not strict JSON, so that
// there is no message to validate: invalid, SCHEMA_INVALID.
func Malformed(err *jsonstream.SyntaxError) Result {
	f := schemaFinding("syntax", err.Problem).At(finding.Pointer(err.Pointer), err.Position)
	return newResult([]finding.Finding{f})
}
