package validate

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/eaapl/handoff/pkg/format"
	"github.com/eaapl/handoff/pkg/jsonstream"
	"github.com/eaapl/handoff/pkg/secrets"
)

// A Reason is the specification's name for why a message is refused: of
// EAAPL-MAG006 (section 7.2), or, for what the rules of another system refuse, a
// name of that system. MACP's are the codes of its registry.
type Reason string

// The reasons, in the order of the layers that give them.
const (
	SignatureInvalid Reason = "SIGNATURE_INVALID"
	SchemaInvalid    Reason = "SCHEMA_INVALID"
	// InvalidArgument is the status with which SW4RM's service refuses a request
	// (a status code of gRPC).
	InvalidArgument Reason = "INVALID_ARGUMENT"
	// InvalidRequest is the error with which the API behind the OpenAI Agents SDK
	// refuses a conversation (its invalid_request_error).
	InvalidRequest    Reason = "INVALID_REQUEST_ERROR"
	IncompleteContext Reason = "INCOMPLETE_CONTEXT"
	BudgetExhausted   Reason = "BUDGET_EXHAUSTED"
	SafetyViolation   Reason = "SAFETY_VIOLATION"
)

// Reasons returns all reasons, in the order of the layers.
func Reasons() []Reason {
	reasons := append([]Reason{SignatureInvalid, SchemaInvalid, InvalidArgument}, macpReasons...)
	return append(reasons, InvalidRequest, IncompleteContext, BudgetExhausted, SafetyViolation)
}

// A Layer is one of the receiver's checks.
type Layer string

// The layers, in the order in which they run. Protocol are the rules of the other
// systems that their schemas cannot say; Completeness and Budget are about canonical
// messages alone. Lint is not a layer of the specification: its findings are
// warnings, unless [Options].Strict.
const (
	Signature    Layer = "signature"
	SchemaLayer  Layer = "schema"
	Protocol     Layer = "protocol"
	Completeness Layer = "completeness"
	Budget       Layer = "budget"
	Safety       Layer = "safety"
	Lint         Layer = "lint"
)

// Layers returns all layers, in the order in which they run.
func Layers() []Layer { return slices.Clone(layers[:]) }

var layers = [...]Layer{Signature, SchemaLayer, Protocol, Completeness, Budget, Safety, Lint}

// A Severity tells whether a finding makes the message invalid.
type Severity string

// The severities.
const (
	Error   Severity = "error"   // it does
	Warning Severity = "warning" // it does if [Options].Strict
	Note    Severity = "note"    // it never does: somebody has allowed it
)

// A Finding is one thing that is wrong with a message, and where.
type Finding struct {
	Layer    Layer    `json:"layer"`
	Reason   Reason   `json:"reason"`
	Severity Severity `json:"severity"`
	Pointer  string   `json:"pointer"` // JSON Pointer (RFC 6901), "" for the whole message
	Keyword  string   `json:"keyword"` // the rule: a JSON Schema keyword, or an id of [Rules]
	Message  string   `json:"message"` // what is wrong, what was found, what to do: one line, without the place
	Line     int      `json:"line"`    // 1-based, in the original text
	Column   int      `json:"column"`  // 1-based, in characters
	Offset   int64    `json:"offset"`  // 0-based, in bytes
}

// at gives the finding a place.
func (f Finding) at(pointer string, p jsonstream.Position) Finding {
	f.Pointer, f.Line, f.Column, f.Offset = pointer, p.Line, p.Column, p.Offset
	return f
}

// longestPointer is how long a pointer may be in a finding, in bytes.
const longestPointer = 1024

// on places the finding at a value, or at the nearest one around it whose
// pointer is fit to print: not endless, and without a secret in it.
func (f Finding) on(v jsonstream.Value) Finding {
	for ; ; v = v.Parent() {
		if v.PointerSize() > longestPointer {
			continue
		}
		if pointer := v.Pointer(); !v.Parent().Exists() || len(secrets.Find(pointer)) == 0 {
			return f.at(pointer, v.Position())
		}
	}
}

