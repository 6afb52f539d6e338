package validate

import (
	"cmp"
	"slices"
	"unicode/utf8"

	"github.com/eaapl/handoff/pkg/finding"
	"github.com/eaapl/handoff/pkg/format"
	"github.com/eaapl/handoff/pkg/jsonstream"
)

// The reasons to reject a message (EAAPL-MAG006, section 7.2), in the order of their layers.
const (
	SignatureInvalid  finding.Reason = "SIGNATURE_INVALID"
	SchemaInvalid     finding.Reason = "SCHEMA_INVALID"
	IncompleteContext finding.Reason = "INCOMPLETE_CONTEXT"
	BudgetExhausted   finding.Reason = "BUDGET_EXHAUSTED"
	SafetyViolation   finding.Reason = "SAFETY_VIOLATION"
)

// Reasons returns all reasons, in the order of the layers. The other systems use their own names: gRPC
// status codes for SW4RM, codes of MACP's registry, and for the OpenAI Agents SDK the errors of the API it
// calls.
func Reasons() []finding.Reason {
	reasons := append([]finding.Reason{SignatureInvalid, SchemaInvalid}, protocolReasons()...)
	return append(reasons, IncompleteContext, BudgetExhausted, SafetyViolation)
}

// Layers returns all layers, in running order.
func Layers() []finding.Layer { return slices.Clone(layers[:]) }

var layers = [...]finding.Layer{
	finding.Signature, finding.Schema, finding.Protocol, finding.Provider, finding.Completeness, finding.Budget, finding.Safety, finding.Privacy, finding.Lint,
}

// A Result is the typed result of section 7.2.
type Result struct {
	// Format is the format by which the message was checked. It is "" if the text is not strict JSON or was
	// checked by [Options].Schema.
	Format format.Format `json:"format,omitempty"`
	Valid  bool          `json:"valid"`
	// Reason is the reason of the first layer that failed. An unsafe message never has [IncompleteContext]
	// or [BudgetExhausted], after which a sender retries.
	Reason   finding.Reason    `json:"reason,omitempty"`
	Details  string            `json:"details,omitempty"` // the errors with this reason, as one line
	Findings []finding.Finding `json:"findings"`          // of all layers that ran: by layer, then by place
	// SignedBy is the ID of the key that verified the signature, "" if the signature was not verified or
	// the key has no ID.
	SignedBy string `json:"-"`
	// Syntax is the error of a text that is not strict JSON, or nil.
	Syntax *jsonstream.SyntaxError `json:"-"`
}

// newResult returns the result for findings, which are in layer order.
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
		if len(f.Message) > maxMessage {
			f.Message = cut(f.Message, maxMessage) + "…"
			findings[i] = f
		}
		if f.Severity == finding.Error && f.Reason == r.Reason {
			details = append(details, f)
		}
	}
	r.Details = finding.Details(details)
	return r
}

// maxMessage is the maximum length of a finding's message, in bytes: a quoted value can be as long as a
// document.
const maxMessage = 2 << 10

// cut returns the longest prefix of a text that has at most limit bytes and ends between characters.
func cut(text string, limit int) string {
	for limit > 0 && !utf8.RuneStart(text[limit]) {
		limit--
	}
	return text[:limit]
}

// sortByPlace sorts findings by offset, stably.
func sortByPlace(findings []finding.Finding) {
	slices.SortStableFunc(findings, func(a, b finding.Finding) int { return cmp.Compare(a.Offset, b.Offset) })
}

// Malformed returns the result for a document that is not strict JSON: invalid, SCHEMA_INVALID.
func Malformed(err *jsonstream.SyntaxError) Result {
	f := schemaFinding("syntax", err.Problem).At(finding.Pointer(err.Pointer), err.Position)
	r := newResult([]finding.Finding{f})
	r.Syntax = err
	return r
}
