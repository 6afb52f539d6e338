// Package finding has what all checks of messages report: a [Finding] is one thing that
// is wrong, with its place and the [Rule] that it breaks.
//
// A rule has one name, its ID, which is LAYER/NAME everywhere: in reports, in the
// configuration and in documents.
package finding

import (
	"encoding/json"
	"fmt"
	"strings"

	"github.com/eaapl/handoff/pkg/jsonstream"
)

// A Reason is a specification's own name for why a message is rejected.
type Reason string

// A Layer is one of the checks of a receiver, or another check that has findings.
type Layer string

// The layers of a receiver, in the order in which they run, and then Chain, which are
// the checks across the messages of a task. Protocol are the rules of the other systems
// that their schemas cannot say; the IDs of its rules begin with the name of the system
// instead, and so do those of Provider, which are what the API of a provider of models refuses
// in a history. Privacy and Lint are not layers of the specification: their findings are
// warnings.
const (
	Signature    Layer = "signature"
	Schema       Layer = "schema"
	Protocol     Layer = "protocol"
	Provider     Layer = "provider"
	Completeness Layer = "completeness"
	Budget       Layer = "budget"
	Safety       Layer = "safety"
	Privacy      Layer = "privacy"
	Lint         Layer = "lint"
	Chain        Layer = "chain"
)

// A Severity says how much a finding matters.
type Severity string

// The severities. Off is that of a rule that is not checked; no finding has it.
const (
	Error   Severity = "error"   // the message is invalid, or the chain is broken
	Warning Severity = "warning" // likely a mistake
	Note    Severity = "note"    // worth knowing, or allowed by somebody
	Off     Severity = "off"
)

// Severities returns the severities, the highest first.
func Severities() []Severity { return []Severity{Error, Warning, Note, Off} }

// Wanted returns how much a finding of a rule matters, by its ID, that has a severity of its own:
// what byRule says of the rule, if it has it. If strict is set, warnings are errors.
func Wanted(own Severity, rule string, byRule map[string]Severity, strict bool) Severity {
	if severity, ok := byRule[rule]; ok {
		own = severity
	}
	if strict && own == Warning {
		return Error
	}
	return own
}

// A Finding is one thing that is wrong with a message, and where. No text of it shows a
// secret.
type Finding struct {
	Layer    Layer    `json:"layer"`
	Reason   Reason   `json:"reason"`
	Severity Severity `json:"severity"`
	Pointer  string   `json:"pointer"`        // JSON Pointer (RFC 6901), "" for the whole message
	Rule     string   `json:"rule"`           // the ID of a rule; "" if there is none
	Also     RuleIDs  `json:"also,omitzero"`  // of other rules that are broken at the same place, where one finding is enough
	Message  string   `json:"message"`        // what is wrong, what was found, what to do: one line, without the place
	Found    string   `json:"found,omitzero"` // the part of Message that says what was found, if it is known
	Fix      string   `json:"fix,omitzero"`   // the part of Message that says what to do, if it is known
	Line     int      `json:"line"`           // 1-based, in the original text; 0 if that is not text
	Column   int      `json:"column"`         // 1-based, in characters
	Offset   int64    `json:"offset"`         // 0-based, in bytes
	// Words are the part of the string at Pointer that it is about, in bytes of its text: from the
	// first to before the other; zero where it is about all of the value.
	Words [2]int `json:"-"`
	// Missing is the name of the member that a schema requires and that is not there; "" where it is
	// about something else, or not of a schema.
	Missing string `json:"-"`
	// Meant is the name that the member at Pointer is probably to have in place of its own, if it has
	// a wrong one and Message asks whether that was meant.
	Meant string `json:"-"`
}

// RuleIDs are IDs of rules, which a finding is comparable with: see [JoinRules].
type RuleIDs string

// JoinRules makes one value of IDs.
func JoinRules(ids []string) RuleIDs { return RuleIDs(strings.Join(ids, " ")) }

// MarshalJSON implements [json.Marshaler]: an array of strings.
func (r RuleIDs) MarshalJSON() ([]byte, error) { return json.Marshal(strings.Fields(string(r))) }

// Rules returns the IDs of all rules that the finding is about.
func (f Finding) Rules() []string { return append([]string{f.Rule}, strings.Fields(string(f.Also))...) }

// At returns the finding with a place.
func (f Finding) At(pointer string, p jsonstream.Position) Finding {
	f.Pointer, f.Line, f.Column, f.Offset = pointer, p.Line, p.Column, p.Offset
	return f
}

// Position returns the place of the finding in the original text.
func (f Finding) Position() jsonstream.Position {
	return jsonstream.Position{Line: f.Line, Column: f.Column, Offset: f.Offset}
}

// PlacedMessage returns the message with the pointer before it.
func (f Finding) PlacedMessage() string {
	if f.Pointer == "" {
		return f.Message
	}
	return f.Pointer + ": " + f.Message
}

// maxDetails is how long details may be, in bytes: what messages quote can be as long as
// a message.
const maxDetails = 8 << 10

// Details returns the placed messages of findings as one line. Those that would make it
// long are counted.
func Details(findings []Finding) string {
	var b strings.Builder
	length := 0
	for i, f := range findings {
		text := f.PlacedMessage()
		if i > 0 {
			b.WriteString("; ")
		} else if len(text) > maxDetails {
			text = strings.ToValidUTF8(text[:maxDetails], "") + "…"
		}
		if length += len(text); length > maxDetails && i > 0 {
			b.WriteString(fmt.Sprintf("and %d more", len(findings)-i)) // lets b stay off the heap
			break
		}
		b.WriteString(text)
	}
	return b.String()
}