// inside moves a finding from a document that a string of the message holds in
// base64: its pointer goes on behind that of the string.
func (f Finding) inside(holder jsonstream.Value) Finding {
	outer := f.on(holder)
	if outer.Pointer == holder.Pointer() {
		outer.Pointer += f.Pointer
	}
	return outer
}

// onName places the finding at a member's name.
func (f Finding) onName(member jsonstream.Value) Finding {
	placed := f.on(member)
	if placed.Pointer == member.Pointer() {
		return f.at(placed.Pointer, member.NamePosition())
	}
	return placed
}

// A Result is the typed result of section 7.2.
type Result struct {
	// Format is the one that the message was checked as, "" if it was none: not
	// strict JSON, or checked by [Options].Schema.
	Format format.Format `json:"format,omitempty"`
	Valid  bool          `json:"valid"`
	// Reason is that of the first layer that failed; but a message that is not safe is
	// never [IncompleteContext] or [BudgetExhausted], on which a sender tries again.
	Reason   Reason    `json:"reason,omitempty"`
	Details  string    `json:"details,omitempty"` // the errors with this reason, as one line
	Findings []Finding `json:"findings"`          // of all layers that ran: by layer, then by place
}

// newResult draws the conclusion from findings that stand in layer order.
func newResult(findings []Finding) Result {
	r := Result{Valid: true, Findings: findings}
	for _, f := range findings {
		if f.Severity != Error {
			continue
		}
		tryAgain := r.Reason == IncompleteContext || r.Reason == BudgetExhausted
		if r.Valid || tryAgain && f.Reason == SafetyViolation {
			r.Valid, r.Reason = false, f.Reason
		}
	}
	var details []string
	for i, f := range findings {
		if len(f.Message) > longestMessage {
			f.Message = cut(f.Message, longestMessage) + "…"
			findings[i] = f
		}
		if f.Severity == Error && f.Reason == r.Reason {
			details = append(details, f.PlacedMessage())
		}
	}
	r.Details = Details(details)
	return r
}

// How long texts may be, in bytes: what they quote can be as long as a message.
const (
	longestMessage = 2 << 10
	longestDetails = 8 << 10
)

// Details joins problems to one line. Those that would make it long are counted.
func Details(problems []string) string {
	length := 0
	for i, p := range problems {
		if length += len(p); length > longestDetails && i > 0 {
			problems = append(slices.Clone(problems[:i]), fmt.Sprintf("and %d more", len(problems)-i))
			break
		}
	}
	return strings.Join(problems, "; ")
}

// cut returns the characters of a text that fit so many bytes.
func cut(text string, most int) string {
	for most > 0 && !utf8.RuneStart(text[most]) {
		most--
	}
	return text[:most]
}

// PlacedMessage returns the message with the pointer before it.
func (f Finding) PlacedMessage() string {
	if f.Pointer == "" {
		return f.Message
	}
	return f.Pointer + ": " + f.Message
}

// sortByPlace orders findings by their offset, keeping the order of those at
// one place.
func sortByPlace(findings []Finding) {
	slices.SortStableFunc(findings, func(a, b Finding) int { return cmp.Compare(a.Offset, b.Offset) })
}

// Malformed returns the result for a document that is not strict JSON, so that
// there is no message to validate: invalid, SCHEMA_INVALID.
func Malformed(err *jsonstream.SyntaxError) Result {
	f := Finding{Layer: SchemaLayer, Reason: SchemaInvalid, Severity: Error, Keyword: "syntax", Message: err.Problem}
	pointer := err.Pointer
	if len(pointer) > longestPointer { // then to the nearest value around that has a shorter one
		pointer = pointer[:max(strings.LastIndexByte(pointer[:longestPointer], '/'), 0)]
	}
	return newResult([]Finding{f.at(pointer, err.Position)})
}
