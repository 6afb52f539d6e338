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

// Reasons returns all reasons, in the order of the layers. The other systems use their own
// names: a status code of gRPC for SW4RM, the codes of MACP's registry, the error of the
// API that the OpenAI Agents SDK calls.
func Reasons() []finding.Reason {
	reasons := append([]finding.Reason{SignatureInvalid, SchemaInvalid}, protocolReasons()...)
	return append(reasons, IncompleteContext, BudgetExhausted, SafetyViolation)
}

// Layers returns all layers, in the order in which they run.
func Layers() []finding.Layer { return slices.Clone(layers[:]) }

var layers = [...]finding.Layer{
	finding.Signature, finding.Schema, finding.Protocol, finding.Provider, finding.Completeness, finding.Budget, finding.Safety, finding.Privacy, finding.Lint,
}

// A Result is the typed result of section 7.2.
type Result struct {
	// Format is the format that the message was checked as. It is "" if the text is not
	// strict JSON or was checked by [Options].Schema.
	Format format.Format `json:"format,omitempty"`
	Valid  bool          `json:"valid"`
	// Reason is that of the first layer that failed; but an unsafe message never gets
	// [IncompleteContext] or [BudgetExhausted], after which a sender retries.
	Reason   finding.Reason    `json:"reason,omitempty"`
	Details  string            `json:"details,omitempty"` // the errors with this reason, as one line
	Findings []finding.Finding `json:"findings"`          // of all layers that ran: by layer, then by place
	// SignedBy is the ID of the key that verified the signature, "" if none did or the key
	// has none.
	SignedBy string `json:"-"`
	// Syntax is why the text is not strict JSON, or nil.
	Syntax *jsonstream.SyntaxError `json:"-"`
}

// newResult makes a result of findings, which are in layer order.
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

// maxMessage is the maximum length of a finding's message, in bytes: a quoted value can be
// as long as a document.
const maxMessage = 2 << 10

// cut returns as many whole characters of a text as fit in limit bytes.
func cut(text string, limit int) string {
	for limit > 0 && !utf8.RuneStart(text[limit]) {
		limit--
	}
	return text[:limit]
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
	r := newResult([]finding.Finding{f})
	r.Syntax = err
	return r
}
